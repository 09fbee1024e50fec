//! How reliable a trace extrapolated to another scale is: the result behind `extrapolate`.

use marigraph_analysis::extrapolate::{Counts, Detail, Impossible, Outcome, Verdict};
use marigraph_model::Problem;
use serde_json::{Value, json};

use crate::show::problems_json;

pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Exact => "EXACT",
        Verdict::Assumed => "ASSUMED",
        Verdict::Ambiguous => "AMBIGUOUS",
        Verdict::Refused => "REFUSED",
    }
}

pub fn json(outcome: &Outcome, ranks: u32, problems: &[Problem]) -> Value {
    let Counts { exact, assumed, ambiguous, refused } = outcome.counts;
    let detail = |detail: &Detail| {
        json!({
            "event": detail.event,
            "parameter": detail.parameter,
            "verdict": verdict_name(detail.verdict),
            "model": detail.model,
            "why": detail.why,
        })
    };
    json!({
        "ranks": ranks,
        "verdict": verdict_name(outcome.verdict()),
        "events": { "exact": exact, "assumed": assumed, "ambiguous": ambiguous, "refused": refused },
        "details": outcome.details.iter().map(detail).collect::<Vec<_>>(),
        "problems": problems_json(problems),
    })
}

const SHOWN: usize = 40;

/// Everything that is not exact, and the number of events of each verdict.
pub fn text(outcome: &Outcome, ranks: u32) -> String {
    let Counts { exact, assumed, ambiguous, refused } = outcome.counts;
    let mut text = String::new();
    let doubtful: Vec<&Detail> =
        outcome.details.iter().filter(|detail| detail.verdict > Verdict::Exact).collect();
    for detail in doubtful.iter().take(SHOWN) {
        let Detail { event, parameter, verdict, model, why } = detail;
        text += &format!("{} {event}: {parameter}: {model}: {why}\n", verdict_name(*verdict));
    }
    if doubtful.len() > SHOWN {
        text += &format!("and {} more, see --json\n", doubtful.len() - SHOWN);
    }
    let others = [(assumed, "assumed"), (ambiguous, "ambiguous"), (refused, "refused")];
    let others: String = others
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!(", {count} {word}"))
        .collect();
    text + &format!("{ranks} ranks: {exact} events exact{others}\n")
}

/// Why no trace can be made, and a remedy.
pub fn impossible(why: &Impossible) -> (String, &'static str) {
    match why {
        Impossible::TooFewSizes(count) => (
            format!("traces at {count} different numbers of ranks are too few to prove a model"),
            "record the program at 4 different numbers of ranks, such as 4, 6, 9 and 12",
        ),
        Impossible::TooLong(ranks) => (
            format!("the trace of {ranks} ranks is too irregular"),
            "record fewer iterations: one pass through each loop is enough",
        ),
        Impossible::Structure(ranks, members, what, other) => (
            format!(
                "at {ranks} ranks, {} make calls that no rank makes at {other} ranks: {what}",
                listed(members)
            ),
            "record the same program with the same input; `marigraph diff` and `show --tree` show the difference",
        ),
        Impossible::Ranks(what, sets) => {
            let set = |(ranks, set): &(u64, Vec<u32>)| format!("{} of {ranks}", listed(set));
            let sets: Vec<String> = sets.iter().map(set).collect();
            (
                format!("no rule says which ranks make the {what}: {}", sets.join("; ")),
                "try sizes that show the rule better, such as multiples of a group",
            )
        }
        Impossible::Contradicted(model, why) => (
            format!("the model {model} contradicts the traces: {why}"),
            "models are `parameter@call: expression` with rank, size and i",
        ),
        Impossible::Loops(what, why) => (
            format!("REFUSED: the count of the {what} fits no model: {why}"),
            "loop counts must depend only on the number of ranks",
        ),
    }
}

fn listed(ranks: &[u32]) -> String {
    const MOST: usize = 8;
    let shown: Vec<String> = ranks.iter().take(MOST).map(u32::to_string).collect();
    let word = if ranks.len() == 1 { "rank" } else { "ranks" };
    let more = if ranks.len() > MOST { ", ..." } else { "" };
    format!("{word} {}{more}", shown.join(", "))
}
