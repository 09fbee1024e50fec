//! The output of `darshan-dxt-parser`: every traced operation with the storage targets it touched.

use marigraph_model::{FileId, FileMap, Module};

use super::number::{push_fixed, push_i64, push_padded, push_u64};
use super::records::Printer;
use crate::darshan::dxt::{Form, Head, Segment};
use crate::darshan::lustre::RawLayout;
use crate::inflate::Window;

/// Layouts by file; the first layout of a file wins.
pub type Layouts = FileMap<RawLayout>;

const COLUMNS: &str =
    "# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)";

/// Prints the records of one DXT module.
pub struct DxtPrinter<'a> {
    pub module: Module,
    pub form: Form,
    pub printer: &'a Printer<'a>,
    pub layouts: &'a Layouts,
}

impl DxtPrinter<'_> {
    /// Appends one record with its segments from the window, and flushes long text. Returns whether
    /// the record was complete.
    pub fn record(
        &self,
        head: &Head,
        window: &mut Window<'_>,
        out: &mut Vec<u8>,
        flush: &mut dyn FnMut(&mut Vec<u8>),
    ) -> bool {
        let layout = match self.module {
            Module::DxtPosix => self.layouts.get(&FileId(head.id)),
            _ => None,
        };
        // The number of threads is printed before the segments, so those records are buffered
        // entirely.
        if self.form.has_threads() {
            return self.threaded_record(head, layout, window, out, flush);
        }
        self.head(head, layout, 1, out);
        let mut complete = true;
        for (word, count) in [("write", head.writes), ("read", head.reads)] {
            let mut at = 0;
            let found = self.form.read_segments(window, count, |segment| {
                self.segment(head, layout, word, at, &segment, out);
                at += 1;
                flush(out);
            });
            complete &= found == count;
        }
        complete
    }

    fn threaded_record(
        &self,
        head: &Head,
        layout: Option<&RawLayout>,
        window: &mut Window<'_>,
        out: &mut Vec<u8>,
        flush: &mut dyn FnMut(&mut Vec<u8>),
    ) -> bool {
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        self.form.read_segments(window, head.writes, |segment| writes.push(segment));
        self.form.read_segments(window, head.reads, |segment| reads.push(segment));
        let mut threads: Vec<u64> = writes.iter().chain(&reads).filter_map(|s| s.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        self.head(head, layout, threads.len().max(1), out);
        for (word, segments) in [("write", &writes), ("read", &reads)] {
            for (at, segment) in segments.iter().enumerate() {
                self.segment(head, layout, word, at as u64, segment, out);
                flush(out);
            }
        }
        (writes.len() as u64, reads.len() as u64) == (head.writes, head.reads)
    }

    fn head(&self, head: &Head, layout: Option<&RawLayout>, threads: usize, out: &mut Vec<u8>) {
        let (name, mount, kind) = self.printer.place(self.module, head.id);
        let mut text = |parts: &[&[u8]]| parts.iter().for_each(|part| out.extend_from_slice(part));
        text(&[format!("\n# DXT, file_id: {}, file_name: ", head.id).as_bytes(), name, b"\n"]);
        text(&[format!("# DXT, rank: {}, hostname: ", head.rank).as_bytes(), &head.host, b"\n"]);
        text(&[format!("# DXT, number of threads: {threads}\n").as_bytes()]);
        text(&[format!("# DXT, write_count: {}, read_count: {}\n", head.writes, head.reads).as_bytes()]);
        text(&[b"# DXT, mnt_pt: ", mount, b", fs_type: ", kind, b"\n"]);
        if let Some(layout) = layout {
            text(&[b"# DXT, Lustre stripe components:\n", components(layout).as_bytes()]);
        }
        text(&[COLUMNS.as_bytes(), if layout.is_some() { b"   [OST]" } else { b"" }, b"   Pthread-ID\n"]);
    }

    fn segment(
        &self,
        head: &Head,
        layout: Option<&RawLayout>,
        word: &str,
        at: u64,
        segment: &Segment,
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(if self.module == Module::DxtPosix { b" X_POSIX" } else { b" X_MPIIO" });
        push_padded(out, 8, |out| push_i64(out, head.rank));
        push_padded(out, 7, |out| out.extend_from_slice(word.as_bytes()));
        push_padded(out, 9, |out| push_u64(out, at));
        push_padded(out, 16, |out| push_i64(out, segment.offset));
        push_padded(out, 16, |out| push_i64(out, segment.length));
        push_padded(out, 12, |out| push_fixed(out, segment.start, 4));
        push_padded(out, 12, |out| push_fixed(out, segment.end, 4));
        out.extend_from_slice(b"  ");
        if let Some(layout) = layout {
            targets(layout, segment, out);
        }
        match segment.thread {
            Some(thread) => {
                out.push(b' ');
                push_padded(out, 4, |out| push_u64(out, thread));
            }
            None => out.extend_from_slice(b" N/A"),
        }
        out.push(b'\n');
    }
}

