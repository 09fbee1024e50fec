//! HTML building blocks.

/// Escapes text for element content and quoted attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters in file names would break the page or hide text.
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Makes JSON safe inside a script element.
pub fn script_json(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// A section with its heading; empty if the body is empty.
pub fn section(id: &str, title: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!("<section id=\"{id}\"><h2>{}</h2>\n{body}</section>\n", escape(title))
}

/// How a column's cells are formatted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableColumn {
    /// May wrap.
    Words(&'static str),
    /// Never wraps.
    Fixed(&'static str),
    Number(&'static str),
}

impl TableColumn {
    fn name(self) -> &'static str {
        match self {
            TableColumn::Words(name) | TableColumn::Fixed(name) | TableColumn::Number(name) => name,
        }
    }

    fn class(self) -> &'static str {
        match self {
            TableColumn::Words(_) => "",
            TableColumn::Fixed(_) => " class=\"fixed\"",
            TableColumn::Number(_) => " class=\"num\"",
        }
    }
}

/// One cell: the text, and the sort key where it differs.
pub type Cell = (String, Option<f64>);

pub fn table(columns: &[TableColumn], rows: &[Vec<String>]) -> String {
    let cells = |row: &Vec<String>| row.iter().map(|cell| (cell.clone(), None)).collect();
    sortable(columns, &rows.iter().map(cells).collect::<Vec<Vec<Cell>>>(), "plain")
}

/// A table of a class; the browser can sort those of class `sortable`.
pub fn sortable(columns: &[TableColumn], rows: &[Vec<Cell>], class: &str) -> String {
    let head: String = columns
        .iter()
        .map(|column| format!("<th{}>{}</th>", column.class(), escape(column.name())))
        .collect();
    let line = |row: &Vec<Cell>| {
        let cell = |((text, value), column): (&Cell, &TableColumn)| {
            let value = value.map_or(String::new(), |value| format!(" data-value=\"{value}\""));
            format!("<td{}{value}>{}</td>", column.class(), escape(text))
        };
        format!("<tr>{}</tr>\n", row.iter().zip(columns).map(cell).collect::<String>())
    };
    let body: String = rows.iter().map(line).collect();
    format!(
        "<div class=\"scroll\"><table class=\"{class}\"><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n"
    )
}

pub fn facts(pairs: &[(&str, String)]) -> String {
    let items: String = pairs
        .iter()
        .map(|(label, value)| {
            let wide = if value.chars().count() > 36 { " class=\"wide\"" } else { "" };
            format!("<div{wide}><dt>{}</dt><dd>{}</dd></div>", escape(label), escape(value))
        })
        .collect();
    format!("<dl class=\"facts\">{items}</dl>\n")
}

pub fn cards(pairs: &[(String, &str)]) -> String {
    let items: String = pairs
        .iter()
        .map(|(value, label)| {
            format!(
                "<div class=\"card\"><span class=\"big\">{}</span><span class=\"label\">{}</span></div>",
                escape(value),
                escape(label)
            )
        })
        .collect();
    format!("<div class=\"cards\">{items}</div>\n")
}

pub fn note(text: &str) -> String {
    format!("<p class=\"note\">{}</p>\n", escape(text))
}

pub fn absent(text: &str) -> String {
    format!("<p class=\"empty\">{}</p>\n", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_text() {
        assert_eq!(escape("<script>'\"&\u{1b}"), "&lt;script&gt;&#39;&quot;&amp;\u{fffd}");
        let value = serde_json::json!({ "a": "</script><b>" });
        assert!(!script_json(&value).contains('<'));
        assert_eq!(section("x", "X", ""), "");
    }
}
