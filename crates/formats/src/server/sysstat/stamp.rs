//! Parses times as `iostat -t` prints them, which depends on the locale.
//!
//! Separators reveal most orders of day, month and year. For `03/04/26` the whole log decides, and
//! if that is inconclusive, what the locales that print so have in common.

use std::borrow::Cow;

use marigraph_model::{Civil, Problem, ProblemKind};

use super::super::moment::Clock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Printed {
    day: [i64; 3],
    of_day: i64,
    order: Order,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    YearFirst,
    DayFirst,
    MonthFirst,
    /// Day or month first; the day if nothing else decides.
    ProbablyDay,
    /// Day or month first; the month if nothing else decides.
    ProbablyMonth,
}

/// Whether a line is a time. The one after `Time:` in old versions has no date and does not count.
pub(super) fn is_stamp(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(|c: char| c.is_ascii_digit()) && (is_iso(line) || printed(line).is_some())
}

fn is_iso(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.get(4) == Some(&b'-') && bytes.get(7) == Some(&b'-')
}

/// The times of a log in their order, `None` where one is invalid, and a problem if the order of
/// their dates is doubtful.
pub(super) fn moments(stamps: &[Cow<'_, str>], clock: &mut Clock<'_>) -> (Vec<Option<f64>>, Option<Problem>) {
    let all: Vec<Option<Printed>> =
        stamps.iter().map(|stamp| if is_iso(stamp) { None } else { printed(stamp) }).collect();
    let doubtful = |order: Order| matches!(order, Order::ProbablyDay | Order::ProbablyMonth);
    let open = || all.iter().flatten().filter(|printed| doubtful(printed.order));
    let day_first = open().any(|printed| printed.day[0] > 12);
    let month_first = open().any(|printed| printed.day[1] > 12);
    let settle = |order: Order| match order {
        Order::ProbablyDay | Order::ProbablyMonth if day_first != month_first => {
            if day_first {
                Order::DayFirst
            } else {
                Order::MonthFirst
            }
        }
        Order::ProbablyDay => Order::DayFirst,
        Order::ProbablyMonth => Order::MonthFirst,
        settled => settled,
    };
    let moment = |(stamp, printed): (&Cow<'_, str>, &Option<Printed>)| match printed {
        Some(printed) => Some(clock.shown(seconds(printed.day, printed.of_day, settle(printed.order))?)),
        None => clock.read_all(stamp.trim().as_bytes()),
    };
    let moments = stamps.iter().zip(&all).map(moment).collect();
    let guessed = open().next().filter(|_| day_first == month_first);
    (moments, guessed.map(|printed| doubt(settle(printed.order))))
}

fn doubt(order: Order) -> Problem {
    let first = if order == Order::DayFirst { "day" } else { "month" };
    let message = format!(
        "dates may have the day or the month first; assumed: the {first}. S_TIME_FORMAT=ISO iostat avoids the ambiguity"
    );
    Problem::new(ProblemKind::BadText, message)
}

/// Seconds since 1970 by the calendar, without a zone.
fn seconds(numbers: [i64; 3], of_day: i64, order: Order) -> Option<i64> {
    let [year, month, day] = match order {
        Order::YearFirst => numbers,
        Order::DayFirst | Order::ProbablyDay => [numbers[2], numbers[1], numbers[0]],
        Order::MonthFirst | Order::ProbablyMonth => [numbers[2], numbers[0], numbers[1]],
    };
    let year = if year < 100 { year + 2000 } else { year };
    Some(Civil { year, month, day, ..Civil::from_seconds(0) }.seconds()? + of_day)
}

fn printed(text: &str) -> Option<Printed> {
    let numbers: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).collect();
    if !(5..=6).contains(&numbers.len()) || numbers.iter().any(|run| run.len() > 4) {
        return None;
    }
    let number = |at: usize| numbers.get(at).map_or(Some(0), |run| run.parse::<i64>().ok());
    let (mut hour, minute, second) = (number(3)?, number(4)?, number(5)?);
    let half = half_of_day(text);
    if let Some(afternoon) = half {
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    let fits = hour < 24 && minute < 60 && second <= 60;
    let order = order(text, numbers[0].len() == 4, numbers[2].len() == 4, half.is_some());
    let day = [number(0)?, number(1)?, number(2)?];
    fits.then_some(Printed { day, of_day: hour * 3600 + minute * 60 + second.min(59), order })
}

fn order(text: &str, year_first: bool, long_year: bool, halves: bool) -> Order {
    let between = text.trim_start_matches(|c: char| c.is_ascii_digit()).chars().next();
    match between {
        _ if year_first => Order::YearFirst,
        Some('/') if halves => Order::MonthFirst, // United States English
        Some('/') if long_year => Order::ProbablyDay, // most of Europe
        Some('/') => Order::ProbablyMonth,        // the C locale, which servers use; so does Britain
        _ => Order::DayFirst,
    }
}

/// Whether a 12-hour time is after noon; `None` for a 24-hour time.
fn half_of_day(text: &str) -> Option<bool> {
    let small = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| small.contains(word));
    if has(&["pm", "p.m", "下午", "午後", "오후"]) {
        return Some(true);
    }
    has(&["am", "a.m", "上午", "午前", "오전"]).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::super::super::zone::Zone;
    use super::*;

    fn read(stamps: &[&str]) -> (Vec<Option<f64>>, bool) {
        let stamps: Vec<Cow<'_, str>> = stamps.iter().map(|stamp| Cow::Borrowed(*stamp)).collect();
        let (moments, problem) = moments(&stamps, &mut Clock::new(&Zone::utc()));
        (moments, problem.is_some())
    }

    #[test]
    fn times_of_many_languages() {
        let expected = Some(1_794_841_318.0);
        let stamps = [
            "11/16/26 15:01:58",
            "11/16/2026 03:01:58 PM",
            "16.11.2026 15:01:58",
            "16/11/2026 15:01:58",
            "16/11/26 15:01:58",
            "16-11-26 15:01:58",
            "2026-11-16 15:01:58",
            "2026-11-16T15:01:58+0000",
            "2026-11-16T16:01:58+01:00",
            "2026年11月16日 15時01分58秒",
            "16.11.2026 15.01.58",
            "2026. 11. 16. 오후 03:01:58",
        ];
        for stamp in stamps {
            assert!(is_stamp(stamp), "{stamp}");
            assert_eq!(read(&[stamp]), (vec![expected], false), "{stamp}");
        }
        for line in
            ["", "vda 1.0 2.0", "55.08 13.20 6.59 0.17 0.19 24.78", "Time: 15:01:58", "25/12/26 25:00:00"]
        {
            assert!(!is_stamp(line), "{line}");
        }
    }

    #[test]
    fn the_order_of_days_is_told_by_all_or_by_custom() {
        let april = Some(1_775_260_800.0);
        assert_eq!(read(&["04/04/26 00:00:00", "13/04/26 00:00:00"]).0[0], april);
        assert_eq!(
            read(&["03/04/26 00:00:00", "13/04/26 00:00:00"]),
            (vec![Some(1_775_174_400.0), Some(1_776_038_400.0)], false)
        );
        assert_eq!(read(&["04/03/26 00:00:00"]), (vec![Some(1_775_174_400.0)], true));
        assert_eq!(read(&["03/04/2026 00:00:00"]), (vec![Some(1_775_174_400.0)], true));
        assert_eq!(read(&["04/03/2026 12:00:00 AM"]), (vec![Some(1_775_174_400.0)], false));
        assert_eq!(read(&["31/31/26 00:00:00"]).0, [None]);
    }
}
