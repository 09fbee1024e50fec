//! Reading: a trace is checked and kept folded; streams are put together one at a time.

use marigraph_model::{Problem, ProblemKind};
use marigraph_wire::bytes::Reader;
use marigraph_wire::sequence::Values;

use super::classes::{Class, Streams, members, read_classes};
use super::loaded::{Loaded, LoadedShape, ShapeTimes};
use super::meta::Meta;
use super::section::{self, CLASSES, META, PROFILE, SHAPES, STRINGS, Section, TIMES, UNITS};
use super::sequence::read_order;
use super::shape::Site;
use super::times::Histogram;
use super::units::{Template, Unit, read_shapes, read_strings, read_unit_count, read_units};
use super::write::{ESTIMATED, EXACT, HISTOGRAM, MODELLED};
use super::{MariError, STREAMS, StreamKey, old, ranks};

/// A trace. It stays folded: memory is proportional to its bytes, whatever they claim to hold.
#[derive(Debug)]
pub struct Mari<'a> {
    pub(super) meta: Meta,
    pub(super) sites: Vec<Site>,
    pub(super) templates: Vec<Template>,
    pub(super) units: Vec<Unit<'a>>,
    pub(super) classes: Vec<Class>,
    version: u64,
    streams: u64,
    times: StreamTimes<'a>,
    problems: Vec<Problem>,
    structure_bytes: usize,
    time_bytes: usize,
    profile: Option<&'a [u8]>,
}

/// Parses a section that every trace needs.
fn parsed<'a, T>(
    payload: Option<&'a [u8]>,
    what: &'static str,
    parse: impl FnOnce(&'a [u8]) -> Option<T>,
) -> Result<T, MariError> {
    payload.and_then(parse).ok_or(MariError::Damaged(what))
}

#[derive(Debug)]
enum StreamTimes<'a> {
    None,
    /// First start and bytes of each stream.
    Exact(Vec<(i64, &'a [u8])>),
    /// First start of each stream; gaps and durations of each unit.
    Histogram(Vec<i64>, Vec<UnitTimes>),
    /// First start of each class; gaps and durations of each unit.
    Estimated(Vec<i64>, Vec<UnitTimes>),
}

/// `None` for an order.
type UnitTimes = Option<(Histogram, Histogram)>;

impl<'a> Mari<'a> {
    /// Damage to times or to the job description is a problem, not an error.
    pub fn read(bytes: &'a [u8]) -> Result<Mari<'a>, MariError> {
        let (head, sections) = section::read(bytes)?;
        let payload =
            |id: u8| sections.iter().find(|section| section.id == id).and_then(|section| section.payload);
        let (modules, templates) = parsed(payload(STRINGS), "strings", read_strings)?;
        let (sites, shapes) = parsed(payload(SHAPES), "shapes", |payload| read_shapes(payload, &modules))?;
        let count = parsed(payload(UNITS), "units", read_unit_count)?;
        let (streams, classes) = parsed(payload(CLASSES), "classes", |payload| match head.version {
            old::VERSION => old::classes(payload, count),
            _ => read_classes(Reader::new(payload), count, |reader| ranks::read(reader, head.ranks)),
        })?;
        let members = members(&classes, count);
        let units = parsed(payload(UNITS), "units", |payload| {
            read_units(payload, &shapes, &templates, &members, head)
        })?;
        let len =
            |id: u8| sections.iter().filter(|section| section.id == id).map(|section| section.len).sum();
        let others = |section: &&Section<'_>| ![TIMES, META, PROFILE].contains(&section.id);
        let mut mari = Mari {
            meta: Meta::default(),
            sites,
            templates,
            units,
            classes,
            version: head.version,
            streams,
            times: StreamTimes::None,
            problems: Vec::new(),
            structure_bytes: head.len
                + sections.iter().filter(others).map(|section| section.len).sum::<usize>(),
            time_bytes: len(TIMES),
            profile: payload(PROFILE),
        };
        mari.read_meta(payload(META));
        mari.meta.ranks = head.ranks;
        if len(TIMES) > 0 {
            mari.read_times(payload(TIMES));
        }
        Ok(mari)
    }

    fn read_meta(&mut self, payload: Option<&[u8]>) {
        match payload.and_then(Meta::from_json) {
            Some(meta) => self.meta = meta,
            None => self.problem("the job description is damaged or missing"),
        }
    }

    fn read_times(&mut self, payload: Option<&'a [u8]>) {
        match payload.and_then(|payload| self.parse_times(payload)) {
            Some(times) => self.times = times,
            None => self.problem("times are damaged and left out"),
        }
    }

    fn problem(&mut self, message: &str) {
        self.problems.push(Problem::new(ProblemKind::Corrupt, message));
    }

    fn parse_times(&self, payload: &'a [u8]) -> Option<StreamTimes<'a>> {
        let mut reader = Reader::new(payload);
        let kind = reader.byte()?;
        // Each stream takes a byte at least, unless they are folded or classes stand for them.
        let most = if kind < MODELLED { reader.rest().len() } else { STREAMS as usize };
        let streams = usize::try_from(self.streams).ok().filter(|&streams| streams <= most)?;
        let times = match kind {
            EXACT => {
                let mut all = Vec::with_capacity(streams);
                for _ in 0..streams {
                    let len = usize::try_from(reader.varint()?).ok()?;
                    all.push((reader.signed()?, reader.bytes(len)?));
                }
                StreamTimes::Exact(all)
            }
            HISTOGRAM | MODELLED => {
                let starts = match kind {
                    HISTOGRAM => (0..streams).map(|_| reader.signed()).collect::<Option<_>>()?,
                    _ => Values::read(&mut reader, self.streams)?.iter().collect(),
                };
                StreamTimes::Histogram(starts, self.unit_times(|| Histogram::read(&mut reader))?)
            }
            ESTIMATED => {
                let starts = self.classes.iter().map(|_| reader.signed()).collect::<Option<_>>()?;
                StreamTimes::Estimated(starts, self.unit_times(|| Histogram::read_estimate(&mut reader))?)
            }
            _ => return None,
        };
        reader.rest().is_empty().then_some(times)
    }

    fn unit_times(&self, mut read: impl FnMut() -> Option<Histogram>) -> Option<Vec<UnitTimes>> {
        let both = |unit: &Unit<'_>| match unit.shape {
            None => Some(None),
            Some(_) => Some(Some((read()?, read()?))),
        };
        self.units.iter().map(both).collect()
    }

    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Call sites; entry 0 is unknown.
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    /// Damage found in reading, then what the recorder or a merge noted.
    pub fn problems(&self) -> Vec<Problem> {
        let noted = self.meta.problems.iter().map(|noted| {
            let kind = ProblemKind::from_code(&noted.code).unwrap_or(ProblemKind::NotRecorded);
            Problem { place: noted.place.clone(), ..Problem::new(kind, noted.message.clone()) }
        });
        self.problems.iter().cloned().chain(noted).collect()
    }

    pub fn stream_count(&self) -> u64 {
        self.streams
    }

    pub fn streams(&self) -> Streams<'_> {
        Streams::new(self)
    }

    pub fn find(&self, key: StreamKey) -> Option<Stream<'_>> {
        self.streams().take_while(|stream| stream.key <= key).find(|stream| stream.key == key)
    }

    /// Darshan log of the job's counters, if the trace has one.
    pub fn profile(&self) -> Option<&'a [u8]> {
        self.profile
    }

    /// Everything but times, job description and profile.
    pub fn structure_bytes(&self) -> usize {
        self.structure_bytes
    }

    pub fn time_bytes(&self) -> usize {
        self.time_bytes
    }

    pub fn has_exact_times(&self) -> bool {
        matches!(self.times, StreamTimes::Exact(_))
    }
}

