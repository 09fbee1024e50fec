//! Produces blocks of operations on one thread while another consumes earlier ones.

use std::sync::mpsc::{channel, sync_channel};

use marigraph_model::Events;

/// Maximum number of blocks produced ahead.
const WAITING: usize = 4;

/// Runs `make` on its own thread, which hands over blocks, and `work` on each block here. Returns
/// the result of `make`.
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
                // The receiver is gone only if it panicked.
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
