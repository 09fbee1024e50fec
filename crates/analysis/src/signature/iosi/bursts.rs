//! Finds the bursts in one sample.

/// A burst of a sample, from one trough to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    pub from: usize,
    /// First point after it.
    pub to: usize,
    /// Highest point after smoothing.
    pub crest: usize,
}

/// Finds the bursts of a smoothed sample; their crests reach the mean height of all crests.
pub fn isolate(smoothed: &[f64]) -> Vec<Burst> {
    let height = |at: usize| smoothed[at].max(0.0);
    let turns = |up: bool| -> Vec<usize> {
        let rises = |at: usize| (height(at) - height(at - 1)) * if up { 1.0 } else { -1.0 };
        (1..smoothed.len().saturating_sub(1)).filter(|&at| rises(at) > 0.0 && rises(at + 1) <= 0.0).collect()
    };
    let crests = turns(true);
    if crests.is_empty() {
        return Vec::new();
    }
    let threshold = crests.iter().map(|&at| height(at)).sum::<f64>() / crests.len() as f64;
    let mut borders = vec![0];
    borders.extend(turns(false).into_iter().filter(|&at| height(at) < threshold));
    borders.push(smoothed.len());
    let highest = |from: usize, to: usize| {
        (from..to)
            .max_by(|&one, &other| height(one).total_cmp(&height(other)).then(other.cmp(&one)))
            .unwrap_or(from)
    };
    borders
        .windows(2)
        .map(|pair| Burst { from: pair[0], to: pair[1], crest: highest(pair[0], pair[1]) })
        .filter(|burst| {
            burst.to > burst.from && height(burst.crest) >= threshold && height(burst.crest) > 0.0
        })
        .collect()
}

/// A frame that aligns the bursts of all samples by their crests: points before the crest, and from
/// the crest on.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    left: usize,
    right: usize,
}

impl Stack {
    pub fn of<'a>(bursts: impl Iterator<Item = &'a Burst>) -> Stack {
        let mut stack = Stack { left: 0, right: 0 };
        for burst in bursts {
            stack.left = stack.left.max(burst.crest - burst.from);
            stack.right = stack.right.max(burst.to - burst.crest);
        }
        stack
    }

    pub fn left(&self) -> usize {
        self.left
    }

    /// Places a burst in the frame, with zeros around it.
    pub fn lay(&self, sample: &[f64], burst: &Burst) -> Vec<f64> {
        let mut laid = vec![0.0; self.left + self.right];
        let first = self.left - (burst.crest - burst.from);
        let part = &sample[burst.from..burst.to];
        laid[first..first + part.len()].copy_from_slice(part);
        laid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ripples_are_no_bursts() {
        let mut smoothed = vec![0.1, 0.2, 0.1, 0.2, 0.1];
        smoothed.extend([1.0, 3.0, 4.0, 3.0, 1.0, 0.2, 0.1, 0.3, 0.1, 2.0, 3.5, 2.0, 0.1]);
        let crests: Vec<usize> = isolate(&smoothed).iter().map(|burst| burst.crest).collect();
        assert_eq!(crests, [7, 15]);
        assert!(isolate(&[]).is_empty() && isolate(&[1.0; 9]).is_empty());
    }
}