/// One stream of a trace, not yet put together.
#[derive(Clone)]
pub struct Stream<'m> {
    pub(super) mari: &'m Mari<'m>,
    pub(super) key: StreamKey,
    pub(super) class: usize,
    pub(super) ordinal: usize,
    /// Index among the members of each unit.
    pub(super) places: Vec<u64>,
}

impl<'m> Stream<'m> {
    pub fn key(&self) -> StreamKey {
        self.key
    }

    /// Streams of one class have the same structure.
    pub fn class(&self) -> usize {
        self.class
    }

    /// The class, if all its members have the same numbers and so are the same stream.
    pub fn alike(&self) -> Option<usize> {
        self.units().all(|(_, unit, _)| unit.is_constant()).then_some(self.class)
    }

    /// Assembles the stream, still folded.
    pub fn load(&self) -> Result<Loaded<'m>, MariError> {
        self.assemble().ok_or(MariError::Damaged("the numbers of a stream"))
    }

    pub(super) fn units(&self) -> impl Iterator<Item = (usize, &'m Unit<'m>, u64)> + '_ {
        let units = self.mari.classes.get(self.class).map_or(&[][..], |class| class.units.as_slice());
        let places = units.iter().zip(&self.places);
        places.filter_map(|(&unit, &place)| Some((unit as usize, self.mari.units.get(unit as usize)?, place)))
    }

    fn assemble(&self) -> Option<Loaded<'m>> {
        let mut units = self.units();
        let (_, order, place) = units.next().filter(|(_, unit, _)| unit.shape.is_none())?;
        let mut columns = order.columns.iter();
        let mut numbers = || columns.next()?.at(place);
        let (order, counts) =
            read_order(&mut Reader::new(order.bones), &mut numbers, self.places.len().checked_sub(1)?)?;
        let (first_start, mut exact) = match &self.mari.times {
            StreamTimes::None => (0, None),
            StreamTimes::Exact(all) => {
                all.get(self.ordinal).map(|&(start, bytes)| (start, Some(Reader::new(bytes))))?
            }
            StreamTimes::Histogram(starts, _) => (*starts.get(self.ordinal)?, None),
            StreamTimes::Estimated(starts, _) => (*starts.get(self.class)?, None),
        };
        let mut shapes = Vec::with_capacity(counts.len());
        for ((id, unit, place), runs) in units.zip(counts) {
            let mut loaded = LoadedShape::new(unit, place, runs)?;
            loaded.times = match (&mut exact, &self.mari.times) {
                (Some(reader), _) => {
                    let len = usize::try_from(reader.varint()?).ok()?;
                    ShapeTimes::Exact(reader.bytes(len)?)
                }
                (None, StreamTimes::Histogram(_, units) | StreamTimes::Estimated(_, units)) => {
                    let both = units.get(id)?.as_ref()?;
                    ShapeTimes::Histogram(&both.0, &both.1)
                }
                _ => ShapeTimes::None,
            };
            shapes.push(loaded);
        }
        let mut calls = 0u64;
        for shape in &shapes {
            calls = calls.checked_add(shape.calls)?;
        }
        Some(Loaded { mari: self.mari, key: self.key, order, shapes, calls, first_start })
    }
}
