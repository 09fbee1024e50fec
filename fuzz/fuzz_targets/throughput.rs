//! Any bytes as a throughput log; what is read is written as a table and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::server::{Zone, read_throughput};
use marigraph_model::Reading;

fuzz_target!(|data: &[u8]| {
    let zone = Zone::named("Europe/Berlin").expect("a zone");
    let mut readings = Vec::new();
    let Ok(facts) = read_throughput(data, &zone, &mut |reading| readings.push(reading)) else { return };
    for reading in &readings {
        assert!(reading.start.is_finite() && reading.seconds > 0.0, "{reading:?}");
        assert!(reading.read >= 0.0 && reading.write >= 0.0, "{reading:?}");
        assert!(reading.read.is_finite() && reading.write.is_finite(), "{reading:?}");
        assert!((reading.source as usize) < facts.sources.len(), "{reading:?}");
    }
    again(&readings);
});

/// Writes the plausible readings as a table, each with its own source so that they keep their
/// order.
fn again(readings: &[Reading]) {
    let of_today = |reading: &&Reading| (1e9..9e9).contains(&reading.start) && reading.seconds < 1e9;
    let kept: Vec<&Reading> = readings.iter().filter(of_today).collect();
    let mut table = "time,interval,device,write,read\n".to_string();
    for (number, reading) in kept.iter().enumerate() {
        table.push_str(&format!(
            "{},{},d{number},{},{}\n",
            reading.start, reading.seconds, reading.write, reading.read
        ));
    }
    let mut found = Vec::new();
    let facts = read_throughput(table.as_bytes(), &Zone::utc(), &mut |reading| found.push(reading));
    let facts = facts.expect("what was written");
    assert_eq!((found.len(), facts.problems.len()), (kept.len(), 0));
    for (number, (reading, kept)) in (0u32..).zip(found.into_iter().zip(kept)) {
        assert_eq!(reading, Reading { source: number, ..*kept });
    }
}
