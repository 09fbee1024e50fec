//! Which crate may use which: the one declaration of the project's boundaries.
//!
//! A new line under `[dependencies]` is an architecture decision; it is made here and explained in
//! ARCHITECTURE.md. Dev-dependencies are free.

use serde_json::Value;

use crate::finding::Finding;

struct Allowed {
    package: &'static str,
    ours: &'static [&'static str],
    outside: &'static [&'static str],
}

const CRATES: &[Allowed] = &[
    Allowed { package: "marigraph-model", ours: &["marigraph-wire"], outside: &[] },
    Allowed { package: "marigraph-wire", ours: &[], outside: &[] },
    Allowed { package: "marigraph-recorder", ours: &["marigraph-wire"], outside: &["libc", "cc"] },
    Allowed {
        package: "marigraph-formats",
        ours: &["marigraph-model", "marigraph-wire"],
        outside: &["bzip2", "flate2", "jiff", "libdeflater", "memchr", "serde", "serde_json", "zstd"],
    },
    Allowed {
        package: "marigraph-analysis",
        ours: &["marigraph-model", "marigraph-wire"],
        outside: &["realfft"],
    },
    Allowed {
        package: "marigraph-store",
        ours: &["marigraph-model", "marigraph-analysis"],
        outside: &["arrow-array", "arrow-schema", "bytes", "parquet", "rusqlite", "serde_json", "twox-hash"],
    },
    Allowed {
        package: "marigraph-system",
        ours: &["marigraph-model", "marigraph-wire", "marigraph-analysis"],
        outside: &["libc"],
    },
    Allowed {
        package: "marigraph-report",
        ours: &["marigraph-model", "marigraph-analysis"],
        outside: &["flate2", "serde", "serde_json"],
    },
    Allowed { package: "marigraph-web", ours: &["marigraph-store", "marigraph-report"], outside: &[] },
    Allowed {
        package: "marigraph",
        // All but the recorder: a binary that links it gets its libc calls interposed.
        ours: &[
            "marigraph-model",
            "marigraph-wire",
            "marigraph-formats",
            "marigraph-analysis",
            "marigraph-store",
            "marigraph-system",
            "marigraph-report",
            "marigraph-web",
        ],
        outside: &[
            "clap",
            "clap_complete",
            "clap_mangen",
            "indicatif",
            "jiff",
            "memmap2",
            "terminal_size",
            "serde",
            "serde_json",
        ],
    },
    Allowed {
        package: "marigraph-bench",
        ours: &["marigraph-model", "marigraph-formats", "marigraph-analysis"],
        outside: &["flate2", "serde_json"],
    },
    Allowed { package: "xtask", ours: &[], outside: &["serde_json"] },
];

/// A workspace member as `cargo metadata` describes it.
#[derive(Clone, Debug)]
pub struct Package {
    pub name: String,
    /// Path from the project's root.
    pub manifest: String,
    /// Normal and build dependencies, by package name.
    pub dependencies: Vec<String>,
}

impl Package {
    /// Path from the project's root.
    pub fn folder(&self) -> &str {
        self.manifest.strip_suffix("/Cargo.toml").unwrap_or(".")
    }
}

/// The workspace members in the output of `cargo metadata --no-deps`, with paths relative to
/// `root`.
pub fn packages(metadata: &Value, root: &str) -> Option<Vec<Package>> {
    let package = |value: &Value| {
        let dependencies = value["dependencies"].as_array()?.iter();
        let dependencies = dependencies.filter(|one| one["kind"].as_str() != Some("dev"));
        let manifest = value["manifest_path"].as_str()?;
        Some(Package {
            name: value["name"].as_str()?.to_owned(),
            manifest: manifest.strip_prefix(root).unwrap_or(manifest).trim_start_matches('/').to_owned(),
            dependencies: dependencies
                .map(|one| one["name"].as_str().map(str::to_owned))
                .collect::<Option<_>>()?,
        })
    };
    metadata["packages"].as_array()?.iter().map(package).collect()
}

