//! The parts of this benchmark.

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Ceiling,
    Stampede,
    Random,
    Once,
    Steady,
    Rest,
    Million,
    Tls,
    Isolation,
    /// One case of the isolation, by itself.
    Refusal,
    Telemetry,
}

impl Part {
    pub(crate) const ALL: [(&'static str, Self); 11] = [
        ("ceiling", Self::Ceiling),
        ("stampede", Self::Stampede),
        ("random", Self::Random),
        ("once", Self::Once),
        ("steady", Self::Steady),
        ("rest", Self::Rest),
        ("million", Self::Million),
        ("tls", Self::Tls),
        ("isolation", Self::Isolation),
        ("refusal", Self::Refusal),
        ("telemetry", Self::Telemetry),
    ];
}
