//! Named time intervals, from a table `from,to,text`.

use std::path::Path;

use marigraph_analysis::study::Annotation;
use marigraph_formats::server::{Zone, read_moment};

use crate::error::Failure;
use crate::input;

/// Text may contain commas; a line without times is refused with its number.
pub fn read(path: &Path, zone: &Zone) -> Result<Vec<Annotation>, Failure> {
    let content = input::load(path)?;
    let text = String::from_utf8_lossy(&content);
    let mut all = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if at == 0 && line.trim_start().starts_with("from") {
            continue;
        }
        let mut fields = line.splitn(3, ',');
        let mut moment = || fields.next().and_then(|field| read_moment(field, zone));
        let (Some(from_s), Some(to_s)) = (moment(), moment()) else {
            return Err(Failure::Input {
                path: path.display().to_string(),
                message: format!("line {} does not start with two times", at + 1),
                hint: Some("expected from,to,text with times such as 2026-03-01T12:00:00".to_string()),
            });
        };
        let text = fields.next().unwrap_or("").trim().trim_matches('"').to_string();
        all.push(Annotation { from_s, to_s: to_s.max(from_s), text });
    }
    Ok(all)
}
