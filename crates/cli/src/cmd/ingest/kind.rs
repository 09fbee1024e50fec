//! The kind of an input.

use marigraph_formats::{server, snapshot};

use super::signatures;

/// What can be added to a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// A log of one job, or something unknown: its reader reports what is wrong.
    Log,
    Jobs,
    Throughput,
    Snapshot,
    Signatures,
}

impl InputKind {
    /// Recognised by content. Tables of a job's rates differ from those of a server only in their
    /// column names, so the readers of jobs are asked first.
    pub fn of(content: &[u8]) -> InputKind {
        if snapshot::sniff(content) {
            InputKind::Snapshot
        } else if signatures::sniff(content) {
            InputKind::Signatures
        } else if server::is_jobs(content) {
            InputKind::Jobs
        } else if server::is_throughput(content) && !marigraph_formats::recognises(content) {
            InputKind::Throughput
        } else {
            InputKind::Log
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InputKind;
    use std::path::Path;

    fn kinds(folder: &str) -> Vec<(String, InputKind)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(folder);
        let mut found: Vec<(String, InputKind)> = std::fs::read_dir(folder)
            .expect("folder")
            .map(|entry| entry.expect("entry").path())
            .filter(|path| {
                path.is_file()
                    && path.extension().is_none_or(|end| end != "expected" && end != "py" && end != "md")
            })
            .map(|path| {
                (
                    path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                    InputKind::of(&std::fs::read(&path).expect("file")),
                )
            })
            .collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found
    }

    #[test]
    fn logs_of_jobs_are_not_taken_for_logs_of_servers() {
        for folder in ["tmio", "csv"] {
            for (name, kind) in kinds(folder) {
                assert_eq!(kind, InputKind::Log, "{folder}/{name}");
            }
        }
    }

    #[test]
    fn logs_of_servers_and_schedulers_are_known() {
        for (name, kind) in kinds("server") {
            let expected = if name.starts_with("jobs") || name.starts_with("sacct") {
                InputKind::Jobs
            } else {
                InputKind::Throughput
            };
            assert_eq!(kind, expected, "{name}");
        }
    }

    #[test]
    fn snapshots_and_signatures_are_known() {
        let signature = br#"{"app":"ior","bursts":[],"write":[1.0],"read":[0.0]}"#;
        assert_eq!(InputKind::of(signature), InputKind::Signatures);
        assert_eq!(InputKind::of(br#"{"app":"ior"}"#), InputKind::Log);
        assert_eq!(InputKind::of(br#"{"format":"marigraph-snapshot","version":1}"#), InputKind::Snapshot);
        assert_eq!(InputKind::of(b""), InputKind::Log);
    }
}
