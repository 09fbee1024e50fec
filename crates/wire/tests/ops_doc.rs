//! The reference page of operations matches the table.

#![allow(clippy::expect_used)] // a test may stop

use std::fmt::Write;
use std::path::Path;

use marigraph_wire::op::{Effect, Ending, Layer, Op, Place, Role};

const HEAD: &str = "# Operations

What a recorded call can be. The table in `crates/wire/src/op.rs` is the source of this page:
`cargo xtask bless` writes it.

A call has a slot (the open file, numbered by the process), three arguments `a`, `b` and `c`, and
a return value (minus the error code if it failed). `+a`, `+b` and `+c` are the arguments of the
`more` record after it. *Does* says what the call does to its slot, which way it moves data and
where, whether it is collective, how it ends if not by returning, and whether `replay` leaves it
out (it performs no call of HDF5 and PnetCDF, and those of MPI only under an MPI launcher).
";

const LAYERS: [(Layer, &str); 6] = [
    (Layer::Note, "Notes of the recorder"),
    (Layer::Posix, "POSIX"),
    (Layer::Stdio, "STDIO"),
    (Layer::Mpi, "MPI-IO"),
    (Layer::Hdf5, "HDF5"),
    (Layer::Pnetcdf, "PnetCDF"),
];

fn page() -> String {
    let mut page = HEAD.to_string();
    for (layer, title) in LAYERS {
        let _ = write!(
            page,
            "\n## {title}\n\n| code | name | arguments | does | meaning |\n|---|---|---|---|---|\n"
        );
        for &op in Op::ALL.iter().filter(|op| op.layer() == layer) {
            let (code, name) = (op as u16, op.name());
            let _ =
                writeln!(page, "| {code} | `{name}` | {} | {} | {} |", arguments(op), does(op), meaning(op));
        }
    }
    page += "\n## Arguments\n\n| argument | what it is |\n|---|---|\n";
    for role in Role::ALL.iter().filter(|role| **role != Role::Unused) {
        let _ = writeln!(page, "| {} |{} |", role.name(), role.doc());
    }
    page
}

fn arguments(op: Op) -> String {
    let all = op
        .roles()
        .into_iter()
        .zip(["a", "b", "c"])
        .chain(op.more_roles().into_iter().zip(["+a", "+b", "+c"]));
    let used = all.filter(|(role, _)| *role != Role::Unused);
    used.map(|(role, letter)| format!("`{letter}` {}", role.name())).collect::<Vec<_>>().join(", ")
}

fn does(op: Op) -> String {
    let effect = match op.effect() {
        Effect::None => "",
        Effect::Opens => "opens",
        Effect::Closes => "closes",
        Effect::Copies => "copies",
        Effect::Holds => "holds",
        Effect::Uses => "uses",
    };
    let place = match op.place() {
        _ if matches!(op.layer(), Layer::Hdf5 | Layer::Pnetcdf) => "",
        Place::Position => " at the position",
        Place::Offset => " at `a`",
        Place::Shared => " at the shared pointer",
    };
    let data = match (op.reads(), op.writes()) {
        (false, false) => String::new(),
        (true, true) => format!("reads{place} and writes"),
        (reads, _) => format!("{}{place}", if reads { "reads" } else { "writes" }),
    };
    let ending = match op.ending() {
        Ending::Returns => "",
        Ending::Request => "ends with request `c`",
        Ending::MoreRequest => "ends with request `+a`",
        Ending::Split => "ends with `MPI_File_end`",
    };
    let collective = if op.is_collective() { "collective" } else { "" };
    let system = matches!(op.layer(), Layer::Posix | Layer::Stdio);
    let replay = if system && !op.is_replayable() { "not replayed" } else { "" };
    let parts = [effect, &data, collective, ending, replay];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The documentation in the table, with names of functions instead of names in Rust.
fn meaning(op: Op) -> String {
    let mut text = op.doc().trim().replace('|', "\\|").replace("[`", "`").replace("`]", "`");
    for other in Op::ALL {
        text = text.replace(&format!("`Op::{other:?}`"), &format!("`{}`", other.name()));
    }
    text
}

#[test]
fn the_reference_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/ops.md");
    if std::env::var_os("MARIGRAPH_BLESS").is_some() {
        std::fs::write(&path, page()).expect("the page is written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, page(), "{} (MARIGRAPH_BLESS=1 writes it)", path.display());
}
