//! `marigraph sql`: queries over a study.

mod forms;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use forms::{Csv, Json, Text};
use marigraph_report::table::{Align, Table as TextTable};
use marigraph_store::tables::TABLES;
use marigraph_store::{Error, Output, ParquetAnswer, Snapshot, Study, query};

use crate::args::{FormatArg, SqlArgs};
use crate::error::Failure;
use crate::output::{self, AtomicFile};
use crate::parallel;

pub fn run(args: &SqlArgs) -> Result<(), Failure> {
    let snapshot = Study::open(&args.study).and_then(|study| study.snapshot());
    let snapshot = Arc::new(snapshot.map_err(|error| failed(args, error))?);
    let Some(sql) = &args.query else { return output::print(&describe(&snapshot)) };
    let Some(path) = &args.output else {
        if args.format == FormatArg::Parquet {
            let message = "--format parquet needs a file to write to\nhint: add -o FILE.parquet";
            return Err(Failure::Usage(message.to_string()));
        }
        let mut out = output::stdout();
        answer(args, &snapshot, sql, &mut out)?;
        return out.flush().map_err(|error| Failure::write("standard output", error));
    };
    let mut file = AtomicFile::create(path)?;
    answer(args, &snapshot, sql, &mut file)?;
    file.finish()
}

fn answer(args: &SqlArgs, snapshot: &Arc<Snapshot>, sql: &str, into: &mut dyn Write) -> Result<(), Failure> {
    let threads = parallel::threads(args.threads);
    let ask = |output: &mut dyn Output| query(snapshot, sql, threads, output);
    let answered = match args.format {
        FormatArg::Csv => ask(&mut Csv(into)),
        FormatArg::Json => {
            let mut json = Json::new(into);
            ask(&mut json).and_then(|()| json.finish().map_err(Error::Output))
        }
        FormatArg::Table => {
            let mut text = Text::default();
            ask(&mut text)
                .and_then(|()| into.write_all(text.render(output::width()).as_bytes()).map_err(Error::Output))
        }
        FormatArg::Parquet => {
            let mut parquet = ParquetAnswer::default();
            let written = ask(&mut parquet).and_then(|()| parquet.write());
            written.and_then(|bytes| into.write_all(&bytes).map_err(Error::Output))
        }
    };
    answered.map_err(|error| failed(args, error))
}

fn describe(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for table in TABLES {
        let rows = snapshot.rows(table);
        out.push_str(&format!("{} ({rows} rows)\n{}\n", table.name, table.about));
        let mut columns = TextTable::new(&[("", Align::Left), ("", Align::Left), ("", Align::Left)]);
        for column in table.columns {
            let kind = column.kind.sql().to_ascii_lowercase();
            columns.row([format!("  {}", column.name), kind, column.about.to_string()]);
        }
        // Without the line of headings, which are empty.
        let columns = columns.render(output::width());
        out.push_str(columns.split_once('\n').map_or("", |(_, columns)| columns));
        out.push('\n');
    }
    out
}

fn failed(args: &SqlArgs, error: Error) -> Failure {
    match error {
        Error::Output(error) => {
            let to = args.output.as_ref().map(|path| path.display().to_string());
            Failure::write(to.as_deref().unwrap_or("standard output"), error)
        }
        other => refused(&args.study, other),
    }
}

pub(super) fn refused(study: &Path, error: Error) -> Failure {
    let hint = error.hint();
    match error {
        Error::NoStudy(path) => {
            Failure::Input { path: path.display().to_string(), message: "no study found".to_string(), hint }
        }
        Error::Io { path, error } => Failure::read(&path, &error),
        other => Failure::Input { path: study.display().to_string(), message: other.to_string(), hint },
    }
}
