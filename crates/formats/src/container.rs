//! Unpacks files that are compressed as a whole: gzip, bzip2, zstd, recognized by content.

use std::borrow::Cow;
use std::io::Read;

use marigraph_model::{Problem, ProblemKind};

use crate::error::Error;
use crate::inflate::{Compression, Limits, Stop, Window};

/// Decompresses a file that was compressed once or twice; returns other files as they are. A
/// damaged or truncated stream yields what precedes the damage, and a problem.
pub fn unpack(file: &[u8], limits: Limits) -> Result<(Cow<'_, [u8]>, Option<Problem>), Error> {
    let Some((once, damage)) = unpack_layer(file, file.len(), limits)? else {
        return Ok((Cow::Borrowed(file), None));
    };
    match unpack_layer(&once, file.len(), limits)? {
        Some((twice, inner)) => Ok((Cow::Owned(twice), damage.or(inner))),
        None => Ok((Cow::Owned(once), damage)),
    }
}

pub fn is_packed(beginning: &[u8]) -> bool {
    matches!(beginning, [0x1f, 0x8b, ..] | [b'B', b'Z', b'h', b'1'..=b'9', ..] | [0x28, 0xb5, 0x2f, 0xfd, ..])
}

/// One layer of decompressed data and its damage; `None` if the data are not compressed.
type Layer = Option<(Vec<u8>, Option<Problem>)>;

fn damaged(name: &str) -> Problem {
    let message = format!("the {name} data are truncated or damaged: the rest is missing");
    Problem::new(ProblemKind::Truncated, message).at(name)
}

/// `origin` is the size of the file on disk: the ratio limit applies over all layers.
fn unpack_layer(file: &[u8], origin: usize, limits: Limits) -> Result<Layer, Error> {
    match file {
        [0x1f, 0x8b, ..] => inflate(file, Compression::Gzip, "gzip", origin, limits).map(Some),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => {
            inflate(file, Compression::Bzip2, "bzip2", origin, limits).map(Some)
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => unzstd(file, origin, limits).map(Some),
        _ => Ok(None),
    }
}

fn inflate(
    file: &[u8],
    compression: Compression,
    name: &'static str,
    origin: usize,
    limits: Limits,
) -> Result<(Vec<u8>, Option<Problem>), Error> {
    let (content, stop) = Window::new(file, compression, limits).of_file(origin).rest(usize::MAX);
    match stop {
        Some(Stop::Limit) => Err(Error::InflateLimit { limit: limits.max_inflate }),
        Some(_) if content.is_empty() => {
            Err(Error::Container { name, detail: "nothing can be decompressed".into() })
        }
        stop => Ok((content, stop.map(|_| damaged(name)))),
    }
}

fn unzstd(file: &[u8], origin: usize, limits: Limits) -> Result<(Vec<u8>, Option<Problem>), Error> {
    let failed = |error: std::io::Error| Error::Container { name: "zstd", detail: error.to_string() };
    let decoder = zstd::stream::read::Decoder::new(file).map_err(failed)?;
    let mut content = Vec::new();
    let limit = limits.max_inflate.min((origin as u64).saturating_mul(ZSTD_RATIO).max(128 << 20));
    match decoder.take(limit.saturating_add(1)).read_to_end(&mut content) {
        Ok(_) if content.len() as u64 > limit => Err(Error::InflateLimit { limit }),
        Err(error) if content.is_empty() => Err(failed(error)),
        result => Ok((content, result.err().map(|_| damaged("zstd")))),
    }
}

/// Maximum plausible compression ratio of a large zstd file.
const ZSTD_RATIO: u64 = 500;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn all_kinds_are_recognised_by_content() {
        let text = b"rank,start,end,bytes,op\n".repeat(50);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).expect("gzip");
        let gzip = gzip.finish().expect("gzip");
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(&text).expect("bzip2");
        let zstd = zstd::encode_all(&text[..], 1).expect("zstd");
        let twice = zstd::encode_all(&gzip[..], 1).expect("zstd");
        for packed in [text.clone(), gzip, bzip2.finish().expect("bzip2"), zstd, twice] {
            let (content, damage) = unpack(&packed, Limits::default()).expect("unpack");
            assert_eq!((&content[..], damage), (&text[..], None));
        }
    }

    #[test]
    fn a_cut_file_says_so() {
        let text: Vec<u8> =
            (0..50_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).expect("gzip");
        let gzip = gzip.finish().expect("gzip");
        let zstd = zstd::encode_all(&text[..], 1).expect("zstd");
        for packed in [gzip, zstd] {
            let (content, damage) = unpack(&packed[..packed.len() - 5], Limits::default()).expect("unpack");
            assert!(text.starts_with(&content) && damage.is_some());
        }
    }

    #[test]
    fn bombs_and_garbage_are_errors() {
        let zeros = vec![0; 1 << 20];
        let zstd = zstd::encode_all(&zeros[..], 1).expect("zstd");
        let limits = Limits { max_inflate: 1000, ..Limits::default() };
        assert_eq!(unpack(&zstd, limits), Err(Error::InflateLimit { limit: 1000 }));
        assert!(matches!(unpack(b"\x1f\x8bgarbage", limits), Err(Error::Container { .. })));
        assert!(matches!(unpack(b"\x28\xb5\x2f\xfdgarbage", limits), Err(Error::Container { .. })));
    }
}