fn components(layout: &RawLayout) -> String {
    let mut targets = layout.targets.iter();
    let mut text = String::new();
    for (at, component) in layout.components.iter().enumerate() {
        let end = if component.end() == -1 { "EOF".to_string() } else { component.end().to_string() };
        text += &format!(
            "#\t[Component {}] stripe_ext: {} - {end}, stripe_size: {}, stripe_count: {}, OSTs:",
            at + 1,
            component.start(),
            component.stripe_size(),
            component.stripe_count()
        );
        let count = usize::try_from(component.stripe_count()).unwrap_or(0);
        targets.by_ref().take(count).for_each(|target| text += &format!(" {target}"));
        text.push('\n');
    }
    text
}

/// Appends the storage targets of an operation, each stripe once, component by component.
fn targets(layout: &RawLayout, segment: &Segment, out: &mut Vec<u8>) {
    let end = segment.offset.saturating_add(segment.length);
    let mut at = segment.offset;
    let mut first_target = 0usize;
    let mut shown = 0;
    for component in &layout.components {
        // No more stripes than targets, whatever the record claims.
        let known = layout.targets.len().saturating_sub(first_target);
        let count = component.stripe_count().min(i64::try_from(known).unwrap_or(i64::MAX));
        let size = component.stripe_size();
        let inside = |at: i64| at < component.end() || component.end() == -1;
        if count <= 0 || size <= 0 {
            continue; // data on the metadata server
        }
        if at >= component.start() && inside(at) {
            let mut in_component = at.saturating_sub(component.start());
            let mut stripe = in_component / size % count;
            while at < end && inside(at) {
                let target = usize::try_from(stripe).ok().and_then(|n| layout.targets.get(first_target + n));
                out.extend_from_slice(b" [");
                push_i64(out, target.copied().unwrap_or(-1));
                out.push(b']');
                stripe = if stripe == count - 1 { 0 } else { stripe + 1 };
                in_component = (in_component / size + 1).saturating_mul(size);
                at = component.start().saturating_add(in_component);
                shown += 1;
                if shown >= count {
                    at = if component.end() == -1 { end } else { component.end() };
                    break;
                }
            }
        }
        first_target = first_target.saturating_add(usize::try_from(count).unwrap_or(0));
    }
    if !layout.components.is_empty() {
        out.extend_from_slice(b"  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::darshan::lustre::RawComponent;

    #[test]
    fn an_operation_names_each_stripe_once() {
        let layout = RawLayout {
            components: vec![
                RawComponent { numbers: [10, 2, 0, 0, 0, 100, 0], pool: vec![] },
                RawComponent { numbers: [20, 3, 0, 0, 100, -1, 0], pool: vec![] },
            ],
            targets: vec![7, 8, 1, 2, 3],
            ..RawLayout::default()
        };
        let text = |offset, length| {
            let mut out = Vec::new();
            targets(&layout, &Segment { offset, length, ..Segment::default() }, &mut out);
            String::from_utf8(out).expect("text")
        };
        assert_eq!(text(0, 5), " [7]  ");
        assert_eq!(text(15, 10), " [8] [7]  ");
        assert_eq!(text(120, 20), " [2]  ");
        assert_eq!(text(95, 10), " [8] [1]  ");
        assert_eq!(text(0, 0), "  ");
    }
}
