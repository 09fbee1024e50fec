//! Files: kinds, sharing, file systems, striping, and the table of all files.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;

use flate2::write::DeflateEncoder;
use marigraph_analysis::files::{FileUse, Group, INTERFACES, Place, place};
use marigraph_model::{FileId, Layout};

use super::JobPage;
use super::html::{self, TableColumn};
use crate::units::{bytes, count, seconds};

/// Maximum number of files embedded in the page: those with the most bytes.
const MAX_FILES: usize = 250_000;

fn group_row(name: &str, group: &Group) -> Vec<String> {
    let mean = group.size_sum.checked_div(group.sized);
    vec![
        name.to_string(),
        count(group.files),
        bytes(group.read as f64),
        bytes(group.written as f64),
        mean.map_or(String::new(), |mean| bytes(mean as f64)),
        if group.sized > 0 { bytes(group.size_max as f64) } else { String::new() },
        seconds(group.seconds),
    ]
}

const GROUP_COLUMNS: [TableColumn; 7] = [
    TableColumn::Words(""),
    TableColumn::Number("files"),
    TableColumn::Number("read"),
    TableColumn::Number("written"),
    TableColumn::Number("mean size"),
    TableColumn::Number("largest"),
    TableColumn::Number("time"),
];

pub fn kinds(page: &JobPage<'_>) -> String {
    let by = page.files.by_use();
    if by.total.files == 0 {
        return html::absent("No files.");
    }
    let rows = [
        group_row("all files", &by.total),
        group_row("read only", &by.read_only),
        group_row("write only", &by.write_only),
        group_row("read and written", &by.read_write),
        group_row("opened, no bytes", &by.untouched),
    ];
    html::table(&GROUP_COLUMNS, &rows) + &html::note("The size of a file is the highest byte touched.")
}

pub fn sharing(page: &JobPage<'_>) -> String {
    let by = page.files.by_sharing(page.shown.job.nprocs);
    if page.shown.job.nprocs <= 1 || by.all.files + by.one.files + by.some.files == 0 {
        return String::new();
    }
    let rows = [
        group_row("N:1, one file for all processes", &by.all),
        group_row("N:N, a file of one process", &by.one),
        group_row("N:M, shared by some processes", &by.some),
    ];
    html::table(&GROUP_COLUMNS, &rows)
}

fn mount_label(page: &JobPage<'_>, place: Place) -> String {
    match place {
        Place::Mount(at) => page
            .mounts
            .mounts()
            .get(at)
            .map_or(String::new(), |mount| format!("{} ({})", mount.path, mount.fs_type)),
        Place::Stream => "standard streams".to_string(),
        Place::Unknown => "unknown".to_string(),
    }
}

pub fn mounts(page: &JobPage<'_>) -> String {
    let by: BTreeMap<Place, Group> = page.files.by_mount(page.names, page.mounts);
    let mut groups: Vec<(Place, Group)> = by.into_iter().collect();
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.read.saturating_add(group.written)));
    let rows: Vec<Vec<String>> =
        groups.iter().map(|(place, group)| group_row(&mount_label(page, *place), group)).collect();
    if rows.is_empty() { String::new() } else { html::table(&GROUP_COLUMNS, &rows) }
}

pub fn striping(page: &JobPage<'_>) -> String {
    if page.layouts.is_empty() {
        return String::new();
    }
    let mut shapes: BTreeMap<String, (u64, FileId)> = BTreeMap::new();
    for layout in page.layouts {
        shapes.entry(shape(layout)).or_insert((0, layout.file)).0 += 1;
    }
    let mut sorted: Vec<(String, (u64, FileId))> = shapes.into_iter().collect();
    sorted.sort_by_key(|(_, (files, _))| std::cmp::Reverse(*files));
    let rows: Vec<Vec<String>> = sorted
        .into_iter()
        .take(20)
        .map(|(shape, (files, example))| vec![shape, count(files), page.names.label(example)])
        .collect();
    html::table(
        &[TableColumn::Words("layout"), TableColumn::Number("files"), TableColumn::Words("for example")],
        &rows,
    )
}

fn shape(layout: &Layout) -> String {
    let component = |c: &marigraph_model::Component| {
        let size = c.stripe_size.map_or("unknown size".to_string(), |size| bytes(size as f64));
        format!("{} targets × {size}", c.targets.len())
    };
    let parts: Vec<String> = layout.components.iter().map(component).collect();
    if parts.is_empty() { "no components".to_string() } else { parts.join(", then ") }
}

