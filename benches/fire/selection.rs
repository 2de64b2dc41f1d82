//! What this benchmark is told beyond the options of all.

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
    const ALL: [(&'static str, Self); 11] = [
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

/// What is measured.
pub(crate) struct Selection {
    only: Vec<Part>,
    /// By how much the numbers of jobs are multiplied.
    pub(crate) scale: f64,
}

impl Selection {
    /// Takes its own options out of the arguments, and gives back the others. A wrong one ends the program with status 2.
    pub(crate) fn take(mut arguments: impl Iterator<Item = String>) -> (Self, Vec<String>) {
        let (mut selection, mut rest) = (Self { only: Vec::new(), scale: 1.0 }, Vec::new());
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--only" => selection.only.push(part(&arguments.next().unwrap_or_default())),
                "--scale" => selection.scale = scale(&arguments.next().unwrap_or_default()),
                _ => rest.push(argument),
            }
        }
        (selection, rest)
    }

    pub(crate) fn has(&self, part: Part) -> bool {
        (self.only.is_empty() && part != Part::Refusal) || self.only.contains(&part)
    }
}

fn part(name: &str) -> Part {
    let known = Part::ALL.into_iter().find(|(known, _)| *known == name);
    let Some((_, part)) = known else {
        let names = Part::ALL.map(|(name, _)| name).join(", ");
        refuse(&format!("--only {name}; the parts are {names}"))
    };
    part
}

fn scale(text: &str) -> f64 {
    let scale = text.parse().ok().filter(|scale| (0.001..=10.0).contains(scale));
    scale.unwrap_or_else(|| refuse(&format!("--scale {text}; expected a number from 0.001 to 10")))
}

fn refuse(wrong: &str) -> ! {
    eprintln!("{wrong}");
    std::process::exit(2)
}
