//! Applications drawn at random, by kind.

use super::application::{Application, Dip, Named, PAUSE, PLAIN, Shape, TAIL, application};
use crate::synth::random::Random;

/// What the bursts of an application look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Equal bursts at equal distances.
    Regular,
    /// Bursts of various sizes and rates at uneven distances.
    Irregular,
    /// 18 to 32 bursts of some seconds.
    Small,
    /// Few bursts of minutes at a low rate.
    Slow,
    /// Large and small bursts in turn.
    Levels,
    /// Most bytes in the first bursts, which also follow each other more closely.
    Front,
    /// Each burst like one of two of the other kinds.
    Mixture,
}

impl Kind {
    pub const ALL: [Kind; 7] =
        [Kind::Regular, Kind::Irregular, Kind::Small, Kind::Slow, Kind::Levels, Kind::Front, Kind::Mixture];

    pub const fn name(self) -> &'static str {
        match self {
            Kind::Regular => "regular",
            Kind::Irregular => "irregular",
            Kind::Small => "small",
            Kind::Slow => "slow",
            Kind::Levels => "levels",
            Kind::Front => "front",
            Kind::Mixture => "mixture",
        }
    }

    /// Draws an application; `number` keeps the names of a log apart.
    pub(super) fn draw(self, number: usize, random: &mut Random) -> Application {
        let phases = self.phases(random);
        let mut end = 0.0;
        let mut shapes = Vec::new();
        for phase in &phases {
            // The first wait is also the start of the program.
            let start = (end + phase.wait_s).round();
            end = start + phase.length_s / (1.0 - slowed(phase.dips)) + 1.0;
            let bytes = phase.rate * phase.length_s;
            shapes.push(Shape { start_s: start as usize, bytes, rate: phase.rate, dips: phase.dips });
        }
        let after_s = random.between(20.0, 120.0) as usize;
        let mut made = application(named(self, number, random), shapes, after_s, random);
        made.read = reads(made.write.len(), random);
        made
    }

    fn phases(self, random: &mut Random) -> Vec<Phase> {
        match self {
            Kind::Regular => regular(random),
            Kind::Irregular => irregular(random),
            Kind::Small => small(random),
            Kind::Slow => slow(random),
            Kind::Levels => levels(random),
            Kind::Front => front(random),
            Kind::Mixture => mixture(random),
        }
    }
}

/// A burst and the time before it.
#[derive(Debug, Clone, Copy)]
struct Phase {
    wait_s: f64,
    length_s: f64,
    /// Bytes per second.
    rate: f64,
    dips: &'static [Dip],
}

fn slowed(dips: &[Dip]) -> f64 {
    dips.iter().map(|(from, to, part)| (to - from) * (1.0 - part)).sum()
}

fn dips(random: &mut Random) -> &'static [Dip] {
    [PLAIN, PLAIN, PAUSE, TAIL][random.index(4)]
}

/// A number from `least` to `most`.
fn many(least: usize, most: usize, random: &mut Random) -> usize {
    least + random.index(most - least + 1)
}

fn regular(random: &mut Random) -> Vec<Phase> {
    let phase = Phase {
        wait_s: random.between_log(60.0, 400.0),
        length_s: random.between_log(8.0, 50.0),
        rate: random.between_log(1.0e9, 4.0e9),
        dips: dips(random),
    };
    vec![phase; many(4, 12, random)]
}

fn irregular(random: &mut Random) -> Vec<Phase> {
    let (wait_s, length_s) = (random.between_log(80.0, 250.0), random.between_log(10.0, 30.0));
    let rate = random.between_log(1.2e9, 3.5e9);
    let phase = |random: &mut Random| Phase {
        wait_s: (wait_s * random.lognormal(0.5)).clamp(30.0, 900.0),
        length_s: (length_s * random.lognormal(0.4)).clamp(5.0, 90.0),
        rate: rate * random.lognormal(0.25),
        dips: dips(random),
    };
    (0..many(5, 12, random)).map(|_| phase(random)).collect()
}

