//! The rank of this process, if a launcher started it.

use super::library::Family;

/// A process of a parallel program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    pub rank: u32,
    pub ranks: u32,
    /// Upper bound of the ranks on this machine.
    pub here: u32,
    /// The library of the launcher, if known.
    pub family: Option<Family>,
}

/// Variables of launchers: rank, ranks, ranks on this machine. A batch script also has Slurm's
/// rank, but not the number of a step's tasks.
const LAUNCHERS: &[([&str; 3], Option<Family>)] = &[
    (["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"], Some(Family::OpenMpi)),
    (["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"], None),
    (["PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"], Some(Family::Mpich)),
];

impl Launch {
    /// Reads the variables of launchers; `None` if this process was started alone.
    pub fn of(variable: &dyn Fn(&str) -> Option<String>) -> Option<Launch> {
        let number = |name: &str| variable(name)?.parse::<u32>().ok();
        LAUNCHERS.iter().find_map(|&([rank, ranks, here], family)| {
            let (rank, ranks) = (number(rank)?, number(ranks)?);
            let here = number(here).unwrap_or(ranks);
            (rank < ranks).then_some(Launch { rank, ranks, here, family })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Family, Launch};

    fn told(variables: &[(&str, &str)]) -> Option<Launch> {
        Launch::of(&|name| variables.iter().find(|known| known.0 == name).map(|known| known.1.to_string()))
    }

    #[test]
    fn launchers_tell_who_is_who() {
        let open = told(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4")]);
        let family = Some(Family::OpenMpi);
        assert_eq!(open, Some(Launch { rank: 2, ranks: 4, here: 4, family }));
        let mpich = told(&[("PMI_RANK", "0"), ("PMI_SIZE", "6"), ("MPI_LOCALNRANKS", "3")]);
        assert_eq!(mpich.map(|launch| (launch.ranks, launch.here)), Some((6, 3)));
        // A batch script is not a rank.
        assert_eq!(told(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8")]), None);
        assert!(told(&[("SLURM_PROCID", "7"), ("SLURM_STEP_NUM_TASKS", "8")]).is_some());
        assert_eq!(told(&[("PMI_RANK", "6"), ("PMI_SIZE", "6")]), None);
        assert_eq!(told(&[]), None);
    }
}
