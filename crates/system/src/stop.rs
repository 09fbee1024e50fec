//! Ending in order what would go on for ever.

use crate::signals;

/// From now on the first signal that would end this program (interrupt, terminate, hang-up) makes
/// [`asked`] true instead; a second one ends it.
pub fn on_signals() {
    signals::note_stops(false);
}

/// The same for a process of many: launchers send a signal more than once, and end by other means what stays.
pub fn on_signals_of_launcher() {
    signals::note_stops(true);
}

/// Whether this program was asked to stop.
pub fn asked() -> bool {
    signals::stop_noted()
}
