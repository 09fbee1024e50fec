//! The ten projects of the study (Carns and others 2011), with their published values.
//!
//! Coverage is that of Table II. Process counts, sharing, shares of metadata and speeds follow
//! section V; what it leaves open (bytes of most projects, spread of speeds) is our choice.

use super::patterns::{self, Pattern};

pub const JOBS: f64 = 23_653.0;
/// Of these, jobs with logs.
pub const INSTRUMENTED: f64 = 6_480.0;
/// Millions of core-hours of all jobs, and of those with logs.
pub const CORE_HOURS: [f64; 2] = [175.0, 42.0];
/// All projects, and those with logs.
pub const PROJECTS: [usize; 2] = [66, 39];
/// Number of jobs at which bytes and core-hours equal the published ones.
pub const FULL: f64 = 20_000.0;

/// A project of the study.
#[derive(Debug)]
pub struct Published {
    pub name: &'static str,
    /// Jobs with logs, and all.
    pub jobs: [f64; 2],
    /// Millions of core-hours of jobs with logs, and of all.
    pub core_hours: [f64; 2],
    /// H(DF5), M(PI-IO), S(TDIO), P(OSIX).
    pub apis: &'static str,
    /// TiB that its large runs move.
    pub tib: f64,
    pub patterns: &'static [Pattern],
}

/// As published, most bytes first.
pub static HIGHLIGHTED: [Published; 10] = [
    Published {
        name: "EarthScience",
        jobs: [779.0, 1488.0],
        core_hours: [10.9, 11.8],
        apis: "SP",
        tib: 3584.0,
        patterns: patterns::EARTH_SCIENCE,
    },
    Published {
        name: "NuclearPhysics",
        jobs: [1653.0, 6159.0],
        core_hours: [11.3, 62.7],
        apis: "P",
        tib: 1250.0,
        patterns: patterns::NUCLEAR_PHYSICS,
    },
    Published {
        name: "Energy1",
        jobs: [994.0, 1340.0],
        core_hours: [3.7, 5.7],
        apis: "HMSP",
        tib: 120.0,
        patterns: patterns::ENERGY_1,
    },
    Published {
        name: "Climate",
        jobs: [32.0, 130.0],
        core_hours: [2.0, 3.3],
        apis: "S",
        tib: 40.0,
        patterns: patterns::CLIMATE,
    },
    Published {
        name: "Energy2",
        jobs: [384.0, 1433.0],
        core_hours: [3.9, 4.4],
        apis: "SP",
        tib: 12.0,
        patterns: patterns::ENERGY_2,
    },
    Published {
        name: "Turbulence1",
        jobs: [242.0, 467.0],
        core_hours: [2.6, 4.6],
        apis: "MSP",
        tib: 10.0,
        patterns: patterns::TURBULENCE_1,
    },
    Published {
        name: "CombustionPhysics",
        jobs: [15.0, 42.0],
        core_hours: [1.8, 2.4],
        apis: "SP",
        tib: 9.0,
        patterns: patterns::COMBUSTION_PHYSICS,
    },
    Published {
        name: "Chemistry",
        jobs: [28.0, 144.0],
        core_hours: [0.1, 0.6],
        apis: "S",
        tib: 8.0,
        patterns: patterns::CHEMISTRY,
    },
    Published {
        name: "Turbulence2",
        jobs: [70.0, 157.0],
        core_hours: [0.29, 0.31],
        apis: "MP",
        tib: 5.0,
        patterns: patterns::TURBULENCE_2,
    },
    Published {
        name: "Turbulence3",
        jobs: [172.0, 418.0],
        core_hours: [0.1, 13.3],
        apis: "MSP",
        tib: 2.0,
        patterns: patterns::TURBULENCE_3,
    },
];

/// Names of the other projects, up to four of each.
const FIELDS: [&str; 14] = [
    "Materials",
    "Biology",
    "Fusion",
    "Astrophysics",
    "Lattice",
    "Nanoscience",
    "Seismology",
    "Fluids",
    "Plasma",
    "Genomics",
    "Catalysis",
    "Accelerator",
    "Cosmology",
    "Reactor",
];

pub const OTHER_APIS: [&str; 6] = ["P", "SP", "S", "MP", "HMP", "NMSP"];

/// The highlighted projects come first.
pub fn name(number: usize) -> String {
    match HIGHLIGHTED.get(number) {
        Some(project) => project.name.to_string(),
        None => {
            let other = number - HIGHLIGHTED.len();
            format!("{}{}", FIELDS[other % FIELDS.len()], other / FIELDS.len() + 1)
        }
    }
}

pub fn apis(number: usize) -> &'static str {
    HIGHLIGHTED.get(number).map_or(OTHER_APIS[number % OTHER_APIS.len()], |project| project.apis)
}
