//! Parquet files: the writer of all tables, and the reader.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};

use crate::error::Error;
use crate::row::View;
use crate::rows::{Columns, Rows};
use crate::scan::part::Part;
use crate::tables::Table;

/// Rows of a group: the unit of decoding and of statistics.
pub(crate) const GROUP_ROWS: usize = 1 << 18;
/// Maximum memory of a group's encoded columns.
const GROUP_BYTES: usize = 64 << 20;

/// Writes rows of one table as a Parquet file.
pub struct Writer<W: Write + Send> {
    table: &'static Table,
    encoder: Encoder<W>,
}

impl<W: Write + Send> Writer<W> {
    pub fn new(into: W, table: &'static Table) -> Result<Writer<W>, Error> {
        Ok(Writer { table, encoder: Encoder::new(into, &Columns::new(table))? })
    }

    /// The same for a temporary file: larger and faster.
    pub fn passing(into: W, table: &'static Table) -> Result<Writer<W>, Error> {
        let plain = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None);
        Ok(Writer { table, encoder: Encoder::with(into, &Columns::new(table), plain)? })
    }

    pub fn take(&mut self, rows: &mut Rows) -> Result<(), Error> {
        self.encoder.take(rows.of(self.table))
    }

    pub fn finish(self) -> Result<W, Error> {
        self.encoder.finish()
    }
}

pub(crate) struct Encoder<W: Write + Send> {
    inner: ArrowWriter<W>,
    rows: u64,
}

impl<W: Write + Send> Encoder<W> {
    pub fn new(into: W, columns: &Columns) -> Result<Encoder<W>, Error> {
        let small = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            // Statistics of long names only need to distinguish them.
            .set_statistics_truncate_length(Some(64));
        Encoder::with(into, columns, small)
    }

    fn with(into: W, columns: &Columns, properties: WriterPropertiesBuilder) -> Result<Encoder<W>, Error> {
        let properties = properties
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_created_by(concat!("marigraph ", env!("CARGO_PKG_VERSION")).to_string())
            .build();
        // Without Arrow's own metadata, the file is plain Parquet.
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let inner = ArrowWriter::try_new_with_options(into, Arc::clone(columns.schema()), options)?;
        Ok(Encoder { inner, rows: 0 })
    }

    pub fn take(&mut self, columns: &mut Columns) -> Result<(), Error> {
        self.rows += columns.len() as u64;
        self.inner.write(&columns.take()?)?;
        if self.inner.memory_size() > GROUP_BYTES {
            self.inner.flush()?;
        }
        Ok(())
    }

    pub fn len(&self) -> u64 {
        self.rows
    }

    /// Bytes written, including those that wait for the end of their group.
    pub fn bytes(&self) -> usize {
        self.inner.bytes_written() + self.inner.in_progress_size()
    }

    pub fn finish(self) -> Result<W, Error> {
        Ok(self.inner.into_inner()?)
    }
}

pub fn read_file<V: View>(path: &Path, mut each: impl FnMut(V::Row<'_>)) -> Result<(), Error> {
    let part = Part::open(V::TABLE, path)?;
    for group in 0..part.groups() {
        for block in part.read(group, V::COLUMNS)? {
            (0..block.len).try_for_each(|row| part.row::<V>(&block, row).map(&mut each))?;
        }
    }
    Ok(())
}

pub fn count_rows(path: &Path, table: &'static Table) -> Result<usize, Error> {
    let part = Part::open(table, path)?;
    Ok((0..part.groups()).map(|group| part.group_rows(group)).sum())
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic)] // a test may stop
mod tests;
