//! What a benchmark of several parts is told beyond the options of all.

/// Which parts are measured, with how many jobs.
pub struct Selection<P> {
    only: Vec<P>,
    /// By how much the numbers of jobs are multiplied.
    pub scale: f64,
}

impl<P: Copy + PartialEq> Selection<P> {
    /// Takes its own options out of the arguments, and gives back the others. A wrong one ends the program with status 2.
    pub fn take(parts: &[(&str, P)], mut arguments: impl Iterator<Item = String>) -> (Self, Vec<String>) {
        let (mut selection, mut rest) = (Self { only: Vec::new(), scale: 1.0 }, Vec::new());
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--only" => selection.only.push(part(parts, &arguments.next().unwrap_or_default())),
                "--scale" => selection.scale = scale(&arguments.next().unwrap_or_default()),
                _ => rest.push(argument),
            }
        }
        (selection, rest)
    }

    /// Whether a part was named, or none was.
    pub fn has(&self, part: P) -> bool {
        self.only.is_empty() || self.names(part)
    }

    /// Whether a part was named.
    pub fn names(&self, part: P) -> bool {
        self.only.contains(&part)
    }
}

fn part<P: Copy>(parts: &[(&str, P)], name: &str) -> P {
    let Some((_, part)) = parts.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
        refuse(&format!("--only {name}; the parts are {}", names.join(", ")))
    };
    *part
}

fn scale(text: &str) -> f64 {
    let scale = text.parse().ok().filter(|scale| (0.001..=10.0).contains(scale));
    scale.unwrap_or_else(|| refuse(&format!("--scale {text}; expected a number from 0.001 to 10")))
}

fn refuse(wrong: &str) -> ! {
    eprintln!("{wrong}");
    std::process::exit(2)
}
