//! Translates a routine into a C function.

use marigraph_analysis::emit::{Call, Item, Named, Op, Piece, Routine, Value};

use super::calls::{Argument, arguments};
use super::runtime::Needed;
use super::text::{flags, format, mode, mpi_mode, number, with};
use super::values::{Used, Words, counter};

pub(super) struct Writer<'a> {
    pub(super) words: Words,
    pub(super) needed: &'a mut Needed,
    pub(super) choosers: String,
    choices: usize,
    /// Kinds of calls that need a counter; empty in the first pass.
    counted: Used,
}

pub(super) fn written(routine: &Routine, number: usize, needed: &mut Needed) -> String {
    let is_rank = routine.ranks.iter().enumerate().all(|(at, &rank)| at as u64 == u64::from(rank));
    let words = Words { routine: number, member: if is_rank { "rank" } else { "m" }, used: Used::default() };
    let mut writer = Writer { words, needed, choosers: String::new(), choices: 0, counted: Used::default() };
    // The first pass finds out what is used, the second one counts only that.
    writer.items(&routine.body, 0);
    writer.counted = std::mem::take(&mut writer.words.used);
    (writer.choosers, writer.choices) = (String::new(), 0);
    let body = writer.items(&routine.body, 0);
    writer.whole(routine, &body)
}

