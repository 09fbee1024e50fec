//! A study under many writers, kills and compaction.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use common::{Folder, add, ask, rows};
use marigraph_store::{Ingest, Study};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

const COUNTS: &str = "select count(*), count(distinct job_key), sum(bytes_written) from (select * from jobs)";

/// Checks that the study holds exactly the jobs 0 to `n`, exclusive, each once, with its files.
fn holds(folder: &Folder, n: i64) {
    let total = (0..n).map(|number| number * 100).sum::<i64>();
    assert_eq!(rows(&folder.0, COUNTS), [format!("{n}|{n}|{total}")]);
    assert_eq!(rows(&folder.0, "select count(*) from files"), [(2 * n).to_string()]);
    assert_eq!(rows(&folder.0, "select count(*), sum(bytes_written) from jobs"), [format!("{n}|{total}")]);
}

#[test]
fn what_is_committed_is_there_and_nothing_else() {
    let folder = Folder::new("commit");
    assert!(Study::open(&folder.0).is_err());
    let ingest = Ingest::begin(&folder.0).expect("begin");
    (0..10).for_each(|number| assert!(add(&ingest, number)));
    assert!(!add(&ingest, 3), "twice in one run");
    assert_eq!(rows(&folder.0, "select count(*) from jobs"), ["0"], "not committed");
    ingest.commit().expect("commit");
    holds(&folder, 10);
    let again = Ingest::begin(&folder.0).expect("begin");
    assert!(!add(&again, 5), "known from the study");
    assert!(add(&again, 10));
    again.commit().expect("commit");
    again.commit().expect("nothing to commit");
    holds(&folder, 11);
    assert_eq!(folder.parts("jobs").len(), 2);
    assert!(folder.parts("pending").is_empty());
}

#[test]
fn the_same_log_added_by_two_at_once_counts_once() {
    let folder = Folder::new("twice");
    let (one, other) = (Ingest::begin(&folder.0).expect("one"), Ingest::begin(&folder.0).expect("other"));
    (0..20).for_each(|number| assert!(add(&one, number)));
    (10..30).for_each(|number| assert!(add(&other, number), "nobody has committed it yet"));
    one.commit().expect("one");
    holds(&folder, 20);
    other.commit().expect("other");
    holds(&folder, 30);
    assert!(!add(&one, 25) || !add(&other, 5), "each learns of the other when it commits");
    assert_eq!(rows(&folder.0, "select count(*) from jobs where job_id = 15"), ["1"]);
    assert_eq!(rows(&folder.0, "select job_id from jobs where job_id = 15"), ["15"]);
}

#[test]
fn writers_at_once_lose_nothing() {
    let folder = Folder::new("threads");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let folder = &folder;
            scope.spawn(move || {
                for batch in 0..20 {
                    let ingest = Ingest::begin(&folder.0).expect("begin");
                    // Two of the four writers add each job.
                    for number in 0..8 {
                        add(&ingest, (writer % 2) * 160 + batch * 8 + number);
                    }
                    ingest.commit().expect("commit");
                }
            });
        }
    });
    holds(&folder, 320);
    let commits = Study::open(&folder.0).and_then(|study| study.snapshot()).expect("snapshot");
    assert!(commits.batches() < 50, "{} commits were not merged", commits.batches());
}

#[test]
fn many_small_parts_become_few() {
    let folder = Folder::new("merge");
    for number in 0..100 {
        let ingest = Ingest::begin(&folder.0).expect("begin");
        add(&ingest, number);
        ingest.commit().expect("commit");
        holds(&folder, number + 1);
    }
    assert!(folder.parts("jobs").len() <= 16, "{}", folder.parts("jobs").len());
    assert_eq!(folder.parts("jobs").len(), folder.parts("files").len());
}

/// Rewrites a part as a newer program would have: with one more column.
fn add_column(path: &std::path::Path) {
    let file = std::fs::File::open(path).expect("part");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|reader| reader.build());
    let batch = reader.expect("reader").next().expect("rows").expect("rows");
    let newer: ArrayRef = Arc::new(Int64Array::from(vec![7; batch.num_rows()]));
    let schema = batch.schema();
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let columns = names.zip(batch.columns().iter().cloned()).chain([("of_tomorrow", newer)]);
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)));
    let batch = batch.expect("batch");
    let file = std::fs::File::create(path).expect("part");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("writer");
    writer.write(&batch).expect("written");
    writer.close().expect("closed");
}

#[test]
fn a_merge_leaves_columns_alone_that_only_a_newer_program_knows() {
    let folder = Folder::new("newer");
    let add_one = |number| {
        let ingest = Ingest::begin(&folder.0).expect("begin");
        add(&ingest, number);
        ingest.commit().expect("commit");
    };
    add_one(0);
    let [newer] = &folder.parts("jobs")[..] else { panic!("one part") };
    add_column(newer);
    (1..40).for_each(add_one);
    holds(&folder, 40);
    assert!(folder.parts("jobs").contains(newer), "it was merged and lost its column");
    assert!(folder.parts("jobs").len() <= 17, "the others are merged");
}

