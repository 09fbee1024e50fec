//! Pictures of a page, and what the page tells of them under the pointer.

use serde_json::{Value, json};

use super::frame::{self, Scale};
use crate::page::html::{self, escape};

/// A picture, its height, and what a page tells of it under the pointer.
pub struct Panel {
    /// SVG without its frame.
    pub content: String,
    /// In points.
    pub height: f64,
    /// Nothing where marks tell by themselves.
    pub readout: Option<Readout>,
}

/// Values along a panel, for the page's script.
pub struct Readout {
    /// `rate`, `power` or `correlation`.
    pub kind: &'static str,
    /// The axis.
    pub across: Scale,
    /// At even distances along it.
    pub values: Vec<f64>,
}

impl Readout {
    /// Values in thousandths of the largest: a thousand steps are more than a picture has.
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

/// A panel as a figure of a page.
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