impl Writer<'_> {
    fn whole(mut self, routine: &Routine, body: &str) -> String {
        let mut head = String::new();
        let series: Vec<usize> = self.words.used.series.iter().copied().collect();
        let mut tables = String::new();
        for at in series {
            let Some(series) = routine.series.get(at) else { continue };
            head += &self.words.series(at, series);
            tables += &self.words.table(at, series, routine.ranks.len());
            self.needed.add("series");
        }
        for at in &self.words.used.counters {
            head += &format!("\tint64_t n{at} = 0;\n");
        }
        for (values, at) in &self.words.used.tables {
            tables += &column(self.words.routine, *at, values);
        }
        let member = self.words.member;
        if self.words.used.member {
            head = format!("\tconst int64_t {member} = t->m;\n{head}");
        }
        let unused = if body.is_empty() { "\t(void)t;\n" } else { "" };
        let gap = if head.is_empty() { "" } else { "\n" };
        let number = self.words.routine;
        let ranks = ranks(&routine.ranks);
        let which = match (routine.process, routine.thread) {
            (0, 0) => String::new(),
            (0, thread) => format!(", thread {thread}"),
            (process, thread) => format!(", process {process}, thread {thread}"),
        };
        format!(
            "{tables}{}/* {ranks}{which} */\nstatic void routine_{number}(struct task *t)\n{{\n{head}{gap}{body}{unused}}}\n\n",
            self.choosers
        )
    }

    fn items(&mut self, items: &[Item], level: usize) -> String {
        items.iter().map(|item| self.item(item, level)).collect()
    }

    fn item(&mut self, item: &Item, level: usize) -> String {
        let tabs = "\t".repeat(level + 1);
        match item {
            Item::Pause(nanoseconds) => {
                self.needed.add("think");
                format!("{tabs}think(t, {});\n", number(*nanoseconds))
            }
            Item::Loop(count, body) => {
                let (i, count) = (counter(level), self.words.column(count));
                let body = self.items(body, level + 1);
                format!("{tabs}for (int64_t {i} = 0; {i} < {count}; {i}++) {{\n{body}{tabs}}}\n")
            }
            Item::Call(call) => self.repeated(call, level),
        }
    }

    fn repeated(&mut self, call: &Call, level: usize) -> String {
        let tabs = "\t".repeat(level + 1);
        if call.runs.as_constant() == Some(1) {
            return self.call(call, level);
        }
        let i = counter(level);
        let many = self.words.value(&call.runs, call.unit);
        let body = self.call(call, level + 1);
        match call.runs {
            Value::Next(_) => {
                format!("{tabs}for (int64_t {i} = 0, many = {many}; {i} < many; {i}++) {{\n{body}{tabs}}}\n")
            }
            _ => format!("{tabs}for (int64_t {i} = 0; {i} < {many}; {i}++) {{\n{body}{tabs}}}\n"),
        }
    }

    fn call(&mut self, call: &Call, level: usize) -> String {
        let tabs = "\t".repeat(level + 1);
        let (name, taken) = (call.op.name(), arguments(call.op));
        self.needed.add(name);
        let mut text = String::new();
        if call.pause > 0 {
            self.needed.add("think");
            text += &format!("{tabs}think(t, {});\n", call.pause);
        }
        // A number that is used twice is evaluated once.
        let ends = call.op != Op::Type;
        let twice = taken.contains(&Argument::FlagsAndMode) || (ends && call.ret.1);
        let shared = twice && matches!(call.args[1], Value::Next(_));
        let mut arguments = vec!["t".to_string()];
        arguments.extend(taken.into_iter().map(|argument| match argument {
            Argument::Plain(1) if shared => "b".to_string(),
            Argument::FlagsAndMode if shared => "(int)b, (int)(b >> 32)".to_string(),
            _ => self.argument(call, argument),
        }));
        if ends {
            arguments.push(self.ret(call, shared));
        }
        let line = format!("do_{name}({});\n", arguments.join(", "));
        if shared {
            let asked = self.words.value(&call.args[1], call.unit);
            text += &format!("{tabs}{{\n{tabs}\tconst int64_t b = {asked};\n\n{tabs}\t{line}{tabs}}}\n");
        } else {
            text += &format!("{tabs}{line}");
        }
        let further = call.more.as_ref().map(|(_, unit)| *unit);
        for unit in std::iter::once(call.unit).chain(further) {
            if self.counted.counters.contains(&unit) {
                text += &format!("{tabs}n{unit}++;\n");
            }
        }
        text
    }

    fn ret(&mut self, call: &Call, shared: bool) -> String {
        let unit = call.unit;
        let own = self.words.value(&call.ret.0, unit);
        if !call.ret.1 {
            return own;
        }
        if let (Some(asked), Some(own)) = (call.args[1].as_constant(), call.ret.0.as_constant()) {
            return number(asked.wrapping_add(own));
        }
        let asked = if shared { "b".to_string() } else { self.words.value(&call.args[1], unit) };
        if own == "0" { asked } else { format!("{asked} + {own}") }
    }

    fn argument(&mut self, call: &Call, argument: Argument) -> String {
        let unit = call.unit;
        let further = |at: usize| call.more.as_ref().map(|(values, unit)| (&values[at], *unit));
        match argument {
            Argument::Slot => self.words.value(&call.slot, unit),
            Argument::Plain(at) => self.words.value(&call.args[at], unit),
            Argument::Name(at) => self.name(call.names[at].as_ref(), unit, at),
            Argument::Lists => (0..3).map(|at| self.list(further(at))).collect::<Vec<_>>().join(", "),
            Argument::More(at) => {
                further(at).map_or_else(|| "-1".to_string(), |(value, unit)| self.words.value(value, unit))
            }
            flags => self.flags(call, flags),
        }
    }

    /// Flags or permission bits, by name where they are constant.
    fn flags(&mut self, call: &Call, form: Argument) -> String {
        let value = &call.args[1];
        let (both, known) = (self.words.value(value, call.unit), value.as_constant());
        match (form, known) {
            (Argument::FlagsAndMode, Some(known)) => format!("{}, {}", flags(known), mode(known >> 32)),
            (Argument::FlagsAndMode, None) => format!("(int)({both}), (int)(({both}) >> 32)"),
            (Argument::Flags, Some(known)) => flags(known),
            (Argument::Rights, Some(known)) => mode(known),
            (Argument::MpiMode, Some(known)) => mpi_mode(known),
            _ => both,
        }
    }

    fn list(&mut self, further: Option<(&Value, usize)>) -> String {
        match further {
            Some((Value::Next(at), _)) => {
                self.words.used.series.insert(*at);
                format!("&v{at}")
            }
            _ => "NULL".to_string(),
        }
    }

    fn name(&mut self, named: Option<&Named>, unit: usize, place: usize) -> String {
        let Some(named) = named else { return "NULL".to_string() };
        let which = match (named.templates.len(), named.which.as_constant()) {
            (1, _) => Some(0),
            (_, Some(which)) => usize::try_from(which).ok(),
            _ => None,
        };
        if let Some(which) = which {
            let Some(Some(pieces)) = named.templates.get(which) else { return "NULL".to_string() };
            let known = |at: usize| named.numbers.get(at).and_then(Value::as_constant);
            let pieces = &with(pieces, known);
            let mut numbers = Vec::new();
            for piece in pieces {
                if let Piece::Number(at, _) = piece {
                    self.needed.add("number");
                    let value = named.numbers.get(*at).map(|value| self.words.value(value, unit));
                    numbers.push(format!(", number({})", value.unwrap_or_else(|| "0".to_string())));
                }
            }
            return format!("name(t, {place}, {})", printed(pieces, &numbers.concat()));
        }
        let numbers: Vec<String> = named.numbers.iter().map(|value| self.words.value(value, unit)).collect();
        let chooser = self.chooser(named);
        let which = self.words.value(&named.which, unit);
        let numbers: String = numbers.iter().map(|number| format!(", {number}")).collect();
        format!("{chooser}(t, {place}, {which}{numbers})")
    }

    fn chooser(&mut self, named: &Named) -> String {
        let function = format!("r{}_n{}", self.words.routine, self.choices);
        self.choices += 1;
        let numbers: String = (0..named.numbers.len()).map(|at| format!(", int64_t n{at}")).collect();
        let mut text =
            format!("static const char *{function}(struct task *t, int place, int64_t which{numbers})\n{{\n");
        // Not every name has every number.
        (0..named.numbers.len()).for_each(|at| text += &format!("\t(void)n{at};\n"));
        text += "\tswitch (which) {\n";
        for (at, pieces) in named.templates.iter().enumerate() {
            let Some(pieces) = pieces else { continue };
            let number = |piece: &Piece| match piece {
                Piece::Number(at, _) => {
                    self.needed.add("number");
                    format!(", number(n{at})")
                }
                Piece::Text(_) => String::new(),
            };
            let numbers: String = pieces.iter().map(number).collect();
            text += &format!("\tcase {at}:\n\t\treturn name(t, place, {});\n", printed(pieces, &numbers));
        }
        self.choosers += &(text + "\t}\n\treturn NULL;\n}\n\n");
        function
    }
}

/// A format with its numbers. An empty format becomes `"%s", ""`.
fn printed(pieces: &[Piece], numbers: &str) -> String {
    match format(pieces) {
        format if format.is_empty() => "\"%s\", \"\"".to_string(),
        format => format!("\"{format}\"{numbers}"),
    }
}

fn column(routine: usize, at: usize, values: &[i64]) -> String {
    let lines = values.chunks(12).map(|row| {
        let row: Vec<String> = row.iter().map(|&value| number(value)).collect();
        format!("\t{},\n", row.join(", "))
    });
    format!("static const int64_t r{routine}_c{at}[] = {{\n{}}};\n\n", lines.collect::<String>())
}

fn ranks(ranks: &[u32]) -> String {
    match ranks {
        [] => "no rank".to_string(),
        [only] => format!("rank {only}"),
        [first, .., last] => format!("{} ranks from {first} to {last}", ranks.len()),
    }
}
