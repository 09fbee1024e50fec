//! Making blocks of operations on one thread while another works on those before.

use std::sync::mpsc::{channel, sync_channel};

use marigraph_model::Events;

/// Blocks that wait at most; so much can be made ahead.
const WAITING: usize = 4;

/// Runs `make` on a thread of its own, which hands over blocks, and `work` on each of them here. What `make`
/// gives in the end.
pub(crate) fn ahead<T: Send>(
    make: impl FnOnce(&mut dyn FnMut(&mut Events)) -> T + Send,
    mut work: impl FnMut(&Events),
) -> T {
    let (full, filled) = sync_channel::<Events>(WAITING);
    let (empty, emptied) = channel::<Events>();
    std::thread::scope(|scope| {
        let maker = scope.spawn(move || {
            make(&mut |block| {
                let fresh = emptied.try_recv().unwrap_or_default();
                // Nobody waits for it only if the other side panicked.
                let _ = full.send(std::mem::replace(block, fresh));
            })
        });
        for mut block in filled {
            work(&block);
            block.clear();
            let _ = empty.send(block);
        }
        maker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
