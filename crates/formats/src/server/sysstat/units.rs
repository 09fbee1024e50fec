//! Columns with rates of bytes, in every generation of sysstat.

use marigraph_model::{Direction, MIB};

/// Names of rates, and bytes per unit. Sectors and blocks have 512 bytes, kilobytes 1024.
const RATES: &[(&str, Direction, f64)] = &[
    ("rkB/s", Direction::Read, 1024.0),
    ("wkB/s", Direction::Write, 1024.0),
    ("kB_read/s", Direction::Read, 1024.0),
    ("kB_wrtn/s", Direction::Write, 1024.0),
    ("rkB", Direction::Read, 1024.0),
    ("wkB", Direction::Write, 1024.0),
    ("rMB/s", Direction::Read, MIB as f64),
    ("wMB/s", Direction::Write, MIB as f64),
    ("MB_read/s", Direction::Read, MIB as f64),
    ("MB_wrtn/s", Direction::Write, MIB as f64),
    ("rsec/s", Direction::Read, 512.0),
    ("wsec/s", Direction::Write, 512.0),
    ("rd_sec/s", Direction::Read, 512.0),
    ("wr_sec/s", Direction::Write, 512.0),
    ("Blk_read/s", Direction::Read, 512.0),
    ("Blk_wrtn/s", Direction::Write, 512.0),
    ("rd_sec", Direction::Read, 512.0),
    ("wr_sec", Direction::Write, 512.0),
];

pub(super) fn rate_column(name: &str) -> Option<(Direction, f64)> {
    RATES.iter().find(|(known, ..)| *known == name).map(|&(_, way, unit)| (way, unit))
}

/// Parses a value in bytes: some languages use a comma, and `iostat -h` appends a unit.
pub(super) fn bytes(text: &str, unit: f64) -> Option<f64> {
    let own = match text.as_bytes().last()? {
        b'B' => Some(1.0),
        b'k' => Some(1024.0),
        b'M' => Some(MIB as f64),
        b'G' => Some(1_073_741_824.0),
        b'T' => Some(1_099_511_627_776.0),
        b'P' => Some(1_125_899_906_842_624.0),
        _ => None,
    };
    let digits = if own.is_some() { &text[..text.len() - 1] } else { text };
    let value: f64 = match digits.split_once(',') {
        Some((whole, fraction)) => format!("{whole}.{fraction}").parse().ok()?,
        None => digits.parse().ok()?,
    };
    let bytes = value * own.unwrap_or(unit);
    (bytes >= 0.0 && bytes.is_finite()).then_some(bytes)
}
