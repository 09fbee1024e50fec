//! Reads a throughput log or a job log and prints its content as JSON, or how long reading takes.
//!
//! `cargo run --release -p marigraph-bench server_log throughput|jobs|time FILE [ZONE]`
//!
//! `time` compares the reading of a throughput log with the lower bound: one pass over its bytes
//! that finds the lines. Used by `tests/interop/test_server_logs.py`.

use std::time::Instant;

use marigraph_formats::server::{Zone, read_jobs, read_throughput};
use marigraph_formats::unpack;
use marigraph_model::{Problem, Reading};
use serde_json::{Value, json};

pub fn run(words: &[String]) {
    let [what, path, rest @ ..] = words else { panic!("throughput, jobs or time, and a file") };
    let zone = Zone::named(rest.first().map_or("UTC", String::as_str)).expect("a zone");
    let file = std::fs::read(path).expect("a readable file");
    let start = Instant::now();
    let (content, damage) = unpack(&file, Default::default()).expect("a file that can be unpacked");
    let unpacked = start.elapsed();
    match what.as_str() {
        "throughput" => println!("{}", throughput(&content, &zone, damage)),
        "jobs" => println!("{}", jobs(&content, &zone)),
        _ => {
            println!("unpacked in {:.3} s", unpacked.as_secs_f64());
            time(&content, &zone);
        }
    }
}

fn told(problems: &[Problem]) -> Vec<Value> {
    let one = |problem: &Problem| json!([problem.kind.code(), problem.place, problem.message]);
    problems.iter().map(one).collect()
}

fn throughput(content: &[u8], zone: &Zone, damage: Option<Problem>) -> Value {
    let mut readings = Vec::new();
    let facts = read_throughput(content, zone, &mut |reading: Reading| {
        readings.push(json!([reading.source, reading.start, reading.seconds, reading.read, reading.write]));
    });
    match facts {
        Ok(facts) => {
            let problems: Vec<Problem> = damage.into_iter().chain(facts.problems).collect();
            json!({ "format": facts.format, "sources": facts.sources, "problems": told(&problems), "readings": readings })
        }
        Err(error) => json!({ "error": error.to_string(), "hint": error.hint() }),
    }
}

fn jobs(content: &[u8], zone: &Zone) -> Value {
    match read_jobs(content, zone) {
        Ok(log) => {
            let one = |job: &marigraph_model::BatchJob| {
                json!([job.id, job.user, job.name, job.nodes, job.start, job.end])
            };
            let jobs: Vec<Value> = log.jobs.iter().map(one).collect();
            json!({ "format": log.format, "problems": told(&log.problems), "jobs": jobs })
        }
        Err(error) => json!({ "error": error.to_string(), "hint": error.hint() }),
    }
}

fn time(content: &[u8], zone: &Zone) {
    let start = Instant::now();
    let lines = content.iter().filter(|&&byte| byte == b'\n').count();
    println!("{lines} lines found in {:.3} s", start.elapsed().as_secs_f64());
    let (start, mut count, mut bytes) = (Instant::now(), 0u64, 0.0);
    let facts = read_throughput(content, zone, &mut |reading: Reading| {
        count += 1;
        bytes += (reading.read + reading.write) * reading.seconds;
    });
    match facts {
        Ok(facts) => {
            let seconds = start.elapsed().as_secs_f64();
            println!("{count} readings ({}, {bytes:e} bytes) read in {seconds:.3} s", facts.format);
        }
        Err(_) => {
            let start = Instant::now();
            let log = read_jobs(content, zone).expect("neither throughput nor jobs");
            println!(
                "{} jobs ({}) read in {:.3} s",
                log.jobs.len(),
                log.format,
                start.elapsed().as_secs_f64()
            );
        }
    }
}
