//! Outliers among points of a plane, and peaks of a curve, as scikit-learn and SciPy define them:
//! `tests/interop/test_outliers.py` holds each module against its peer.
//!
//! | who is unlike the others? | module |
//! |---|---|
//! | who has sparser surroundings than its neighbours? | [`lof`] |
//! | who has no neighbour at all? | [`dbscan`] |
//! | who is soon alone when the plane is cut at random? | [`forest`] |
//! | where has a curve a local maximum? | [`peaks`] |

pub mod dbscan;
pub mod forest;
pub mod lof;
mod near;
pub mod peaks;
