//! Smoothing by the discrete Meyer wavelet: removes the finest detail levels.

/// One half of the low-pass filter, from its middle outwards; the other half mirrors it (Meyer's
/// wavelet as an FIR filter of 62 taps, the first of which is zero).
const HALF: [f64; 31] = [
    0.744_585_592_318_806_3,
    0.444_593_002_757_577_24,
    -0.035_087_555_656_258_346,
    -0.132_845_200_436_229_38,
    0.030_655_091_960_824_263,
    0.063_739_024_322_801_6,
    -0.024_348_745_906_078_023,
    -0.032_130_793_990_211_76,
    0.017_423_434_103_729_693,
    0.015_270_015_130_934_803,
    -0.011_061_496_392_513_451,
    -0.006_387_718_318_497_156,
    0.006_045_814_097_323_304,
    0.002_202_534_100_911_002,
    -0.002_704_672_124_643_725,
    -0.000_601_150_234_351_609_2,
    6.554_305_930_575_149e-5,
    -1.631_269_973_455_280_7e-5,
    3.205_441_913_344_78e-6,
    7.367_572_885_903_746e-7,
    -1.489_549_216_497_156e-6,
    1.130_794_701_791_670_6e-6,
    -5.506_340_565_252_278e-7,
    1.178_300_449_766_393_4e-7,
    8.200_680_650_386_481e-8,
    -1.086_651_653_673_588_3e-7,
    6.066_975_741_351_135e-8,
    -1.079_881_953_962_195_8e-8,
    -1.111_944_952_595_278e-8,
    8.519_459_636_796_214e-9,
    -1.009_999_956_941_423e-12,
];
const TAPS: usize = 2 * HALF.len();
const MIDDLE: usize = TAPS / 2;

/// Returns a tap of the analysis filter; the synthesis filter is its reverse.
fn tap(at: usize) -> f64 {
    HALF.get(at.abs_diff(MIDDLE)).copied().unwrap_or(0.0)
}

/// Removes `levels` levels of detail, each twice as coarse as the one before.
pub fn smooth(signal: &[f64], levels: usize) -> Vec<f64> {
    let mut lengths = Vec::new();
    let mut rough = signal.to_vec();
    for _ in 0..levels {
        if rough.is_empty() {
            break;
        }
        lengths.push(rough.len());
        rough = halved(&rough);
    }
    for len in lengths.into_iter().rev() {
        rough = doubled(&rough);
        rough.truncate(len);
    }
    rough
}

/// Goes one level down; the signal is mirrored at its ends.
fn halved(signal: &[f64]) -> Vec<f64> {
    let len = signal.len() as i64;
    let mirrored = |at: i64| {
        let at = at.rem_euclid(2 * len);
        signal[if at < len { at } else { 2 * len - 1 - at } as usize]
    };
    let taps: Vec<f64> = (0..TAPS).map(tap).collect();
    let value = |k: usize| {
        let last = 2 * k as i64 + 1;
        let first = last - TAPS as i64 + 1;
        if first >= 0 && last < len {
            let part = &signal[first as usize..=last as usize];
            return part.iter().zip(taps.iter().rev()).map(|(value, weight)| value * weight).sum();
        }
        taps.iter().enumerate().map(|(at, weight)| weight * mirrored(last - at as i64)).sum()
    };
    (0..(signal.len() + TAPS - 1) / 2).map(value).collect()
}

/// Goes one level up, without details.
fn doubled(rough: &[f64]) -> Vec<f64> {
    let len = (2 * rough.len()).saturating_sub(TAPS - 2);
    let value = |n: usize| {
        // Every other tap meets a value.
        let first = n.div_ceil(2);
        let last = ((n + TAPS - 2) / 2).min(rough.len() - 1);
        (first..=last).map(|k| rough[k] * tap(TAPS - 1 - (n + TAPS - 2 - 2 * k))).sum()
    };
    (0..len).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_vary_stays() {
        // The published filter is truncated, so its taps do not sum to one exactly.
        for len in [1, 2, 7, 64, 501] {
            let flat = vec![3.0; len];
            let smoothed = smooth(&flat, 2);
            assert_eq!(smoothed.len(), len);
            assert!(smoothed.iter().all(|value| (value - 3.0).abs() < 0.03), "{len}: {smoothed:?}");
        }
    }

    #[test]
    fn quick_waves_go_and_slow_ones_stay() {
        let wave = |period: f64| -> Vec<f64> {
            (0..400).map(|at| (at as f64 / period * std::f64::consts::TAU).sin()).collect()
        };
        let largest =
            |signal: &[f64]| signal[50..350].iter().fold(0.0f64, |most, value| most.max(value.abs()));
        assert!(largest(&smooth(&wave(3.0), 2)) < 0.05);
        assert!(largest(&smooth(&wave(40.0), 2)) > 0.95);
    }
}
