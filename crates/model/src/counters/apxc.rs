//! Cray XC router counters (AutoPerf), one record per router.

use std::sync::LazyLock;

use super::{FloatDef, IntDef, IntKind};

/// The location of the router, then its tiles.
pub static INTS: LazyLock<Vec<IntDef>> = LazyLock::new(|| {
    let place = ["GROUP", "CHASSIS", "BLADE", "NODE"].map(|name| (format!("APXC_{name}"), IntKind::Any));
    let tiles = (0..5).flat_map(|row| {
        (0..8).flat_map(move |column| {
            let flits = (0..8).map(move |vc| format!("INQ_PRF_INCOMING_FLIT_VC{vc}"));
            flits
                .chain(["INQ_PRF_ROWBUS_STALL_CNT".to_string()])
                .map(move |counter| format!("AR_RTR_{row}_{column}_{counter}"))
        })
    });
    let processor_tiles = (0..8).flat_map(|column| {
        ["INCOMING_FLIT_VC0", "INCOMING_FLIT_VC4", "REQ_ROWBUS_STALL_CNT", "RSP_ROWBUS_STALL_CNT"]
            .map(|counter| format!("AR_RTR_PT_5_{column}_INQ_PRF_{counter}"))
    });
    let counters = tiles.chain(processor_tiles).map(|name| (name, IntKind::Sum));
    place.into_iter().chain(counters).map(|(name, kind)| IntDef { name: name.leak(), kind }).collect()
});

pub static FLOATS: &[FloatDef] = &[];

#[cfg(test)]
mod tests {
    #[test]
    fn table_has_the_size_of_the_record() {
        assert_eq!(super::INTS.len(), 4 + 392);
    }
}
