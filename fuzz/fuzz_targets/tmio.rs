//! Any bytes as rates over time: as a log, as a message, and as a feed. A feed gives the same
//! result wherever it is cut.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use marigraph_model::{Reader, Events};
use marigraph_formats::tmio::{Feed, Log, Unit};

/// All requests of a content fed in portions of one length.
fn fed(content: &[u8], length: usize) -> (Events, Feed) {
    let (mut feed, mut events) = (Feed::new(Unit::Bytes), Events::default());
    for portion in content.chunks(length) {
        feed.push(portion).iter().for_each(|flush| events.append(&flush.events));
    }
    feed.finish().iter().for_each(|flush| events.append(&flush.events));
    (events, feed)
}

/// Longer contents leave time for few runs, and short ones exercise the feed's state as well.
const LONGEST: usize = 4 << 10;

fuzz_target!(|data: &[u8]| -> Corpus {
    // The last byte is the length of portions, so that the beginning still looks like a known
    // format.
    let Some((&length, content)) = data.split_last().filter(|(_, content)| content.len() <= LONGEST) else {
        return Corpus::Reject;
    };
    if let Some(log) = Log::open(content, Unit::Megabytes) {
        let trace = log.to_trace();
        assert!(trace.events.iter().all(|event| event.start <= event.end));
    }
    let _ = Feed::new(Unit::Bytes).message(content);
    let (whole, one) = fed(content, content.len().max(1));
    let (cut, other) = fed(content, usize::from(length) + 1);
    assert!(whole == cut && one.problems() == other.problems());
    Corpus::Keep
});
