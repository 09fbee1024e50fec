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
