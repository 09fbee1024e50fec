//! Inputs: files, folders, standard input.

mod dump;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Deref;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use marigraph_analysis::count::complete;
use marigraph_formats::{Limits, Source, csv};
use marigraph_model::{Problem, Reader};

use crate::args::ReadArgs;
use crate::error::{Failure, complain};

/// Files from this size on are mapped instead of read: their bytes need not all be in memory, and
/// are not copied.
const MAP_FROM: u64 = 1 << 20;

/// The bytes of an input.
pub enum Content {
    Read(Vec<u8>),
    Mapped(memmap2::Mmap, OnDisk),
}

/// A regular file, for readers that need only a part at a time.
pub struct OnDisk(File);

impl Source for OnDisk {
    fn read_at(&self, from: u64, into: &mut [u8]) -> io::Result<usize> {
        FileExt::read_at(&self.0, into, from)
    }
}

impl Deref for Content {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Content::Read(bytes) => bytes,
            Content::Mapped(map, _) => map,
        }
    }
}

/// `-` is standard input.
pub fn load(path: &Path) -> Result<Content, Failure> {
    let failed = |error: io::Error| Failure::read(path, &error);
    if path == Path::new("-") {
        return read_stream(&mut io::stdin().lock()).map(Content::Read).map_err(failed);
    }
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() && !metadata.is_dir() {
        return read_stream(&mut file).map(Content::Read).map_err(failed);
    }
    if let Some(files) = Some(path).filter(|_| metadata.is_dir()).and_then(dump::files) {
        return dump::join(&files).map(Content::Read).map_err(failed);
    }
    if metadata.is_file() && metadata.len() >= MAP_FROM {
        // SAFETY: the map is read-only and private to this process. If another process cuts the
        // file while we read, the system ends us with SIGBUS: the price of not copying gigabytes.
        let map = unsafe { memmap2::Mmap::map(&file) }.map_err(failed)?;
        return Ok(Content::Mapped(map, OnDisk(file)));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok(Content::Read(bytes))
}

/// Reads what may have no end (a pipe, a device): entirely only if it begins like a known format.
fn read_stream(stream: &mut dyn Read) -> io::Result<Vec<u8>> {
    const BEGINNING: u64 = 64 << 10;
    let mut bytes = Vec::new();
    stream.take(BEGINNING).read_to_end(&mut bytes)?;
    if marigraph_formats::recognises(&bytes) {
        stream.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// A loaded and unpacked input.
pub struct Input<'a> {
    pub name: &'a str,
    pub content: &'a [u8],
    /// The file itself, for reading in parts.
    on_disk: Option<&'a OnDisk>,
    pub limits: Limits,
    /// Damage of its outer compression.
    pub damage: Option<Problem>,
}

impl<'a> Input<'a> {
    /// Counters that the format lacks follow from its calls or operations.
    pub fn reader(&self) -> Result<Box<dyn Reader + 'a>, Failure> {
        self.open().map_err(|error| self.refused(&error))
    }

    /// As [`Self::reader`], with the format's own error.
    pub fn open(&self) -> Result<Box<dyn Reader + 'a>, marigraph_formats::Error> {
        let reader = match self.on_disk {
            // A table is read once from beginning to end: no need to have it in memory.
            Some(file) if csv::sniff(self.content) => csv::Table::of(file, self.content, self.limits)
                .map(|table| Box::new(table) as Box<dyn Reader>),
            _ => marigraph_formats::open(self.content, self.limits),
        };
        reader.map(complete)
    }

    pub fn refused(&self, error: &marigraph_formats::Error) -> Failure {
        Failure::format(self.name, error)
    }
}

