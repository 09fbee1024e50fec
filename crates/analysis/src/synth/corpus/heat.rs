//! Bytes over time, as in Darshan's HEATMAP module.

use std::collections::BTreeMap;

use marigraph_model::{Module, Rank, Series};

use super::events::Story;

/// Spreads bytes over the bins in proportion to the time in each.
pub fn spread(bins: &mut [f64], width: f64, (from, to): (f64, f64), bytes: f64) {
    let last = bins.len().saturating_sub(1);
    let (first, end) = (((from / width) as usize).min(last), ((to / width) as usize).min(last));
    if bins.is_empty() || to <= from || first == end {
        bins.iter_mut().skip(first).take(1).for_each(|bin| *bin += bytes);
        return;
    }
    for (at, bin) in bins.iter_mut().enumerate().take(end + 1).skip(first) {
        let until = if at == last { to } else { (at + 1) as f64 * width };
        let overlap = (to.min(until) - from.max(at as f64 * width)).max(0.0);
        *bin += (bytes * overlap / (to - from)).round();
    }
}

/// One heat map for each interface and each rank that moved bytes.
pub fn maps(story: &Story) -> Vec<Series> {
    let mut width = Series::FIRST_BIN_S;
    while width * (Series::MAX_BINS as f64) < story.runtime_s {
        width *= 2.0;
    }
    let count = (story.runtime_s / width).ceil() as usize;
    let mut bins: BTreeMap<(Module, u32), [Vec<f64>; 2]> = BTreeMap::new();
    for file in &story.files {
        let own = if file.stream { Module::Stdio } else { Module::Posix };
        let interfaces = [Some(own), file.collective.then_some(Module::MpiIo)];
        for (interface, touch) in
            interfaces.into_iter().flatten().flat_map(|i| file.touches.iter().map(move |t| (i, t)))
        {
            let map =
                bins.entry((interface, touch.rank)).or_insert_with(|| [vec![0.0; count], vec![0.0; count]]);
            spread(
                &mut map[usize::from(touch.write)],
                width,
                (touch.start_s, touch.end_s),
                touch.bytes as f64,
            );
        }
    }
    let whole = |bins: Vec<f64>| bins.into_iter().map(|bytes| bytes as u64).collect();
    let series = bins.into_iter().map(|((interface, rank), [read, written])| Series {
        interface,
        rank: Rank(rank),
        bin_s: width,
        read: whole(read),
        written: whole(written),
    });
    series.collect()
}
