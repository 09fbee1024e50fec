//! The large runs of the ten projects.

use marigraph_model::MIB;

use super::bulk::Sharing::{self, Collective, Partial, Shared, Unique};
use super::bulk::Stack;

/// Large runs of one program.
#[derive(Debug)]
pub struct Pattern {
    /// Share of the project's jobs with logs.
    pub jobs: f64,
    /// Processes, nodes and MiB/s per node, taken in turn.
    pub sizes: &'static [(u32, u32, f64)],
    /// Standard deviation of the logarithm of the speed.
    pub spread: f64,
    pub stack: Stack,
    pub sharing: Sharing,
    /// Share of the project's bytes.
    pub volume: f64,
    pub read: f64,
    /// Share of the I/O time.
    pub metadata: f64,
    /// Bytes of a read and of a write.
    pub access: [u64; 2],
    /// Shares of sequential and of aligned accesses.
    pub order: [f64; 2],
}

const KIB: u64 = 1 << 10;

/// One row per pattern. It begins with the share of jobs; the other fields carry their names.
macro_rules! patterns {
    ($($name:ident {$(
        $jobs:expr => $stack:ident, $sharing:expr;
        volume $volume:expr; read $read:expr; metadata $metadata:expr;
        access $access:expr; order $order:expr; spread $spread:expr;
        sizes $sizes:expr;
    )+})+) => {
        $(#[doc = concat!("Large runs of ", stringify!($name), ".")]
        pub const $name: &[Pattern] = &[$(Pattern {
            jobs: $jobs,
            sizes: &$sizes,
            spread: $spread,
            stack: Stack::$stack,
            sharing: $sharing,
            volume: $volume,
            read: $read,
            metadata: $metadata,
            access: $access,
            order: $order,
        }),+];)+
    };
}