pub fn with_input<T>(
    path: &Path,
    args: &ReadArgs,
    work: impl FnOnce(Input<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let file = load(path)?;
    with_content(path, &file, args, work)
        .map_err(|error| Failure::format(&path.display().to_string(), &error))?
}

pub fn with_content<T>(
    path: &Path,
    file: &Content,
    args: &ReadArgs,
    work: impl FnOnce(Input<'_>) -> T,
) -> Result<T, marigraph_formats::Error> {
    let name = path.display().to_string();
    let limits = Limits { max_inflate: args.max_inflate, read_ahead: args.threads != Some(1) };
    let (content, damage) = marigraph_formats::unpack(file, limits)?;
    let on_disk = match (file, &content) {
        (Content::Mapped(_, file), Cow::Borrowed(_)) => Some(file),
        _ => None,
    };
    Ok(work(Input { name: &name, content: &content, on_disk, limits, damage }))
}

/// The named inputs: files as given, and every regular file below folders, in a fixed order. A
/// folder that is a Recorder dump is one input.
pub struct Inputs {
    pub paths: Vec<PathBuf>,
    /// Whether bad ones are skipped rather than fatal.
    pub many: bool,
    pub unreadable: Vec<Failure>,
}

/// A name that does not exist is a mistake, not an input to be skipped among others.
pub fn all_exist(arguments: &[PathBuf]) -> Result<(), Failure> {
    for path in arguments.iter().filter(|path| *path != Path::new("-")) {
        if let Err(error) = fs::metadata(path)
            && error.kind() == io::ErrorKind::NotFound
        {
            return Err(Failure::read(path, &error));
        }
    }
    Ok(())
}

pub fn find(arguments: &[PathBuf]) -> Inputs {
    find_beside(arguments, None)
}

pub fn find_beside(arguments: &[PathBuf], own: Option<&Path>) -> Inputs {
    let own: HashSet<(u64, u64)> = own.and_then(identity).into_iter().collect();
    let mut inputs = Inputs { paths: Vec::new(), many: arguments.len() > 1, unreadable: Vec::new() };
    for argument in arguments {
        if argument.is_dir() && dump::files(argument).is_none() {
            inputs.many = true;
            walk(argument, &mut inputs, &mut own.clone());
        } else {
            inputs.paths.push(argument.clone());
        }
    }
    inputs
}

/// Problems of a trace, each with the name of the trace, after a warning about each.
pub fn warned(path: &Path, problems: Vec<Problem>) -> Vec<Problem> {
    let name = path.display().to_string();
    let named = |problem: Problem| {
        complain(&format!("warning: {name}: {}", problem.message));
        let place =
            if problem.place.is_empty() { name.clone() } else { format!("{name}: {}", problem.place) };
        Problem { place, ..problem }
    };
    problems.into_iter().map(named).collect()
}

pub fn nothing_in(arguments: &[PathBuf]) -> Failure {
    Failure::Input {
        path: arguments.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
        message: "the folder has no files".to_string(),
        hint: Some("give files, or folders that contain files".to_string()),
    }
}

fn is_left_over(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with('.') && name.ends_with(".partial")
}

fn identity(folder: &Path) -> Option<(u64, u64)> {
    fs::metadata(folder).map(|metadata| (metadata.dev(), metadata.ino())).ok()
}

/// Folders behind links are entered once each, so loops end.
fn walk(folder: &Path, inputs: &mut Inputs, entered: &mut HashSet<(u64, u64)>) {
    if !identity(folder).is_some_and(|identity| entered.insert(identity)) {
        return;
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            inputs.unreadable.push(Failure::read(folder, &error));
            return;
        }
    };
    // The listing has the type of each entry; only links must be followed.
    let kind = |entry: &fs::DirEntry| entry.file_type().ok().filter(|kind| !kind.is_symlink());
    let mut named: Vec<(OsString, Option<fs::FileType>)> =
        entries.flatten().map(|entry| (entry.file_name(), kind(&entry))).collect();
    named.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    for (name, kind) in named {
        let path = folder.join(name);
        match kind.map_or_else(|| fs::metadata(&path).map(|metadata| metadata.file_type()), Ok) {
            Ok(kind) if kind.is_dir() && dump::files(&path).is_some() => inputs.paths.push(path),
            Ok(kind) if kind.is_dir() => walk(&path, inputs, entered),
            // Leftovers of our own interrupted runs are not logs.
            Ok(kind) if kind.is_file() && !is_left_over(&path) => inputs.paths.push(path),
            // Neither are sockets, devices and dangling links.
            _ => {}
        }
    }
}
