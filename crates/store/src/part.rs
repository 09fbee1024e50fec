//! Parquet files: the one writer for everything, and the reader.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use crate::error::Error;
use crate::rows::{Cell, Rows};
use crate::scan::part::Part;
use crate::tables::Table;

/// Rows of a group: what is decoded at once, and what statistics can spare a query.
pub(crate) const GROUP_ROWS: usize = 1 << 18;
/// Rows are handed to the encoder when they take this much memory.
const FULL_BYTES: usize = 8 << 20;
/// A group is closed when its encoded columns take this much memory.
const GROUP_BYTES: usize = 64 << 20;

/// Writes the rows of one table as a Parquet file, in bounded memory.
pub struct Writer<W: Write + Send> {
    inner: ArrowWriter<W>,
    rows: Rows,
    written: u64,
}

impl<W: Write + Send> Writer<W> {
    /// Starts a file for a table: one of the study's, or any other that is declared in the same way.
    pub fn new(into: W, table: &Table) -> Result<Writer<W>, Error> {
        Writer::of(into, Rows::new(table))
    }

    /// The same for a file that does not stay: it is larger and takes less time.
    pub fn passing(into: W, table: &Table) -> Result<Writer<W>, Error> {
        let plain = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None);
        Writer::with(into, Rows::new(table), plain)
    }

    /// Starts a file with these rows and more of their kind.
    pub fn of(into: W, rows: Rows) -> Result<Writer<W>, Error> {
        let small = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            // Statistics of long names need only tell them apart.
            .set_statistics_truncate_length(Some(64));
        Writer::with(into, rows, small)
    }

    fn with(into: W, rows: Rows, properties: WriterPropertiesBuilder) -> Result<Writer<W>, Error> {
        let properties = properties
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_created_by(concat!("marigraph ", env!("CARGO_PKG_VERSION")).to_string())
            .build();
        // Without our own notes in it, the file is the plain one that every program knows.
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let inner = ArrowWriter::try_new_with_options(into, Arc::clone(rows.schema()), options)?;
        Ok(Writer { inner, rows, written: 0 })
    }

    /// The rows to push to; call [`Self::keep`] after some.
    pub fn rows(&mut self) -> &mut Rows {
        &mut self.rows
    }

    /// Encodes what was pushed once it is much.
    pub fn keep(&mut self) -> Result<(), Error> {
        if self.rows.bytes() < FULL_BYTES {
            return Ok(());
        }
        self.encode()
    }

    /// Takes all rows of `rows`, which belong to the same table.
    pub fn take(&mut self, rows: &mut Rows) -> Result<(), Error> {
        self.encode()?;
        self.batch(&rows.take()?)
    }

    fn encode(&mut self) -> Result<(), Error> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let batch = self.rows.take()?;
        self.batch(&batch)
    }

    /// Writes columns that are in the table's form already.
    pub(crate) fn batch(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.written += batch.num_rows() as u64;
        self.inner.write(batch)?;
        if self.inner.memory_size() > GROUP_BYTES {
            self.inner.flush()?;
        }
        Ok(())
    }

    /// Rows so far.
    pub fn len(&self) -> u64 {
        self.written + self.rows.len() as u64
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that have left, and those that wait for the end of their group.
    pub fn bytes(&self) -> usize {
        self.inner.bytes_written() + self.inner.in_progress_size() + self.rows.bytes()
    }

    /// Ends the file and gives back what it was written into.
    pub fn finish(mut self) -> Result<W, Error> {
        self.encode()?;
        Ok(self.inner.into_inner()?)
    }
}

/// Reads the rows of a Parquet file that has a table's columns, one after another in the table's order.
/// Columns that are not wanted, or that the file lacks, are null.
pub fn read_file(
    path: &Path,
    table: &'static Table,
    wanted: &dyn Fn(&str) -> bool,
    each: &mut dyn FnMut(&[Cell<'_>]),
) -> Result<(), Error> {
    let file = File::open(path).map_err(Error::io(path))?;
    let part = Part::new(table, file, None)?;
    let columns: Vec<usize> = (0..table.columns.len())
        .filter(|&at| table.columns.get(at).is_some_and(|column| wanted(column.name)))
        .collect();
    for group in 0..part.groups() {
        for block in part.read(group, &columns)? {
            (0..block.len).for_each(|row| each(&block.row(row)));
        }
    }
    Ok(())
}
