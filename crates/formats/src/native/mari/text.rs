//! A trace as text: classes, the tree of each, values of each shape. Made to be read and compared.

use std::fmt::Write;

use marigraph_wire::fold::Node;

use super::loaded::{Loaded, LoadedShape};
use super::path;
use super::read::{Mari, Stream};
use super::sequence::describe_values;

/// Of streams of a class that differ in numbers, shows the first.
pub fn text(mari: &Mari<'_>) -> String {
    let mut out = String::new();
    let meta = mari.meta();
    line(
        &mut out,
        0,
        &format!("trace of {} ranks, {} streams: {}", meta.ranks, mari.stream_count(), meta.command),
    );
    let mut shown = vec![false; mari.classes.len()];
    for stream in mari.streams() {
        let Some(shown) = shown.get_mut(stream.class).filter(|shown| !**shown) else { continue };
        *shown = true;
        class(&mut out, mari, &stream);
    }
    out
}

fn line(out: &mut String, depth: usize, text: &str) {
    // Writing to memory does not fail.
    let _ = writeln!(out, "{:depth$}{text}", "", depth = depth * 2);
}

fn class(out: &mut String, mari: &Mari<'_>, stream: &Stream<'_>) {
    let Some(class) = mari.classes.get(stream.class) else { return };
    let ranks = describe_values(&class.ranks);
    let (process, thread) = (class.process, class.thread);
    line(out, 0, &format!("process {process} thread {thread} on {} ranks: {ranks}", class.ranks.len));
    match stream.load() {
        Ok(loaded) => {
            line(out, 1, "order");
            order(out, &loaded, &loaded.order, 2);
            for (at, shape) in loaded.shapes.iter().enumerate() {
                values(out, &loaded, at, shape);
            }
        }
        Err(error) => line(out, 1, &error.to_string()),
    }
}

fn name(loaded: &Loaded<'_>, at: usize) -> String {
    loaded.shapes.get(at).map_or_else(String::new, |shape| format!("{} #{at}", shape.shape.op.name()))
}

fn order(out: &mut String, loaded: &Loaded<'_>, nodes: &[Node], depth: usize) {
    let mut rest = nodes;
    while let Some((head, after)) = rest.split_first() {
        let (body, behind) = after.split_at(after.len().min(head.len as usize));
        if head.len > 0 {
            line(out, depth, &format!("{} times", head.count));
            order(out, loaded, body, depth + 1);
        } else {
            line(out, depth, &name(loaded, head.value as usize));
        }
        rest = behind;
    }
}

fn values(out: &mut String, loaded: &Loaded<'_>, at: usize, shape: &LoadedShape<'_>) {
    let kind = shape.shape;
    let failed = if kind.failed { " failed" } else { "" };
    let site = loaded.mari.sites.get(kind.site.0 as usize).filter(|site| !site.module.is_empty());
    let site = site.map_or_else(String::new, |site| format!(" at {}+{:#x}", site.module, site.offset));
    line(
        out,
        1,
        &format!(
            "{}{failed}: {} calls, depth {}, flags {}{site}",
            name(loaded, at),
            shape.calls,
            kind.depth,
            kind.flags
        ),
    );
    line(out, 2, &format!("runs {}", shape.runs.describe()));
    line(out, 2, &format!("slot {}", shape.slot.describe()));
    for (at, (label, argument)) in ["a", "b", "c"].into_iter().zip(&shape.arguments).enumerate() {
        line(out, 2, &format!("{label} {}", argument.describe()));
        for (name, numbers) in shape.names.iter().filter(|(name, _)| name.argument == at) {
            for template in name.templates.iter().filter_map(|&id| loaded.mari.templates.get(id as usize)) {
                line(out, 3, &format!("name {}", path::display(&template.text)));
            }
            numbers.iter().for_each(|numbers| line(out, 3, &format!("number {}", numbers.describe())));
        }
    }
    let less = if kind.less { " - b" } else { "" };
    line(out, 2, &format!("ret{less} {}", shape.ret.describe()));
}
