//! When the job moved its bytes, and on which ranks, from the best evidence in the log.

use std::collections::BTreeMap;

use marigraph_model::{Direction, Events, Module, Record, Records, Series, Sink};

use crate::grid::Grid;

const CURVE_COLUMNS: usize = 2000;
/// Columns and maximum rows of the rank map.
const MAP_COLUMNS: usize = 500;
const MAP_ROWS: u64 = 256;

/// The source of times, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    Trace,
    Heatmap,
    /// First and last operation of each file; bytes are spread evenly between them.
    Records,
}

/// Curve and map of one interface from one kind of evidence.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Bandwidth of the whole job.
    pub curve: Grid,
    /// Ranks over time; `None` where the evidence does not distinguish ranks.
    pub map: Option<Grid>,
}

/// Collects pictures of every interface.
#[derive(Debug, Clone)]
pub struct Timeline {
    runtime_s: f64,
    nprocs: u64,
    pictures: BTreeMap<(Module, Evidence), Picture>,
}

impl Timeline {
    pub fn new(runtime_s: f64, nprocs: u64) -> Timeline {
        Timeline { runtime_s, nprocs: nprocs.max(1), pictures: BTreeMap::new() }
    }

    pub fn ranks_per_row(&self) -> u64 {
        self.nprocs.div_ceil(MAP_ROWS)
    }

    /// Returns the picture of each interface from its best evidence. Truncated traces (`partial`)
    /// rank below heat maps, which are always complete.
    pub fn best(&self, partial: &dyn Fn(Module) -> bool) -> Vec<(Module, Evidence, &Picture)> {
        let mut best: BTreeMap<Module, (Evidence, &Picture)> = BTreeMap::new();
        let worth = |module: Module, evidence: Evidence| match evidence {
            Evidence::Trace if partial(module) => 1,
            Evidence::Trace => 3,
            Evidence::Heatmap => 2,
            Evidence::Records => 0,
        };
        for (&(module, evidence), picture) in &self.pictures {
            let better =
                best.get(&module).is_none_or(|known| worth(module, evidence) > worth(module, known.0));
            if better && !picture.curve.is_empty() {
                best.insert(module, (evidence, picture));
            }
        }
        best.into_iter().map(|(module, (evidence, picture))| (module, evidence, picture)).collect()
    }

    fn picture(&mut self, module: Module, evidence: Evidence) -> &mut Picture {
        let rows = self.nprocs.div_ceil(self.ranks_per_row()) as usize;
        let runtime = self.runtime_s;
        self.pictures.entry((module, evidence)).or_insert_with(|| Picture {
            curve: Grid::new(1, CURVE_COLUMNS, runtime),
            map: (evidence != Evidence::Records).then(|| Grid::new(rows, MAP_COLUMNS, runtime)),
        })
    }

    fn estimate(&mut self, record: Record<'_>) {
        let roles = record.module.roles();
        let spans = [
            (roles.read_span, roles.bytes_read, Direction::Read),
            (roles.write_span, roles.bytes_written, Direction::Write),
        ];
        for (span, bytes, direction) in spans {
            let amount = record.amount(bytes) as f64;
            let Some((start, end)) = span.filter(|_| amount > 0.0) else { continue };
            let (start, end) = (record.float(start).amount(), record.float(end).amount());
            let picture = self.picture(record.module, Evidence::Records);
            picture.curve.add(0, start, end, amount, direction);
        }
    }
}

impl Picture {
    fn add(&mut self, row: usize, from: f64, to: f64, bytes: f64, direction: Direction) {
        self.curve.add(0, from, to, bytes, direction);
        if let Some(map) = &mut self.map {
            map.add(row, from, to, bytes, direction);
        }
    }
}

impl Sink for Timeline {
    fn records(&mut self, block: &Records) {
        let timed = matches!(
            block.module(),
            Module::Posix | Module::MpiIo | Module::Stdio | Module::Dfs | Module::Daos
        );
        if timed {
            block.iter().for_each(|record| self.estimate(record));
        }
    }

    fn events(&mut self, block: &Events) {
        let per_row = self.ranks_per_row();
        for event in block.iter() {
            let row = (u64::from(event.rank.0) / per_row) as usize;
            let (from, to) = (event.start.as_job_seconds(), event.end.as_job_seconds());
            self.picture(event.interface, Evidence::Trace).add(
                row,
                from,
                to,
                event.bytes as f64,
                event.direction,
            );
        }
    }

    fn series(&mut self, series: &Series) {
        let row = (u64::from(series.rank.0) / self.ranks_per_row()) as usize;
        let runtime = self.runtime_s;
        let picture = self.picture(series.interface, Evidence::Heatmap);
        for (bins, direction) in [(&series.read, Direction::Read), (&series.written, Direction::Write)] {
            for (at, &bytes) in bins.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
                let from = at as f64 * series.bin_s;
                // The last bin ends with the job, which may be much shorter than a bin.
                let end = from + series.bin_s;
                let to = if (from..end).contains(&runtime) && runtime > from { runtime } else { end };
                picture.add(row, from, to, bytes as f64, direction);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::{Event, FileId, Nanos, Rank};

    fn event(rank: u32, second: i64) -> Event {
        Event {
            interface: Module::Posix,
            direction: Direction::Write,
            rank: Rank(rank),
            file: FileId(1),
            start: Nanos(second * 1_000_000_000),
            end: Nanos((second + 1) * 1_000_000_000),
            offset: None,
            bytes: 1000,
            thread: None,
        }
    }

    #[test]
    fn the_best_evidence_is_shown() {
        let mut timeline = Timeline::new(10.0, 1000);
        let mut events = Events::default();
        events.push(event(999, 5));
        timeline.events(&events);
        timeline.series(&Series {
            interface: Module::Posix,
            rank: Rank(3),
            bin_s: 1.0,
            read: vec![9],
            written: vec![0],
        });
        assert_eq!(timeline.ranks_per_row(), 4);
        let best = timeline.best(&|_| false);
        assert_eq!((best.len(), best[0].1), (1, Evidence::Trace));
        let map = best[0].2.map.as_ref().expect("map");
        assert_eq!(map.rows(), 250);
        assert!((map.row(249, Direction::Write).iter().sum::<f64>() - 1000.0).abs() < 1e-6);
        assert_eq!(timeline.best(&|_| true)[0].1, Evidence::Heatmap);
    }

    #[test]
    fn a_rank_that_cannot_be_is_left_out_of_the_map_only() {
        let mut timeline = Timeline::new(0.0, 0);
        let mut events = Events::default();
        events.push(event(7, 0));
        timeline.events(&events);
        let best = timeline.best(&|_| false);
        assert!((best[0].2.curve.row(0, Direction::Write).iter().sum::<f64>() - 1000.0).abs() < 1e-6);
        assert!(best[0].2.map.as_ref().expect("map").is_empty());
    }
}
