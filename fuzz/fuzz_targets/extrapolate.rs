//! Any text as a user's model; any bytes as three traces to extrapolate from.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_analysis::extrapolate::{Input, UserModel, extrapolate};
use marigraph_formats::native::mari::{Mari, Meta, write_classes};

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(model) = UserModel::parse(text)
    {
        let _ = (model.at(3, 7, 1), model.at(u64::MAX, 0, u64::MAX));
    }
    let Ok(mari) = Mari::read(data) else { return };
    if mari.stream_count() > 64 {
        return;
    }
    let Ok(streams) = mari.skeleton() else { return };
    let input = |ranks: u32| Input { ranks, streams: streams.clone() };
    if let Ok(outcome) = extrapolate(&[input(2), input(3), input(5)], 8, &[]) {
        let bytes = write_classes(&outcome.classes, &Meta::default());
        let made = Mari::read(&bytes).expect("what was written");
        assert!(made.stream_count() <= 8 * streams.len() as u64);
    }
});
