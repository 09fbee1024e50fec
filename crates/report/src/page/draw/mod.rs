//! Scales, axes, ticks, curves and figures that several pages share.
//!
//! | module | draws |
//! |---|---|
//! | [`svg`] | rectangles, text, stacked bars |
//! | [`frame`] | scales and axes across the width of a page |
//! | [`ticks`] | round values of axes: bytes, counts, shares, dates |
//! | [`plot`] | scales and axes anywhere on a picture, and the figure around them |
//! | [`columns`] | rates over time as areas, one column per point |
//! | [`panel`] | a picture with the values that the page's script shows under the pointer |

pub mod columns;
pub mod frame;
pub mod panel;
pub mod plot;
pub mod svg;
pub mod ticks;
