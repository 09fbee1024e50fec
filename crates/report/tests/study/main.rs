//! The page and the text of a study: of a synthetic system, of an empty study, and with markup in
//! names.

#![allow(clippy::expect_used)] // a test may stop

mod system;

use marigraph_analysis::study::{Choice, MinuteSum, Study, System, study};
use marigraph_report::page::study_page;
use marigraph_report::study::{ITEMS, text};

const CHOICE: Choice = Choice { node_limit: Some(35.0), min_procs: 256, ..Choice::ALL };

fn whole() -> Study {
    study(&system::made_up(7, 3000), &CHOICE)
}

/// Escapes as the page does.
fn escaped(words: &str) -> String {
    words.replace('>', "&gt;").replace('\'', "&#39;")
}

fn count(page: &str, what: &str) -> usize {
    page.matches(what).count()
}

/// The section of the page about one item.
fn section<'p>(page: &'p str, name: &str) -> &'p str {
    let id = format!("<section id=\"{}\">", name.to_lowercase().replace(' ', "-"));
    let rest = page.split_once(&id).unwrap_or_else(|| panic!("no section {name}")).1;
    rest.split_once("</section>").expect("a section ends").0
}

/// Checks that numeric attributes are numbers and that every opened element is closed.
fn well_formed(page: &str) {
    let markup = page
        .split_once("<main>")
        .expect("a page has content")
        .1
        .split_once("<script>")
        .expect("and a script")
        .0;
    for word in ["NaN", "inf", "undefined"] {
        let bad =
            markup.match_indices(word).find(|(at, _)| markup[..*at].rfind('<') > markup[..*at].rfind('>'));
        assert_eq!(bad.map(|(at, _)| &markup[at.saturating_sub(80)..at + 10]), None, "{word} inside a tag");
    }
    for tag in ["svg", "g", "section", "figure", "table", "div", "title", "text", "rect", "path"] {
        let (opened, closed) = (
            count(markup, &format!("<{tag} ")) + count(markup, &format!("<{tag}>")),
            count(markup, &format!("</{tag}>")),
        );
        let alone = markup
            .split(&format!("<{tag} "))
            .skip(1)
            .filter(|rest| rest.split_once('>').is_some_and(|(tag, _)| tag.ends_with('/')))
            .count();
        assert_eq!(opened, closed + alone, "<{tag}>");
    }
}

#[test]
fn every_item_has_its_place() {
    let study = whole();
    let page = study_page(&study, &CHOICE);
    let kept = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("study.html");
    std::fs::write(kept, &page).expect("the page is kept to be looked at");
    well_formed(&page);
    for item in ITEMS {
        assert_eq!(count(&page, &format!("<h2>{}: {}</h2>", item.name, item.title)), 1, "{}", item.name);
        let part = section(&page, item.name);
        match item.missing(&study) {
            Some(why) => assert!(part.contains(&escaped(&why)), "{}: {part}", item.name),
            None => assert!(
                part.contains("<svg") || part.contains("<table") || part.contains("card"),
                "{}",
                item.name
            ),
        }
    }
    let missing: Vec<&str> =
        ITEMS.iter().filter(|item| item.missing(&study).is_some()).map(|item| item.name).collect();
    assert_eq!(missing, ["Fig 1", "Table I", "Fig 12"]);
    assert_eq!(count(&page, "role=\"img\""), count(&page, "<svg "));
    assert_eq!(count(&page, "role=\"img\" aria-label=\""), count(&page, "<svg "));
}

#[test]
fn nothing_at_all_says_what_would_help() {
    let nothing = study(&System::default(), &Choice::ALL);
    let page = study_page(&nothing, &Choice::ALL);
    well_formed(&page);
    assert_eq!(count(&page, "<svg "), 0, "nothing is drawn of nothing");
    for item in ITEMS {
        let why = item.missing(&nothing).unwrap_or_else(|| panic!("{} is there", item.name));
        let part = section(&page, item.name);
        assert!(part.contains("class=\"empty\"") && part.contains(&escaped(&why)), "{part}");
    }
    let words = text(&nothing, &Choice::ALL, 80);
    assert!(words.contains("Missing") && words.contains("Fig 2, Fig 3, Fig 4, Fig 5, Periods"), "{words}");
    assert!(!words.contains("Key figures"), "{words}");
}