fn small(random: &mut Random) -> Vec<Phase> {
    let (wait_s, length_s) = (random.between_log(30.0, 90.0), random.between_log(3.0, 8.0));
    let (rate, uneven) = (random.between_log(1.2e9, 4.0e9), [0.0, 0.25][random.index(2)]);
    let phase = |random: &mut Random| Phase {
        wait_s: (wait_s * random.lognormal(uneven)).max(15.0),
        length_s: length_s * random.lognormal(0.5 * uneven),
        rate: rate * random.lognormal(0.1),
        dips: PLAIN,
    };
    (0..many(18, 32, random)).map(|_| phase(random)).collect()
}

fn slow(random: &mut Random) -> Vec<Phase> {
    let (wait_s, length_s) = (random.between_log(120.0, 500.0), random.between_log(60.0, 240.0));
    let rate = random.between_log(0.3e9, 1.2e9);
    let phase = |random: &mut Random| Phase {
        wait_s: wait_s * random.lognormal(0.2),
        length_s: length_s * random.lognormal(0.15),
        rate: rate * random.lognormal(0.1),
        dips: dips(random),
    };
    (0..many(2, 6, random)).map(|_| phase(random)).collect()
}

fn levels(random: &mut Random) -> Vec<Phase> {
    let large = Phase {
        wait_s: random.between_log(60.0, 240.0),
        length_s: random.between_log(12.0, 45.0),
        rate: random.between_log(1.5e9, 4.0e9),
        dips: dips(random),
    };
    // The small bursts are lower, or shorter, or both.
    let (lower, shorter) = [(0.2, 1.0), (1.0, 0.25), (0.45, 0.5)][random.index(3)];
    let less = Phase {
        length_s: (large.length_s * shorter).max(4.0),
        rate: large.rate * lower,
        dips: PLAIN,
        ..large
    };
    let every = many(2, 3, random);
    (0..many(6, 14, random)).map(|at| if at % every == 0 { large } else { less }).collect()
}

fn front(random: &mut Random) -> Vec<Phase> {
    let count = many(5, 10, random);
    let (wait_s, length_s) = (random.between_log(30.0, 90.0), random.between_log(25.0, 70.0));
    let (rate, less, apart) =
        (random.between_log(1.5e9, 4.0e9), random.between(0.6, 0.85), random.between(1.15, 1.6));
    let phase = |at: usize| Phase {
        wait_s: (wait_s * apart.powi(at as i32)).min(600.0),
        length_s: (length_s * less.powi(at as i32)).max(4.0),
        rate,
        dips: PLAIN,
    };
    (0..count).map(phase).collect()
}

fn mixture(random: &mut Random) -> Vec<Phase> {
    let of = |random: &mut Random| match random.index(5) {
        0 => regular(random),
        1 => irregular(random),
        2 => small(random),
        3 => levels(random),
        _ => front(random),
    };
    let two = [of(random), of(random)];
    let count = many(5, 16, random);
    (0..count)
        .map(|at| {
            let one = &two[random.index(2)];
            one[at % one.len()]
        })
        .collect()
}

/// Some applications read their input, and some read again later.
fn reads(seconds: usize, random: &mut Random) -> Vec<f64> {
    let mut read = Vec::new();
    let mut add = |from: f64, random: &mut Random| {
        let (length_s, rate) = (random.between_log(5.0, 60.0), random.between_log(0.3e9, 2.5e9));
        read.resize(read.len().max((from as usize).min(seconds)), 0.0);
        read.extend(vec![rate; length_s as usize]);
        read.truncate(seconds);
    };
    if random.chance(0.6) {
        add(random.between(0.0, 15.0), random);
    }
    if random.chance(0.3) {
        add(random.between(0.2, 0.9) * seconds as f64, random);
    }
    read
}

const PROGRAMS: [&str; 12] =
    ["amr", "qmc", "hydro", "plasma", "ocean", "md", "climate", "lattice", "wave", "turb", "seis", "comb"];
const ENDINGS: [&str; 4] = ["", ".x", ".exe", "_mpi"];

/// Numbers of users begin above those of the other jobs of a log.
const FIRST_USER: usize = 500;

fn named(kind: Kind, number: usize, random: &mut Random) -> Named {
    let word = PROGRAMS[random.index(PROGRAMS.len())];
    let job = format!("{word}{number}{}", ENDINGS[random.index(ENDINGS.len())]);
    let nodes = if random.chance(0.5) { 1 << random.index(11) } else { 1 + random.index(1500) as u64 };
    let user = format!("u{}", FIRST_USER + random.index(90));
    (format!("{}_{number}", kind.name()), job, user, nodes)
}
