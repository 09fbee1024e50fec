//! The fixed parts of a program: C sections in files of their own, included where needed.
//!
//! A line `//@ name: others` begins a section and names the sections it needs.

use std::collections::BTreeSet;

/// Placed before the generated code.
const BEFORE: &[&str] = &[
    include_str!("../../assets/emit/base.c"),
    include_str!("../../assets/emit/place.c"),
    include_str!("../../assets/emit/names.c"),
    include_str!("../../assets/emit/descriptors.c"),
    include_str!("../../assets/emit/stdio.c"),
    include_str!("../../assets/emit/mpi.c"),
    include_str!("../../assets/emit/mpi_types.c"),
    include_str!("../../assets/emit/mpi_data.c"),
];
const AFTER: &str = include_str!("../../assets/emit/main.c");

struct Section {
    name: &'static str,
    needs: Vec<&'static str>,
    text: &'static str,
}

fn sections(file: &'static str) -> Vec<Section> {
    let section = |part: &'static str| {
        let (head, text) = part.split_once('\n')?;
        let (name, needs) = head.split_once(':').unwrap_or((head, ""));
        Some(Section { name: name.trim(), needs: needs.split_whitespace().collect(), text })
    };
    file.split("//@ ").filter_map(section).collect()
}

/// The sections that a program needs, including their dependencies.
#[derive(Debug, Default)]
pub(super) struct Needed(BTreeSet<&'static str>);

impl Needed {
    /// Adds a section and its dependencies; ignores unknown names.
    pub(super) fn add(&mut self, name: &str) {
        let all = BEFORE.iter().copied().chain([AFTER]).flat_map(sections);
        for section in all.filter(|section| section.name == name) {
            if self.0.insert(section.name) {
                section.needs.iter().for_each(|needed| self.add(needed));
            }
        }
    }

    fn text(&self, files: &[&'static str]) -> String {
        let all = files.iter().copied().flat_map(sections);
        let needed = all.filter(|section| self.0.contains(section.name));
        needed.map(|section| section.text.trim_end().to_string() + "\n\n").collect()
    }

    pub(super) fn before(&self) -> String {
        self.text(BEFORE)
    }

    pub(super) fn part(&self) -> String {
        let part = sections(AFTER).into_iter().find(|section| section.name == "part");
        part.map_or_else(String::new, |section| section.text.trim_end().to_string() + "\n\n")
    }

    /// The sections after the generated code, without `part`.
    pub(super) fn after(&self) -> String {
        let all = sections(AFTER).into_iter();
        let needed = all.filter(|section| section.name != "part" && self.0.contains(section.name));
        needed.map(|section| section.text.trim_end().to_string() + "\n\n").collect()
    }
}

#[cfg(test)]
fn is_known(name: &str) -> bool {
    BEFORE.iter().copied().chain([AFTER]).flat_map(sections).any(|section| section.name == name)
}

#[cfg(test)]
mod tests {
    use marigraph_analysis::emit::Op;

    use super::*;

    #[test]
    fn what_is_needed_is_there() {
        for section in BEFORE.iter().copied().chain([AFTER]).flat_map(sections) {
            section.needs.iter().for_each(|name| assert!(is_known(name), "{name}"));
        }
        // MPI_Init begins every program.
        for op in Op::ALL.iter().filter(|op| op.is_replayable() && **op != Op::Init) {
            assert!(is_known(op.name()), "{op:?}");
        }
    }
}