/// Every name would run in a browser, or move a terminal's cursor.
fn hostile() -> System {
    const EVIL: &str = "<script>alert('x')</script>\"&\u{1b}[2J";
    let mut system = system::made_up(3, 600);
    system.batch.iter_mut().step_by(2).for_each(|job| job.project = EVIL.to_string());
    for run in &mut system.runs {
        run.exe = EVIL.to_string();
        run.labels = vec![EVIL.to_string()];
    }
    for finding in &mut system.findings {
        (finding.title, finding.severity, finding.code) = (EVIL.into(), EVIL.into(), EVIL.into());
    }
    for one in &mut system.signatures {
        (one.app, one.user) = (EVIL.into(), EVIL.into());
    }
    system.annotations.iter_mut().for_each(|one| one.text = EVIL.to_string());
    for snapshot in &mut system.snapshots {
        snapshot.roots = EVIL.to_string();
        let own = snapshot.project_sizes.remove("EarthScience").expect("it has files");
        snapshot.project_sizes.insert(EVIL.to_string(), own);
        snapshot.projects.insert(EVIL.to_string(), (1 << 40, 1 << 50));
    }
    system
}

#[test]
fn names_stay_names() {
    let choice = Choice { node_limit: Some(1.0), min_procs: 16, ..Choice::ALL };
    let study = study(&hostile(), &choice);
    let page = study_page(&study, &choice);
    well_formed(&page);
    assert!(count(&page, "&lt;script&gt;") > 20, "the name is in many places");
    // The only script is at the end and is ours.
    assert_eq!((count(&page, "<script"), count(&page, "</script>")), (1, 1));
    assert!(!page.contains('\u{1b}') && !text(&study, &choice, 100).contains('\u{1b}'));
}

/// Readings, times and sizes that make no sense.
#[test]
fn nonsense_is_drawn_somewhere() {
    let mut system = system::made_up(5, 300);
    system.minutes.truncate(50);
    system.minutes.push(MinuteSum { start_s: 4e18, observed_s: 0.0, read: 1e300, written: f64::NAN });
    for run in system.runs.iter_mut().step_by(3) {
        (run.processes, run.files) = (u64::MAX, u64::MAX);
        (run.bytes_read, run.runtime_s) = (u64::MAX, -1.0);
        (run.mib_per_s, run.times_s) = (Some(f64::INFINITY), [f64::NAN; 3]);
        run.access.read_sizes = [f64::INFINITY; 10];
        run.period_s = Some(f64::INFINITY);
    }
    system.signatures[0].step_s = 0.0;
    system.signatures[1].written = vec![f64::NAN; 5];
    system.snapshots[1].sizes.iter_mut().for_each(|bin| bin.high = u64::MAX);
    system.snapshots[0].taken_s = -1e18;
    let study = study(&system, &CHOICE);
    well_formed(&study_page(&study, &CHOICE));
    assert!(text(&study, &CHOICE, 80).contains("Key figures"));
}

#[test]
fn numbers_are_told_with_their_definitions() {
    let page = study_page(&whole(), &CHOICE);
    let has = |name: &str, words: &[&str]| {
        let part = section(&page, name);
        words.iter().for_each(|word| assert!(part.contains(word), "{name}: {word} is not in {part}"));
    };
    has(
        "Fig 2",
        &[
            "share of runs that use it",
            "share of bytes read",
            "share of bytes written",
            "MPI-IO",
            "257 – 1,024",
        ],
    );
    has("Fig 3", &["files of all processes", "files of one process"]);
    has("Fig 5", &[">N:N<", ">N:1<", "no file", "processes of the run"]);
    has("Fig 6", &["class=\"gap\"", "Bytes per day", "<ol class=\"flags\"><li>first light", "2026-01-13"]);
    has("Fig 7", &["33 % of the peak"]);
    has("Table III", &["5 % of the observed peak", "124,920 observed minutes", "61 and more"]);
    has("Fig 8", &["files except those of EarthScience", "below 1 MiB", "1 MiB"]);
    has("Table IV", &["1,000,000,000 on ", "files, total"]);
    has("Fig 9", &["By files", "By bytes", "64 days"]);
    has("Fig 10", &["≤100 B", "at least 256 processes and 500 MiB moved"]);
    has("Fig 11", &["type 7", "above the limit of 35 MiB/s"]);
    has("Comparison", &["▲", "▼", "idle share of observed time"]);
}

#[test]
fn the_text_fits_and_tells_most() {
    let words = text(&whole(), &CHOICE, 80);
    for part in [
        "Scope",
        "Key figures",
        "EarthScience",
        "observed minutes",
        "growth",
        "Many small writes",
        "Fig 12: ",
    ] {
        assert!(words.contains(part), "{part} is not in\n{words}");
    }
    assert!(words.lines().all(|line| line.chars().count() <= 80), "{words}");
}