#[test]
fn a_reader_goes_on_while_parts_are_merged() {
    let folder = Folder::new("reader");
    let add_one = |number| {
        let ingest = Ingest::begin(&folder.0).expect("begin");
        add(&ingest, number);
        ingest.commit().expect("commit");
    };
    (0..15).for_each(add_one);
    let before = std::sync::Arc::new(Study::open(&folder.0).and_then(|s| s.snapshot()).expect("snapshot"));
    assert_eq!(before.batches(), 15);
    add_one(15);
    assert_eq!(folder.parts("jobs").len(), 1, "merged");
    struct Count(usize);
    impl marigraph_store::Output for Count {
        fn columns(&mut self, _: &[String]) -> std::io::Result<()> {
            Ok(())
        }
        fn row(&mut self, _: &[marigraph_store::Cell<'_>]) -> std::io::Result<()> {
            self.0 += 1;
            Ok(())
        }
    }
    let mut count = Count(0);
    marigraph_store::query(&before, "select * from jobs", 2, &mut count).expect("still readable");
    assert_eq!(count.0, 15);
}

#[test]
fn leftovers_of_a_kill_do_not_count() {
    let folder = Folder::new("kill");
    let ingest = Ingest::begin(&folder.0).expect("begin");
    (0..5).for_each(|number| assert!(add(&ingest, number)));
    ingest.commit().expect("commit");
    // Killed while writing parts, and while writing the commit.
    let part = folder.parts("jobs").remove(0);
    let bytes = std::fs::read(&part).expect("read");
    std::fs::write(folder.0.join("pending/jobs-x-0.parquet"), &bytes[..bytes.len() / 2]).expect("torn");
    std::fs::write(folder.0.join("commits/.x.partial"), "{\"version\":1,").expect("torn");
    std::fs::write(folder.0.join("jobs/readme.txt"), "not ours").expect("foreign");
    holds(&folder, 5);
    // Killed between the commit and moving its parts into place.
    let name = part.file_name().expect("name");
    std::fs::rename(&part, folder.0.join("pending").join(name)).expect("move");
    holds(&folder, 5);
    let again = Ingest::begin(&folder.0).expect("begin");
    assert!(part.is_file(), "put in place");
    assert!(add(&again, 5));
    again.commit().expect("commit");
    holds(&folder, 6);
}

#[test]
fn a_batch_that_is_dropped_leaves_nothing() {
    let folder = Folder::new("dropped");
    let ingest = Ingest::begin(&folder.0).expect("begin");
    (0..5).for_each(|number| assert!(add(&ingest, number)));
    assert_eq!(folder.parts("pending").len(), 2);
    drop(ingest);
    assert!(folder.parts("pending").is_empty());
    assert_eq!(rows(&folder.0, COUNTS), ["0|0|null"]);
}

#[test]
fn a_commit_of_the_future_is_refused_by_name() {
    let folder = Folder::new("future");
    drop(Ingest::begin(&folder.0).expect("begin"));
    std::fs::write(folder.0.join("commits/9.json"), r#"{"version":99}"#).expect("write");
    let error = ask(&folder.0, "select 1").expect_err("unknown");
    assert!(error.contains("9.json: study version \"99\" is not known"), "{error}");
}

mod runs {
    //! Several logs of one run: the one that tells most counts, whenever it is added.

    use super::common::{Folder, rows};
    use marigraph_store::tables::{FileRow, InvalidRow, JOBS, JobRow};
    use marigraph_store::{Ingest, JobKey, Rows, Source, Study, count_rows};

    /// A log of a run; `detail` also makes its content.
    #[derive(Clone, Copy)]
    struct Log {
        run: i64,
        detail: u64,
    }

    impl Log {
        fn name(self) -> String {
            format!("{}.{}", self.run, self.detail)
        }

        /// Returns whether the log was new.
        fn add(self, ingest: &Ingest) -> bool {
            let (name, run) = (self.name(), JobKey::of(&self.run.to_le_bytes()));
            let key = JobKey::of(name.as_bytes());
            if !ingest.claim(key) {
                return false;
            }
            let (job_key, run_key) = (key.to_string(), run.to_string());
            let mut rows = Rows::default();
            rows.push(JobRow {
                job_key: &job_key,
                job_id: self.run,
                bytes_written: 100,
                source: &name,
                run_key: Some(&run_key),
                detail: Some(self.detail),
                ..JobRow::default()
            });
            rows.push(FileRow { job_key: &job_key, path: "/a", ..FileRow::default() });
            let Log { run: job_id, detail } = self;
            let (format, version, source) = ("test", "1", name.as_str());
            let log = Source { key, job_id, run: Some(run), detail, format, version, source, stored: false };
            ingest.add_log(&mut rows, &log).expect("add");
            true
        }
    }

    fn ingest(folder: &Folder, logs: &[(i64, u64)]) {
        let ingest = Ingest::begin(&folder.0).expect("begin");
        logs.iter().for_each(|&(run, detail)| {
            Log { run, detail }.add(&ingest);
        });
        ingest.commit().expect("commit");
    }

    /// The sources of jobs that count, and of the others.
    fn told(folder: &Folder) -> (Vec<String>, Vec<String>) {
        let ask = |table: &str| rows(&folder.0, &format!("select source from {table} order by source"));
        assert_eq!(
            rows(&folder.0, "select count(*) from files"),
            rows(&folder.0, "select count(*) from jobs")
        );
        (ask("jobs"), ask("sources"))
    }

    fn quoted(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format!("'{name}'")).collect()
    }

    #[test]
    fn the_richer_log_counts_in_any_order() {
        let orders: [&[&[(i64, u64)]]; 6] = [
            &[&[(1, 0), (1, 1), (1, 2)]],
            &[&[(1, 2), (1, 1), (1, 0)]],
            &[&[(1, 0)], &[(1, 1)], &[(1, 2)]],
            &[&[(1, 2)], &[(1, 0)], &[(1, 1)]],
            &[&[(1, 1)], &[(1, 2), (1, 0)]],
            &[&[(1, 1), (1, 0)], &[(1, 2)]],
        ];
        for (number, batches) in orders.iter().enumerate() {
            let folder = Folder::new(&format!("runs-{number}"));
            for _ in 0..2 {
                batches.iter().for_each(|logs| ingest(&folder, logs));
                assert_eq!(told(&folder), (quoted(&["1.2"]), quoted(&["1.0", "1.1"])), "{batches:?}");
                assert_eq!(rows(&folder.0, "select sum(bytes_written) from jobs"), ["100"]);
            }
        }
    }

    #[test]
    fn other_runs_stay_apart() {
        let folder = Folder::new("runs-apart");
        ingest(&folder, &[(1, 0), (2, 0), (3, 2), (2, 1)]);
        assert_eq!(told(&folder), (quoted(&["1.0", "2.1", "3.2"]), quoted(&["2.0"])));
    }

    #[test]
    fn logs_of_one_run_added_by_two_at_once_count_once() {
        for ahead in [false, true] {
            let folder = Folder::new(&format!("runs-twice-{ahead}"));
            let begin = || Ingest::begin(&folder.0).expect("begin");
            let (one, other) = (begin(), begin());
            Log { run: 1, detail: if ahead { 2 } else { 0 } }.add(&one);
            Log { run: 1, detail: if ahead { 0 } else { 2 } }.add(&other);
            // Of equal ones the first.
            Log { run: 2, detail: 1 }.add(&one);
            one.commit().expect("one");
            other.commit().expect("other");
            let counted = quoted(&["1.2", "2.1"]);
            assert_eq!(told(&folder).0, counted);
            // Many more commits: the two are merged, and the source that does not count is kept.
            (10..60).for_each(|run| ingest(&folder, &[(run, 0)]));
            let count =
                Study::open(&folder.0).and_then(|study| study.snapshot()).expect("snapshot").batches();
            assert!(count < 40, "{count} commits: nothing was merged");
            assert_eq!(rows(&folder.0, "select source from jobs where job_id < 10 order by 1"), counted);
            assert_eq!(told(&folder).1, quoted(&["1.0"]));
            assert_eq!(rows(&folder.0, "select count(*) from jobs"), ["52"]);
            ingest(&folder, &[(1, 0), (1, 2), (2, 1)]);
            assert_eq!(rows(&folder.0, "select count(*) from jobs"), ["52"], "idempotent");
        }
    }

    #[test]
    fn merged_files_no_longer_hold_what_does_not_count() {
        let folder = Folder::new("runs-merged");
        ingest(&folder, &[(1, 0)]);
        ingest(&folder, &[(1, 2)]);
        (10..60).for_each(|run| ingest(&folder, &[(run, 0)]));
        assert_eq!(told(&folder).1, quoted(&["1.0"]));
        let parts = folder.parts("jobs");
        let held = parts.iter().map(|part| count_rows(part, &JOBS).expect("part"));
        assert_eq!(held.sum::<usize>(), 51, "the log that does not count is gone from the files");
        ingest(&folder, &[(1, 0)]);
        assert_eq!(rows(&folder.0, "select count(*) from jobs"), ["51"], "but it is known");
    }

    #[test]
    fn rows_of_an_invalid_log_do_not_count() {
        let folder = Folder::new("runs-invalid");
        let ingest = Ingest::begin(&folder.0).expect("begin");
        let key = JobKey::of(b"bad").to_string();
        // A log with many files adds some before it turns out to be wrong.
        let mut early = Rows::default();
        early.push(FileRow { job_key: &key, path: "/a", ..FileRow::default() });
        ingest.add(&mut early).expect("add");
        let mut refused = Rows::default();
        refused.push(InvalidRow {
            job_key: &key,
            reason: "truncated",
            stored: true,
            ..InvalidRow::default()
        });
        ingest.add(&mut refused).expect("add");
        ingest.commit().expect("commit");
        assert_eq!(rows(&folder.0, "select count(*) from files"), ["0"]);
        assert_eq!(rows(&folder.0, "select reason from invalid"), ["'truncated'"]);
        let again = Ingest::begin(&folder.0).expect("begin");
        assert!(!again.claim(JobKey::of(b"bad")), "it is known");
    }
}
