//! Pictures of a page, with the values shown under the pointer.

use serde_json::{Value, json};

use super::frame::{self, Scale};
use crate::page::html::{self, escape};

/// A picture with the values shown under the pointer.
pub struct Panel {
    /// SVG without its frame.
    pub content: String,
    /// In points.
    pub height: f64,
    /// `None` where the marks have tooltips.
    pub readout: Option<Readout>,
}

/// Values along a panel, for the page's script.
pub struct Readout {
    /// `rate`, `power` or `correlation`.
    pub kind: &'static str,
    pub across: Scale,
    /// Evenly spaced along `across`.
    pub values: Vec<f64>,
}

impl Readout {
    /// Values are rounded to thousandths of the largest, finer than a picture can show.
    fn json(&self) -> Value {
        let top = self.values.iter().fold(0.0, |top: f64, value| top.max(value.abs()));
        let unit = if top > 0.0 { top / 1000.0 } else { 1.0 };
        let values: Vec<i64> = self.values.iter().map(|value| (value / unit).round() as i64).collect();
        json!({
            "kind": self.kind,
            "along": self.across.values(),
            "places": self.across.places(),
            "powers": self.across.is_logarithmic(),
            "unit": unit,
            "values": values,
        })
    }
}

pub fn figure(name: &str, panel: &Panel) -> String {
    let (mark, data) = panel.readout.as_ref().map_or_else(Default::default, |readout| {
        let data = html::script_json(&readout.json());
        (" data-readout", format!("<script type=\"application/json\">{data}</script>"))
    });
    format!(
        "<figure class=\"chart wide\"{mark}><svg viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-label=\"{}\">{}</svg>\
         {data}</figure>\n",
        frame::WIDTH,
        panel.height,
        escape(name),
        panel.content,
    )
}
