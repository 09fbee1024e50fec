//! Finds the columns of a table of jobs.

use super::super::fields::{Quotes, split};

/// What a column holds. Alternative sources of the same information are separate columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    User,
    Name,
    Account,
    Partition,
    State,
    Cluster,
    Nodes,
    AllocatedNodes,
    RequestedNodes,
    Resources,
    Tasks,
    Processors,
    Submit,
    Start,
    End,
    Elapsed,
    Number,
}

/// Lowercase names of the columns, best first, in the order of [`Column`].
const NAMES: &[(Column, &[&str])] = &[
    (Column::Id, &["jobid", "job_id", "jobidraw", "id", "job", "jobnumber", "job_number"]),
    (Column::User, &["user", "username", "user_name", "owner", "uid", "user_id", "userid"]),
    (Column::Name, &["jobname", "job_name", "name", "application", "app", "executable", "exe", "command"]),
    (Column::Account, &["account", "project", "account_name", "project_name"]),
    (Column::Partition, &["partition", "queue", "queue_name"]),
    (Column::State, &["state", "status", "exit_status", "exit_state"]),
    (Column::Cluster, &["cluster", "cluster_name"]),
    (Column::Nodes, &["nnodes", "nodes", "num_nodes", "node_count", "nodes_used", "n_nodes", "nodect"]),
    (Column::AllocatedNodes, &["allocnodes", "nodes_allocated", "alloc_nodes"]),
    (Column::RequestedNodes, &["reqnodes", "nodes_requested", "req_nodes"]),
    (Column::Resources, &["alloctres", "alloc_tres"]),
    (Column::Tasks, &["ntasks", "tasks", "processes", "procs", "nprocs", "ranks"]),
    (Column::Processors, &["alloccpus", "ncpus", "cpus", "cores", "num_cores", "cores_used", "nproc"]),
    (Column::Submit, &["submit", "submit_time", "submittime", "submitted", "qtime", "queued_timestamp"]),
    (
        Column::Start,
        &["start", "start_time", "starttime", "started", "begin", "begin_time", "start_timestamp"],
    ),
    (Column::End, &["end", "end_time", "endtime", "ended", "finish", "finish_time", "stop", "end_timestamp"]),
    (
        Column::Elapsed,
        &["elapsedraw", "elapsed", "runtime", "run_time", "runtime_s", "walltime", "duration", "duration_s"],
    ),
    (Column::Number, &["jobidraw"]),
];

/// Columns whose text may contain the separator, most likely first.
const FREE: &[&str] = &[
    "jobname",
    "job_name",
    "name",
    "alloctres",
    "reqtres",
    "workdir",
    "submitline",
    "comment",
    "admincomment",
    "systemcomment",
    "nodelist",
];

#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub separator: Vec<u8>,
    pub quotes: Quotes,
    pub sacct: bool,
    places: Vec<Option<usize>>,
    pub free: Vec<usize>,
    pub count: usize,
}

impl Layout {
    pub fn heading(line: &str) -> Option<Layout> {
        let line = line.trim_start_matches(['#', ' ']);
        let separator = separator(line)?;
        let quotes = if matches!(separator, "," | ";" | "\t") { Quotes::Enclose } else { Quotes::Plain };
        let mut fields = Vec::new();
        split(line.as_bytes(), separator.as_bytes(), quotes, &mut fields);
        let typed: Vec<String> =
            fields.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let names: Vec<String> = typed.iter().map(|name| name.to_ascii_lowercase()).collect();
        let place =
            |known: &[&str]| known.iter().find_map(|known| names.iter().position(|name| name == known));
        let places: Vec<Option<usize>> = NAMES.iter().map(|(_, known)| place(known)).collect();
        let free = FREE.iter().filter_map(|known| names.iter().position(|name| name == known)).collect();
        let layout = Layout {
            separator: separator.as_bytes().to_vec(),
            quotes,
            sacct: typed.iter().any(|name| name == "JobID" || name == "JobIDRaw"),
            places,
            free,
            count: names.len(),
        };
        let known = layout.places.iter().flatten().count();
        (layout.has(Column::Id) && known >= 3).then_some(layout)
    }

    pub fn place(&self, column: Column) -> Option<usize> {
        self.places.get(column as usize).copied().flatten()
    }

    pub fn has(&self, column: Column) -> bool {
        self.place(column).is_some()
    }
}

pub(super) fn names_id(field: &str) -> bool {
    NAMES[0].1.iter().any(|name| field.eq_ignore_ascii_case(name))
}

fn separator(line: &str) -> Option<&str> {
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | ' ' | '/');
    let rest = &line[line.find(|c| !of_name(c))?..];
    let end = rest.find(of_name).unwrap_or(rest.len());
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_numbered_as_they_are_named() {
        assert!(NAMES.iter().enumerate().all(|(at, (column, _))| *column as usize == at));
    }

    #[test]
    fn separators_are_found_in_headings() {
        let cases = [
            ("JobID|User|Start|", "|"),
            ("JobID::User::Start", "::"),
            ("JobID^User^Start", "^"),
            ("jobid, user, start", ","),
            ("\"job id\";\"user\";\"start\"", ";"),
            ("jobid\tuser\tstart", "\t"),
        ];
        for (line, expected) in cases {
            assert_eq!(separator(line), Some(expected), "{line}");
        }
        assert_eq!(separator("JobID  User  Start"), None);
    }
}
