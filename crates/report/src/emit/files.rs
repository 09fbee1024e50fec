//! Files of a program: the function that looks for them, makes them and removes them.

use marigraph_analysis::emit::{Files, Piece, Range};

use super::text::{format, number};

/// `stage`: all files, those of one depth below the root together.
pub(super) fn stage(files: &[Files]) -> String {
    let levels = files.iter().map(Files::depth).max().map_or(0, |most| most + 1);
    if levels == 0 {
        return "static int stage(int what)\n{\n\treturn staged(what, \"\", IS_FOLDER | BEFORE, 0);\n}\n\n".to_string();
    }
    let mut text = "static int stage(int what)\n{\n\tchar path[4096];\n\n".to_string();
    text += &format!("\tfor (int level = 0; level < {levels}; level++)\n");
    text += &format!("\t\tswitch (what == CLEAN ? {} - level : level) {{\n", levels - 1);
    for level in 0..levels {
        text += &format!("\t\tcase {level}:\n");
        files.iter().filter(|one| one.depth() == level).for_each(|one| text += &alike(one));
        text += "\t\t\tbreak;\n";
    }
    text + "\t\t}\n\treturn 0;\n}\n\n"
}

/// Files whose names differ in numbers only.
fn alike(files: &Files) -> String {
    let mut text = String::new();
    let mut tabs = "\t\t\t".to_string();
    let many = |range: &Range| range.count > 1;
    for (at, range) in files.ranges.iter().enumerate().filter(|(_, range)| many(range)) {
        text += &format!("{tabs}for (int64_t n{at} = 0; n{at} < {}; n{at}++)\n", range.count);
        tabs.push('\t');
    }
    let inner = &tabs;
    text += &format!("{}{{\n", inner);
    let numbers: String = files.name.iter().map(|piece| argument(piece, &files.ranges)).collect();
    let format = format(&files.name);
    text += &format!("{inner}\tsnprintf(path, sizeof(path), \"{format}\"{numbers});\n");
    let flag = |is: bool, name: &'static str| is.then_some(name);
    let flags = [flag(files.folder, "IS_FOLDER"), flag(files.before, "BEFORE"), flag(files.changed, "CHANGED")];
    let flags: Vec<&str> = flags.into_iter().flatten().collect();
    let flags = if flags.is_empty() { "0".to_string() } else { flags.join(" | ") };
    text += &format!("{inner}\tif (staged(what, path, {flags}, {}) < 0)\n{inner}\t\treturn -1;\n", files.size);
    text + &format!("{inner}}}\n")
}

fn argument(piece: &Piece, ranges: &[Range]) -> String {
    let Piece::Number(at, _) = piece else { return String::new() };
    let Some(range) = ranges.get(*at) else { return ", 0LL".to_string() };
    match range.count {
        1 => format!(", {}LL", range.first),
        _ => format!(", (long long)({} + {} * n{at})", number(range.first), number(range.step)),
    }
}
