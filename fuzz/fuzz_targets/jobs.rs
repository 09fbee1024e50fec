//! Any bytes as a job log.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::server::{Zone, read_jobs};

fuzz_target!(|data: &[u8]| {
    let zone = Zone::named("America/New_York").expect("a zone");
    let Ok(log) = read_jobs(data, &zone) else { return };
    for job in &log.jobs {
        assert!(!job.id.is_empty(), "{job:?}");
        assert!(job.start.zip(job.end).is_none_or(|(start, end)| start <= end), "{job:?}");
        assert!([job.submit, job.start, job.end].into_iter().flatten().all(f64::is_finite), "{job:?}");
    }
});
