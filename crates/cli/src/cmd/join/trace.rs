//! Writes every call of a run to a trace. Streams are ordered by thread, which needs a separate
//! pass.

use marigraph_formats::native::mari::{Context, HostRun, Meta, Site, StreamKey, Times, TraceWriter};
use marigraph_formats::native::parts::{Load, Run};
use marigraph_model::Problem;

use super::shelf::Shelf;
use crate::args::TimesArg;
use crate::error::Failure;

/// A trace under construction.
pub struct Tracing(TraceWriter);

impl Tracing {
    /// Calls `done` after each process.
    pub fn read(run: &Run, shelf: &Shelf<'_>, times: TimesArg, done: &dyn Fn()) -> Result<Tracing, Failure> {
        let times = match times {
            TimesArg::Exact => Times::Exact,
            TimesArg::Histogram => Times::Histogram,
        };
        let mut writer = TraceWriter::new(times);
        for member in &run.members {
            let files = shelf.load(&member.stem);
            let process = run.open(member, files.as_slices(), shelf);
            let sites: Vec<Site> = process.sites().iter().map(site).collect();
            let context = Context { names: process.names(), sites: &sites };
            for at in 0..process.threads() {
                let thread = u32::try_from(at).unwrap_or(u32::MAX);
                let key = StreamKey { process: member.ordinal, thread, rank: member.rank.0 };
                let mut stream = writer.stream(key).map_err(|error| Failure::Input {
                    path: member.stem.clone(),
                    message: error.to_string(),
                    hint: None,
                })?;
                process.thread(at).for_each(|call| stream.call(&call, &context));
                stream.end();
            }
            done();
        }
        Ok(Tracing(writer))
    }

    pub fn finish(self, run: &Run, problems: &[Problem], profile: &[u8]) -> Vec<u8> {
        let mut meta = Meta::of_job(&run.job);
        meta.lost = run.missing.lost;
        problems.iter().for_each(|problem| meta.problem(problem));
        for (rank, host) in &run.hosts {
            match meta.hosts.last_mut() {
                Some(last) if last.host == *host && last.first + last.count == rank.0 => last.count += 1,
                _ => meta.hosts.push(HostRun { host: host.clone(), first: rank.0, count: 1 }),
            }
        }
        self.0.finish(&meta, profile)
    }
}

/// A call site without the folder of its program, which differs between installations.
fn site(site: &marigraph_formats::native::parts::Site) -> Site {
    let name = site.module.rsplit(|&byte| byte == b'/').next().unwrap_or(&[]);
    Site { module: String::from_utf8_lossy(name).into_owned(), offset: site.offset }
}
