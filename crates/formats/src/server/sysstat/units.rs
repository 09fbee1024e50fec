//! Which columns are rates of bytes, in every generation of sysstat.

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Read,
    Write,
}

/// Names of rates, and bytes in one of their unit. Sectors and blocks have 512 bytes, kilobytes 1024.
const RATES: &[(&str, Way, f64)] = &[
    ("rkB/s", Way::Read, 1024.0),
    ("wkB/s", Way::Write, 1024.0),
    ("kB_read/s", Way::Read, 1024.0),
    ("kB_wrtn/s", Way::Write, 1024.0),
    ("rkB", Way::Read, 1024.0),
    ("wkB", Way::Write, 1024.0),
    ("rMB/s", Way::Read, 1_048_576.0),
    ("wMB/s", Way::Write, 1_048_576.0),
    ("MB_read/s", Way::Read, 1_048_576.0),
    ("MB_wrtn/s", Way::Write, 1_048_576.0),
    ("rsec/s", Way::Read, 512.0),
    ("wsec/s", Way::Write, 512.0),
    ("rd_sec/s", Way::Read, 512.0),
    ("wr_sec/s", Way::Write, 512.0),
    ("Blk_read/s", Way::Read, 512.0),
    ("Blk_wrtn/s", Way::Write, 512.0),
    ("rd_sec", Way::Read, 512.0),
    ("wr_sec", Way::Write, 512.0),
];

/// Which way the bytes of a column go, and how many are one of its unit; none if it holds something else.
pub(super) fn rate_column(name: &str) -> Option<(Way, f64)> {
    RATES.iter().find(|(known, ..)| *known == name).map(|&(_, way, unit)| (way, unit))
}

/// A value in bytes: with a comma in some languages, and a unit of its own where `iostat -h` wrote it.
pub(super) fn bytes(text: &str, unit: f64) -> Option<f64> {
    let own = match text.as_bytes().last()? {
        b'B' => Some(1.0),
        b'k' => Some(1024.0),
        b'M' => Some(1_048_576.0),
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