patterns! {
    EARTH_SCIENCE {
        0.85 => Posix, Partial { ranks: 32, files: 12 }; volume 1.0; read 3.4 / 3.5; metadata 0.12;
            access [128 * KIB, 128 * KIB]; order [0.9, 0.6]; spread 0.5;
            sizes [(4096, 1024, 1.2), (2048, 512, 1.5), (8192, 2048, 0.8), (4096, 1024, 1.4)];
    }
    NUCLEAR_PHYSICS {
        809.0 / 1653.0 => Posix, Partial { ranks: 64, files: 8 }; volume 0.998; read 0.76; metadata 0.05;
            access [MIB, MIB]; order [0.97, 0.9]; spread 0.05;
            sizes [(4096, 1024, 4.0)];
        811.0 / 1653.0 => Posix, Unique { ranks: 1, files: 2 }; volume 0.002; read 1.0; metadata 0.03;
            access [256 * KIB, 256 * KIB]; order [1.0, 0.5]; spread 0.08;
            sizes [(2048, 512, 0.2), (4096, 1024, 0.19)];
    }
    ENERGY_1 {
        0.08 => MpiIo, Collective { files: 2, aggregators: 16 }; volume 0.4; read 0.4; metadata 0.2;
            access [4 * MIB, 16 * MIB]; order [0.8, 0.95]; spread 0.8;
            sizes [(4096, 1024, 1.0), (2048, 512, 0.7), (32_768, 8192, 0.2)];
        0.06 => Hdf5, Shared { files: 3 }; volume 0.25; read 0.3; metadata 0.3;
            access [512 * KIB, 2 * MIB]; order [0.7, 0.3]; spread 0.8;
            sizes [(2048, 512, 0.6), (4096, 1024, 0.4), (8192, 2048, 0.3)];
        0.06 => Posix, Unique { ranks: 32, files: 1 }; volume 0.25; read 0.8; metadata 0.1;
            access [4 * MIB, 4 * MIB]; order [1.0, 1.0]; spread 0.8;
            sizes [(2048, 512, 2.0), (8192, 2048, 1.1)];
        0.03 => Stdio, Unique { ranks: 16, files: 1 }; volume 0.05; read 0.5; metadata 0.02;
            access [4 * KIB, 4 * KIB]; order [1.0, 0.0]; spread 0.8;
            sizes [(1024, 512, 0.05)];
        0.02 => Hdf5File, Shared { files: 1 }; volume 0.05; read 0.3; metadata 0.4;
            access [64 * KIB, MIB]; order [0.6, 0.2]; spread 0.8;
            sizes [(1024, 512, 0.3), (4096, 1024, 0.2)];
    }
    CLIMATE {
        30.0 / 32.0 => Stdio, Unique { ranks: 32, files: 2 }; volume 1.0; read 0.55; metadata 0.82;
            access [64 * KIB, 64 * KIB]; order [1.0, 0.0]; spread 0.2;
            sizes [(4096, 2048, 0.3), (8192, 4096, 0.25)];
    }
    ENERGY_2 {
        58.0 / 384.0 => Posix, Shared { files: 1 }; volume 1.0; read 0.98; metadata 0.02;
            access [MIB, 8 * KIB]; order [0.9, 0.7]; spread 0.3;
            sizes [(2048, 512, 0.4), (4096, 1024, 0.35)];
    }
    TURBULENCE_1 {
        0.12 => Posix, Shared { files: 2 }; volume 0.5; read 0.8; metadata 0.28;
            access [74 * KIB, 4 * MIB]; order [0.9, 0.1]; spread 0.1;
            sizes [(8192, 2048, 2.92)];
        0.12 => MpiIo, Shared { files: 1 }; volume 0.2; read 0.5; metadata 0.02;
            access [4 * MIB, 20]; order [0.95, 0.02]; spread 0.1;
            sizes [(2048, 512, 1.12)];
        0.08 => Stdio, Unique { ranks: 32, files: 1 }; volume 0.1; read 0.55; metadata 0.06;
            access [16, 16]; order [1.0, 0.0]; spread 0.1;
            sizes [(1024, 512, 0.64)];
        0.08 => Posix, Unique { ranks: 32, files: 2 }; volume 0.1; read 0.6; metadata 0.41;
            access [MIB, 16]; order [0.9, 0.05]; spread 0.1;
            sizes [(4096, 1024, 0.38)];
        0.06 => Posix, Partial { ranks: 16, files: 4 }; volume 0.08; read 0.5; metadata 0.36;
            access [600, 600]; order [0.8, 0.01]; spread 0.1;
            sizes [(2048, 512, 0.11)];
        0.028 => Posix, Shared { files: 1 }; volume 0.02; read 1.0; metadata 0.01;
            access [4, 4]; order [0.5, 0.01]; spread 0.1;
            sizes [(32_768, 8192, 0.0009)];
    }
    COMBUSTION_PHYSICS {
        11.0 / 15.0 => Posix, Unique { ranks: 2048, files: 3 }; volume 1.0; read 0.3; metadata 0.6;
            access [MIB, 2 * MIB]; order [1.0, 0.2]; spread 0.0;
            sizes [(1024, 1024, 3.0), (1024, 1024, 3.0), (1024, 1024, 3.0), (2048, 2048, 1.3),
            (2048, 2048, 1.3), (2048, 2048, 1.3), (4096, 4096, 0.36), (4096, 4096, 0.36),
            (8192, 8192, 0.08), (16_384, 16_384, 0.03), (32_768, 32_768, 0.01)];
    }
    CHEMISTRY {
        1.0 / 28.0 => Stdio, Unique { ranks: 1024, files: 1 }; volume 0.9; read 10.0 / 11.35; metadata 0.01;
            access [4 * MIB, 4 * MIB]; order [1.0, 1.0]; spread 0.0;
            sizes [(2048, 512, 8.0)];
        25.0 / 28.0 => Stdio, Unique { ranks: 1, files: 4 }; volume 0.1; read 0.9; metadata 0.01;
            access [4 * MIB, 4 * MIB]; order [1.0, 1.0]; spread 0.2;
            sizes [(2048, 512, 0.2), (4096, 1024, 0.15), (1024, 512, 0.25)];
    }
    TURBULENCE_2 {
        40.0 / 70.0 => MpiIo, Shared { files: 2 }; volume 1.0; read 0.2; metadata 0.15;
            access [80, 32 * MIB]; order [0.6, 0.05]; spread 0.2;
            sizes [(2048, 512, 1.5), (131_072, 32_768, 0.005), (2304, 1024, 1.2), (2048, 512, 1.3),
            (65_536, 16_384, 0.02), (2304, 1024, 1.0), (2048, 512, 1.4), (2304, 1024, 0.9),
            (2048, 512, 1.1), (2048, 512, 1.6)];
    }
    TURBULENCE_3 {
        49.0 / 172.0 => MpiIo, Partial { ranks: 8, files: 2 }; volume 1.0; read 0.6; metadata 0.08;
            access [320 * KIB, 320 * KIB]; order [0.85, 0.1]; spread 0.4;
            sizes [(1024, 512, 0.3), (1600, 512, 0.5), (2048, 512, 0.2), (8192, 2048, 0.1)];
    }
}