/// Checks the dependencies of one package; `manifest` is the text of its Cargo.toml, for line
/// numbers.
pub fn check(package: &Package, manifest: &str) -> Vec<Finding> {
    let place = |name: &str| manifest.lines().position(|line| names(line, name)).map_or(1, |line| line + 1);
    let Some(allowed) = CRATES.iter().find(|allowed| allowed.package == package.name) else {
        let what = format!("the crate {} has no declared boundaries", package.name);
        let todo = "declare it in xtask/src/arrows.rs and ARCHITECTURE.md";
        return vec![Finding::new(&package.manifest, place("name"), what, todo)];
    };
    let fault = |name: &String| {
        let ours = is_ours(name);
        let list = if ours { allowed.ours } else { allowed.outside };
        if list.contains(&name.as_str()) {
            return None;
        }
        let what = format!("{} must not depend on {name}", package.name);
        let todo = if ours {
            "move the code to the crate that may, or pass a value instead"
        } else {
            "do without, or declare it in xtask/src/arrows.rs and say why in ARCHITECTURE.md"
        };
        Some(Finding::new(&package.manifest, place(name), what, todo))
    };
    package.dependencies.iter().filter_map(fault).collect()
}

fn is_ours(name: &str) -> bool {
    name.starts_with("marigraph-") || CRATES.iter().any(|allowed| allowed.package == name)
}

/// Whether a line of a manifest sets the key `name` (`name = …` or `name.workspace = …`).
fn names(line: &str, name: &str) -> bool {
    line.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(name: &str, dependencies: &[&str]) -> Vec<String> {
        let package = Package {
            name: name.to_owned(),
            manifest: "crates/x/Cargo.toml".to_owned(),
            dependencies: dependencies.iter().map(|one| (*one).to_owned()).collect(),
        };
        let lines: Vec<String> = dependencies.iter().map(|one| format!("{one}.workspace = true")).collect();
        let manifest = format!("[package]\nname = \"x\"\n[dependencies]\n{}\n", lines.join("\n"));
        check(&package, &manifest).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn arrows_point_inward() {
        assert!(check_one("marigraph-formats", &["marigraph-model", "zstd"]).is_empty());
        assert!(check_one("marigraph", &["marigraph-report", "clap"]).is_empty());
        let found = check_one("marigraph-analysis", &["marigraph-model", "marigraph-formats"]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with(
            "crates/x/Cargo.toml:5: marigraph-analysis must not depend on marigraph-formats: move"
        ));
        assert_eq!(check_one("marigraph", &["marigraph-recorder"]).len(), 1);
        assert_eq!(check_one("xtask", &["marigraph-model"]).len(), 1);
    }

    #[test]
    fn outside_crates_are_declared() {
        let found = check_one("marigraph-model", &["serde"]);
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("declare it in xtask/src/arrows.rs"));
    }

    #[test]
    fn an_unknown_crate_is_a_violation() {
        let found = check_one("marigraph-extra", &[]);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/x/Cargo.toml:2: "));
        assert!(found[0].ends_with("declare it in xtask/src/arrows.rs and ARCHITECTURE.md"));
    }

    #[test]
    fn the_table_has_no_cycle() {
        // Repeatedly removing the crates without unresolved dependencies must leave none.
        let mut left: Vec<&Allowed> = CRATES.iter().collect();
        while !left.is_empty() {
            let waiting: Vec<&str> = left.iter().map(|one| one.package).collect();
            let before = left.len();
            left.retain(|one| one.ours.iter().any(|name| waiting.contains(name)));
            assert!(left.len() < before, "a cycle among {waiting:?}");
        }
    }

    #[test]
    fn metadata_is_read_without_dev_dependencies() {
        let metadata = serde_json::json!({ "packages": [{
            "name": "marigraph-model",
            "manifest_path": "/p/crates/model/Cargo.toml",
            "dependencies": [{ "name": "serde", "kind": null }, { "name": "proptest", "kind": "dev" },
                { "name": "cc", "kind": "build" }],
        }] });
        let packages = packages(&metadata, "/p").expect("well formed");
        assert_eq!(packages[0].folder(), "crates/model");
        assert_eq!(packages[0].dependencies, ["serde", "cc"]);
        assert!(super::packages(&serde_json::json!({}), "/p").is_none());
    }
}
