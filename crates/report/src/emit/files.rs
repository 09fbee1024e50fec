//! Files of a program: the C function that checks, creates and removes them.

use marigraph_analysis::emit::{Files, Piece, Range};

use super::text::{format, with};

/// The function `stage`: all files, grouped by their depth below the root.
pub(super) fn stage(files: &[Files]) -> String {
    let levels = files.iter().map(Files::depth).max().map_or(0, |most| most + 1);
    let mut text = "static int stage(int what)\n{\n".to_string();
    if levels == 0 {
        return text + "\treturn staged(what, IS_FOLDER | BEFORE, 0, \"%s\", \"\");\n}\n\n";
    }
    text += &format!("\tfor (int level = 0; level < {levels}; level++)\n");
    text += &format!("\t\tswitch (what == CLEAN ? {} - level : level) {{\n", levels - 1);
    for level in 0..levels {
        text += &format!("\t\tcase {level}:\n");
        files.iter().filter(|one| one.depth() == level).for_each(|one| text += &alike(one));
        text += "\t\t\tbreak;\n";
    }
    text + "\t\t}\n\treturn 0;\n}\n\n"
}

fn alike(files: &Files) -> String {
    let mut text = String::new();
    let mut tabs = "\t\t\t".to_string();
    for (at, range) in files.ranges.iter().enumerate().filter(|(_, range)| range.count > 1) {
        text += &format!("{tabs}for (int64_t n{at} = 0; n{at} < {}; n{at}++)\n", range.count);
        tabs.push('\t');
    }
    let known = |at: usize| files.ranges.get(at).filter(|range| range.count == 1).map(|range| range.first);
    let name = with(&files.name, known);
    let numbers: String = name.iter().map(|piece| argument(piece, &files.ranges)).collect();
    let flag = |is: bool, name: &'static str| is.then_some(name);
    let flags =
        [flag(files.folder, "IS_FOLDER"), flag(files.before, "BEFORE"), flag(files.changed, "CHANGED")];
    let flags: Vec<&str> = flags.into_iter().flatten().collect();
    let flags = if flags.is_empty() { "0".to_string() } else { flags.join(" | ") };
    let (size, format) = (files.size, format(&name));
    text + &format!(
        "{tabs}if (staged(what, {flags}, {size}, \"{format}\"{numbers}) < 0)\n{tabs}\treturn -1;\n"
    )
}

fn argument(piece: &Piece, ranges: &[Range]) -> String {
    let Piece::Number(at, _) = piece else { return String::new() };
    let Some(range) = ranges.get(*at) else { return ", 0LL".to_string() };
    let turns = match (range.first, range.step) {
        (0, 1) => format!("n{at}"),
        (0, step) => format!("{step} * n{at}"),
        (first, 1) => format!("{first} + n{at}"),
        (first, step) => format!("{first} + {step} * n{at}"),
    };
    format!(", (long long)({turns})")
}
