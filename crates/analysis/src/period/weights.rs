//! Written by bench/calibrate.py; docs/periods.md tells how. Do not edit.

use super::figures::FIGURES;

/// What a hypothesis scores whose figures are all nothing.
pub const CONSTANT: f64 = -6.15416;

/// What each figure adds, times itself.
#[rustfmt::skip]
pub const WEIGHTS: [f64; FIGURES] = [
    1.53317, // count
    -0.726421, // spread
    -2.2425, // robust_spread
    -1.30956, // volume_spread
    -0.687833, // log_volume_spread
    -1.04476, // parted
    -8.47895, // covered
    1.60189, // duty
    4.67638, // repeats
    -1.44585, // repeats_half
    -1.08421, // alternation
    0.618527, // length_spread
    4.54805, // idle_between
    -0.00444511, // volume_step
    6.10168, // agreement
    -1.11569, // steadier_coarser
    -0.64767, // much_steadier
    -0.293033, // steadier_finer
    -4.26532, // repeats_coarser
    0.560395, // rates
    6.74641, // volume
    0.140068, // ranks
    -0.185845, // repetition
    -3.09158, // fit_volume
    1.20167, // fit_ranks
];

/// Scores and the share of right answers at them, rising.
#[rustfmt::skip]
pub const CURVE: [(f64, f64); 24] = [
    (-9.6366, 0.0031),
    (-6.8963, 0.0031),
    (-2.9712, 0.2747),
    (-0.7678, 0.5401),
    (1.3142, 0.9516),
    (2.1495, 0.9516),
    (2.9290, 0.9516),
    (3.7077, 0.9907),
    (4.4701, 0.9923),
    (5.1474, 0.9923),
    (5.7873, 0.9923),
    (6.3320, 0.9923),
    (6.7750, 0.9969),
    (7.1548, 0.9969),
    (7.5661, 0.9969),
    (7.9248, 0.9969),
    (8.2061, 0.9969),
    (8.5466, 0.9969),
    (9.0374, 0.9969),
    (9.4446, 0.9969),
    (9.7644, 0.9969),
    (9.9849, 0.9969),
    (10.2228, 0.9969),
    (10.8871, 0.9969),
];