/// The table of files, packed; the browser renders it.
pub fn table(page: &JobPage<'_>) -> String {
    let mut files: Vec<(FileId, &FileUse)> = page.files.iter().collect();
    if files.is_empty() {
        return String::new();
    }
    let weight = |file: &FileUse| {
        let moved = file.moved();
        (moved.read.saturating_add(moved.written), moved.meta)
    };
    files.sort_by_cached_key(|(id, file)| (std::cmp::Reverse(weight(file)), *id));
    let total = files.len();
    files.truncate(MAX_FILES);
    let packed = pack(columns(page, &files, total).as_bytes());
    let first: Vec<Vec<String>> = files
        .iter()
        .take(20)
        .map(|(id, file)| {
            let moved = file.moved();
            vec![page.names.label(*id), bytes(moved.read as f64), bytes(moved.written as f64)]
        })
        .collect();
    let plain = html::table(
        &[TableColumn::Words("file"), TableColumn::Number("read"), TableColumn::Number("written")],
        &first,
    );
    format!(
        "<div class=\"files\" data-packed=\"files-data\">{plain}</div>\n\
         <script type=\"text/plain\" id=\"files-data\">{packed}</script>\n"
    )
}

/// The columns as JSON text, written directly: a tree of a million values would cost more than the
/// text.
fn columns(page: &JobPage<'_>, files: &[(FileId, &FileUse)], total: usize) -> String {
    let mut folders: Vec<String> = Vec::new();
    let mut folder_of: HashMap<String, usize> = HashMap::new();
    let (mut dir, mut name) = (Vec::with_capacity(files.len()), Vec::with_capacity(files.len()));
    for (id, _) in files {
        let label = page.names.label(*id);
        let cut = label.rfind('/').map_or(0, |at| at + 1);
        let folder = &label[..cut];
        let at = folder_of.get(folder).copied().unwrap_or_else(|| {
            folders.push(folder.to_string());
            folder_of.insert(folder.to_string(), folders.len() - 1);
            folders.len() - 1
        });
        dir.push(at);
        name.push(label[cut..].to_string());
    }
    let mounts: Vec<String> =
        page.mounts.mounts().iter().map(|mount| format!("{} ({})", mount.path, mount.fs_type)).collect();
    let mount = |id: FileId| match place(id, page.names, page.mounts) {
        Place::Mount(at) => at as f64,
        _ => -1.0,
    };
    let numbers = |value: &dyn Fn(FileId, &FileUse) -> f64| {
        let mut out = String::with_capacity(files.len() * 8);
        out.push('[');
        for (at, (id, file)) in files.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            // Writing into memory cannot fail.
            let _ = write!(out, "{comma}{}", value(*id, file));
        }
        out + "]"
    };
    let whole = |value: fn(&FileUse) -> u64| numbers(&|_, file| value(file) as f64);
    let interfaces: Vec<&str> = INTERFACES.iter().map(|module| module.name()).collect();
    let fields = [
        ("dirs", text(&folders)),
        ("dir", text(&dir)),
        ("name", text(&name)),
        ("mounts", text(&mounts)),
        ("mount", numbers(&|id, _| mount(id))),
        ("interfaces", text(&interfaces)),
        ("iface", numbers(&|_, file| f64::from(file.interfaces))),
        ("read", whole(|file| file.moved().read)),
        ("written", whole(|file| file.moved().written)),
        ("reads", whole(|file| file.moved().reads)),
        ("writes", whole(|file| file.moved().writes)),
        ("meta", whole(|file| file.moved().meta)),
        ("time", numbers(&|_, file| crate::units::tidy(file.moved().seconds))),
        ("ranks", numbers(&|_, file| file.ranks().map_or(-1.0, f64::from))),
        ("size", numbers(&|_, file| file.size.map_or(-1.0, |size| size as f64))),
        ("total", total.to_string()),
    ];
    let fields: Vec<String> = fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

fn text<T: serde::Serialize>(list: &[T]) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_string())
}

/// Deflates and encodes in base64, so that 200,000 names take a few megabytes.
pub(super) fn pack(text: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::new(2));
    // Writing into memory cannot fail.
    let _ = encoder.write_all(text);
    base64(&encoder.finish().unwrap_or_default())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let value = (word >> (18 - 6 * digit) & 63) as usize;
            out.push(if digit <= chunk.len() { DIGITS[value] as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_the_usual_one() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
