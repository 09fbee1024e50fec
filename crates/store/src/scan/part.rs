//! One Parquet file of a table, read by row groups.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use super::block::Block;
use super::filter::{Filter, Range};
use super::shared::Shared;
use crate::error::{Error, Lack};
use crate::part::GROUP_ROWS;
use crate::row::View;
use crate::tables::{Kind, Table};

pub(crate) struct Part {
    table: &'static Table,
    path: PathBuf,
    file: Shared,
    metadata: ArrowReaderMetadata,
    /// Jobs whose rows do not count here, because another part has them.
    hidden: Option<Arc<HashSet<String>>>,
}

impl Part {
    pub fn open(table: &'static Table, path: &Path) -> Result<Part, Error> {
        let file = File::open(path).map_err(Error::io(path))?;
        Part::new(table, path.to_path_buf(), file, None)
    }

    /// Ignores columns that the table does not declare.
    pub fn new(
        table: &'static Table,
        path: PathBuf,
        file: File,
        hidden: Option<Arc<HashSet<String>>>,
    ) -> Result<Part, Error> {
        let file = Shared::new(file).map_err(ParquetError::from)?;
        let plain = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
        // Text is read as dictionary codes: it is stored so, and most work can use codes.
        let coded = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let field = |field: &Arc<Field>| match table.column(field.name()).map(|at| table.columns[at].kind) {
            Some(Kind::Text) if *field.data_type() == DataType::Utf8 => {
                Arc::new(field.as_ref().clone().with_data_type(coded.clone()))
            }
            _ => Arc::clone(field),
        };
        let schema = Schema::new(plain.schema().fields().iter().map(field).collect::<Vec<_>>());
        let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
        let metadata = ArrowReaderMetadata::try_new(Arc::clone(plain.metadata()), options)?;
        Ok(Part { table, path, file, metadata, hidden })
    }

    /// Whether the table declares every column: a newer program may have written more.
    pub fn is_declared(&self) -> bool {
        let mut columns = self.metadata.parquet_schema().columns().iter();
        columns.all(|column| self.table.column(column.name()).is_some())
    }

    pub fn groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    pub fn group_rows(&self, group: usize) -> usize {
        usize::try_from(self.metadata.metadata().row_group(group).num_rows()).unwrap_or(0)
    }

    pub fn hidden(&self) -> Option<&HashSet<String>> {
        self.hidden.as_deref()
    }

    pub fn may_match(&self, group: usize, filters: &[Filter]) -> bool {
        let group = self.metadata.metadata().row_group(group);
        filters.iter().all(|filter| {
            let name = self.table.columns[filter.column].name;
            let leaf = self.leaf(name).and_then(|leaf| group.column(leaf).statistics());
            leaf.and_then(Range::of).is_none_or(|range| filter.may_match(&range))
        })
    }

    fn leaf(&self, name: &str) -> Option<usize> {
        self.metadata.parquet_schema().columns().iter().position(|column| column.name() == name)
    }

    pub fn read(&self, group: usize, columns: &[usize]) -> Result<Vec<Block>, Error> {
        let mut leaves = Vec::with_capacity(columns.len());
        for &at in columns {
            match self.leaf(self.table.columns[at].name) {
                Some(leaf) => leaves.push(leaf),
                None if self.table.columns[at].later => {}
                None => return Err(self.lacks(at, Lack::Column)),
            }
        }
        if leaves.is_empty() {
            return Ok(vec![self.empty(group)]);
        }
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone());
        let mask = ProjectionMask::leaves(self.metadata.parquet_schema(), leaves);
        let reader =
            builder.with_batch_size(GROUP_ROWS).with_row_groups(vec![group]).with_projection(mask).build()?;
        let block = |batch| Block::of(self.table, &batch).map_err(|at| self.lacks(at, Lack::Kind));
        reader.map(|batch| batch.map_err(Error::from).and_then(block)).collect()
    }

    /// A row of a block that was read with the columns of this view.
    pub fn row<'a, V: View>(&self, block: &'a Block, row: usize) -> Result<V::Row<'a>, Error> {
        V::read(|at| block.columns[at].cell(row)).map_err(|at| self.lacks(at, Lack::Value))
    }

    fn lacks(&self, column: usize, what: Lack) -> Error {
        let (table, column) = (self.table.name, self.table.columns[column].name);
        Error::Column { path: self.path.clone(), table, column, what }
    }

    fn empty(&self, group: usize) -> Block {
        let columns = self.table.columns.iter().map(|_| super::block::Column::Absent).collect();
        Block { len: self.group_rows(group), columns }
    }
}
