//! Typed rows of tables, and views of some of their columns.
//!
//! [`table!`](crate::tables) declares a table and its row type together. [`view!`](crate::view)
//! declares a struct of some of a row's columns, so that a reader decodes only those. Both look up
//! columns at compile time: a column that is renamed or retyped without its users does not compile.

use crate::cell::Cell;
use crate::tables::{Kind, Table};

/// A Rust type that a column can hold.
pub trait Value<'a>: Sized + Into<Cell<'a>> {
    const KIND: Kind;
    const OPTIONAL: bool = false;
    /// `None` if the cell is empty but the type requires a value.
    fn of(cell: Cell<'a>) -> Option<Self>;
}

impl Value<'_> for i64 {
    const KIND: Kind = Kind::Int;
    fn of(cell: Cell<'_>) -> Option<i64> {
        if let Cell::Int(value) = cell { Some(value) } else { None }
    }
}

impl Value<'_> for u64 {
    const KIND: Kind = Kind::Int;
    fn of(cell: Cell<'_>) -> Option<u64> {
        i64::of(cell).and_then(|value| u64::try_from(value).ok())
    }
}

impl Value<'_> for bool {
    const KIND: Kind = Kind::Int;
    fn of(cell: Cell<'_>) -> Option<bool> {
        i64::of(cell).map(|value| value != 0)
    }
}

impl Value<'_> for f64 {
    const KIND: Kind = Kind::Float;
    fn of(cell: Cell<'_>) -> Option<f64> {
        if let Cell::Float(value) = cell { Some(value) } else { None }
    }
}

impl<'a> Value<'a> for &'a str {
    const KIND: Kind = Kind::Text;
    fn of(cell: Cell<'a>) -> Option<&'a str> {
        if let Cell::Text(text) = cell { Some(text) } else { None }
    }
}

impl<'a, T: Value<'a>> Value<'a> for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;
    fn of(cell: Cell<'a>) -> Option<Option<T>> {
        Some(T::of(cell))
    }
}

/// Some columns of a table as the fields of a struct.
pub trait View {
    type Row<'a>;
    const TABLE: &'static Table;
    /// Indices in the table.
    const COLUMNS: &'static [usize];
    /// Reads a row, given the cell of each column. The error is the index of the first column that
    /// lacks a required value.
    fn read<'a>(cell: impl Fn(usize) -> Cell<'a>) -> Result<Self::Row<'a>, usize>;
}

/// All columns of a table as the fields of a struct.
pub trait Row: View {
    /// Passes the values on, in the order of the table's columns.
    fn with_cells<T>(self, take: impl FnOnce(&[Cell<'_>]) -> T) -> T;
}

/// Declares a struct of some columns of a table, by the names and types of the table's row.
///
/// ```
/// use marigraph_store::tables::JobRow;
/// marigraph_store::view! {
///     /// Who ran what.
///     struct Program<'a> of JobRow { uid: i64, exe: Option<&'a str> }
/// }
/// ```
///
/// A name or type that the row does not have does not compile:
///
/// ```compile_fail
/// use marigraph_store::tables::JobRow;
/// marigraph_store::view! { struct Program<'a> of JobRow { uid: i64, executable: Option<&'a str> } }
/// ```
///
/// ```compile_fail
/// use marigraph_store::tables::JobRow;
/// marigraph_store::view! { struct Program<'a> of JobRow { uid: u64, exe: Option<&'a str> } }
/// ```
#[macro_export]
macro_rules! view {
    ($(#[$attribute:meta])* $vis:vis struct $name:ident<$life:lifetime> of $row:ident {
        $($field:ident: $type:ty),+ $(,)?
    }) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        $vis struct $name<$life> { $($vis $field: $type),+ }
        $crate::readable! { $name<$life> of <$row<'static> as $crate::View>::TABLE, { $($field: $type),+ } }
        // Requires the types of the table's row.
        impl<$life> From<$row<$life>> for $name<$life> {
            fn from(row: $row<$life>) -> Self {
                $name { $($field: row.$field),+ }
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! readable {
    ($name:ident<$life:lifetime> of $table:expr, { $($field:ident: $type:ty),+ }) => {
        impl $crate::View for $name<'_> {
            type Row<$life> = $name<$life>;
            const TABLE: &'static $crate::tables::Table = $table;
            const COLUMNS: &'static [usize] = &[$(Self::TABLE.place(stringify!($field))),+];
            fn read<$life>(cell: impl Fn(usize) -> $crate::Cell<$life>) -> Result<$name<$life>, usize> {
                Ok($name { $($field: {
                    const AT: usize = $table.place(stringify!($field));
                    <$type as $crate::Value<$life>>::of(cell(AT)).ok_or(AT)?
                }),+ })
            }
        }
    };
}
