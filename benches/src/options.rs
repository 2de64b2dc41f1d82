//! What a benchmark is told on its command line.

/// The options every benchmark takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether a missed goal is a failure.
    pub check: bool,
    /// How the numbers are printed.
    pub output: Output,
}

/// How the numbers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// For a person.
    Table,
    /// For a program.
    Json,
}

impl Options {
    /// The options this program was started with; a wrong one ends it with status 2.
    pub fn of_program() -> Self {
        Self::of_arguments(std::env::args().skip(1))
    }

    /// The options among these arguments, from which a benchmark has taken its own; a wrong one ends the program with
    /// status 2.
    pub fn of_arguments(arguments: impl Iterator<Item = String>) -> Self {
        Self::parse(arguments).unwrap_or_else(|wrong| {
            eprintln!("{wrong}; known are --check and --output json|table");
            std::process::exit(2)
        })
    }

    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { check: false, output: Output::Table };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // Cargo adds it to what it calls a benchmark.
                "--bench" => {}
                "--check" => options.check = true,
                "--output" => {
                    options.output = match arguments.next().as_deref() {
                        Some("json") => Output::Json,
                        Some("table") => Output::Table,
                        other => return Err(format!("--output {}", other.unwrap_or("without a value"))),
                    }
                }
                other => return Err(format!("unknown option {other}")),
            }
        }
        Ok(options)
    }
}
