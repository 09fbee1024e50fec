//! Tables that fit a terminal.

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// A text table. The last left-aligned column shrinks when the terminal is narrow.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(columns: &[(&str, Align)]) -> Table {
        let columns = columns.iter().map(|&(name, align)| (name.to_string(), align)).collect();
        Table { columns, rows: Vec::new() }
    }

    /// Missing cells are empty.
    pub fn row<I: IntoIterator<Item = String>>(&mut self, cells: I) {
        let mut row: Vec<String> = cells.into_iter().collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The text, no wider than `width` where possible.
    pub fn render(&self, width: usize) -> String {
        let mut widths: Vec<usize> = self.columns.iter().map(|(name, _)| name.chars().count()).collect();
        for row in &self.rows {
            for (cell, widest) in row.iter().zip(&mut widths) {
                *widest = (*widest).max(cell.chars().count());
            }
        }
        let total: usize = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
        let flexible = self.columns.iter().rposition(|(_, align)| *align == Align::Left);
        if let Some(at) = flexible.filter(|_| total > width) {
            widths[at] = widths[at].saturating_sub(total - width).max(12);
        }
        let mut out = String::new();
        let headings: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        for row in std::iter::once(&headings).chain(&self.rows) {
            out.push_str(self.line(row, &widths).trim_end());
            out.push('\n');
        }
        out
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cells = row.iter().zip(&self.columns).zip(widths).map(|((cell, (_, align)), &width)| {
            let cell = shorten(cell, width);
            let pad = " ".repeat(width.saturating_sub(cell.chars().count()));
            if *align == Align::Left { cell + &pad } else { pad + &cell }
        });
        cells.collect::<Vec<_>>().join("  ")
    }
}

/// Cuts out the middle of a long text: both ends of a path matter.
pub fn shorten(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width || width < 4 {
        return text.to_string();
    }
    let (head, tail) = ((width - 1) / 3, width - 1 - (width - 1) / 3);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_long_words_give_way() {
        let mut table = Table::new(&[("name", Align::Left), ("bytes", Align::Right)]);
        table.row(["/a/very/long/path/to/some/file.dat".to_string(), "12".to_string()]);
        table.row(["b".to_string(), "1234567".to_string()]);
        let text = table.render(30);
        assert_eq!(
            text,
            "name                     bytes\n/a/ver…/some/file.dat       12\nb                      1234567\n"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 30));
        assert_eq!(shorten("short", 30), "short");
        assert_eq!(shorten("abcdefghij", 7), "ab…ghij");
    }
}
