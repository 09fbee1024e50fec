//! The descriptions that the reference tools print before a module's records.

use marigraph_model::Module;

/// Text of a module, in parts. A line `@always`, `@==N`, `@<=N` or `@>=N` selects the record
/// versions for which the following part is printed.
fn source(module: Module) -> &'static str {
    match module {
        Module::Posix => include_str!("descriptions/posix.txt"),
        Module::MpiIo => include_str!("descriptions/mpiio.txt"),
        Module::H5f => include_str!("descriptions/h5f.txt"),
        Module::H5d => include_str!("descriptions/h5d.txt"),
        Module::PnetcdfFile => include_str!("descriptions/pnetcdffile.txt"),
        Module::PnetcdfVar => include_str!("descriptions/pnetcdfvar.txt"),
        Module::Bgq => include_str!("descriptions/bgq.txt"),
        Module::Lustre => include_str!("descriptions/lustre.txt"),
        Module::Stdio => include_str!("descriptions/stdio.txt"),
        Module::Mdhim => include_str!("descriptions/mdhim.txt"),
        Module::Apmpi => include_str!("descriptions/apmpi.txt"),
        Module::Heatmap => include_str!("descriptions/heatmap.txt"),
        Module::Dfs => include_str!("descriptions/dfs.txt"),
        Module::Daos => include_str!("descriptions/daos.txt"),
        Module::Apxc | Module::DxtPosix | Module::DxtMpiio => "",
    }
}

pub fn describe(module: Module, version: u32, out: &mut Vec<u8>) {
    let mut print = false;
    for line in source(module).split_inclusive('\n') {
        match line.strip_prefix('@') {
            Some(condition) => print = holds(condition.trim_end(), version),
            None if print => out.extend_from_slice(line.as_bytes()),
            None => {}
        }
    }
}

fn holds(condition: &str, version: u32) -> bool {
    let Some((sign, number)) = condition.split_at_checked(2) else { return false };
    match (sign, number.parse::<u32>()) {
        ("==", Ok(number)) => version == number,
        ("<=", Ok(number)) => version <= number,
        (">=", Ok(number)) => version >= number,
        _ => condition == "always",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_depend_on_the_version() {
        let text = |version| {
            let mut out = Vec::new();
            describe(Module::Stdio, version, &mut out);
            String::from_utf8(out).expect("text")
        };
        assert!(text(1).contains("version 1 has the following limitations"));
        assert!(!text(1).contains("includes STDIO_FDOPENS"));
        assert!(text(2).contains("includes STDIO_FDOPENS"));
        assert!(!text(2).contains('@'));
    }
}
