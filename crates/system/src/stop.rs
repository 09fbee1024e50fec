//! Orderly end of a program that would run forever.

use crate::signals;

/// From now on the first signal that would end this program (interrupt, terminate, hang-up) makes
/// [`asked`] true instead; a second one ends it.
pub fn on_signals() {
    signals::note_stops(false);
}

/// The same under a launcher, which sends a signal more than once and kills what remains.
pub fn on_signals_of_launcher() {
    signals::note_stops(true);
}

pub fn asked() -> bool {
    signals::stop_noted()
}
