//! Contestants that take turns.
//!
//! Whatever disturbs the machine then disturbs all of them alike. The fastest round of each counts: the code does the
//! same work every time, so that everything above the fastest round is somebody else's work.

use std::time::{Duration, Instant};

/// Contestants and how long they run.
pub struct Rounds<'a> {
    contestants: Vec<Contestant<'a>>,
}

/// Nanoseconds for one call.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Nanoseconds {
    /// In the fastest round.
    pub best: f64,
    /// In the round in the middle.
    pub median: f64,
}

struct Contestant<'a> {
    /// Does the work once, which is `calls` calls of what is measured.
    work: Box<dyn FnMut() + 'a>,
    calls: usize,
    repeats: u32,
    per_call_ns: Vec<f64>,
}

/// Enough for the fastest round of a busy machine to be an undisturbed one.
const ROUNDS: usize = 25;
/// So long that reading the clock costs nothing, so short that most rounds see no switch to another process.
const ROUND: Duration = Duration::from_micros(400);

impl<'a> Rounds<'a> {
    /// Without contestants.
    pub fn new() -> Self {
        Self { contestants: Vec::new() }
    }

    /// Adds one whose `work` is `calls` calls of what is measured.
    pub fn add(&mut self, calls: usize, work: impl FnMut() + 'a) {
        self.contestants.push(Contestant { work: Box::new(work), calls, repeats: 1, per_call_ns: Vec::new() });
    }

    /// Lets them take turns; the answers stand in the order in which they were added.
    pub fn run(mut self) -> Vec<Nanoseconds> {
        for contestant in &mut self.contestants {
            contestant.warm_up();
        }
        for _ in 0..ROUNDS {
            for contestant in &mut self.contestants {
                contestant.take_turn();
            }
        }
        self.contestants.into_iter().map(Contestant::result).collect()
    }
}

impl Default for Rounds<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl Contestant<'_> {
    /// Finds how many repeats fill a round.
    fn warm_up(&mut self) {
        while self.timed() < ROUND && self.repeats < 1 << 30 {
            self.repeats *= 2;
        }
    }

    fn take_turn(&mut self) {
        let elapsed = self.timed();
        #[expect(clippy::cast_precision_loss, reason = "counts of calls are far below 2^53")]
        let calls = self.calls as f64 * f64::from(self.repeats);
        self.per_call_ns.push(elapsed.as_secs_f64() * 1e9 / calls);
    }

    fn timed(&mut self) -> Duration {
        let start = Instant::now();
        for _ in 0..self.repeats {
            (self.work)();
        }
        start.elapsed()
    }

    fn result(mut self) -> Nanoseconds {
        self.per_call_ns.sort_by(f64::total_cmp);
        Nanoseconds { best: self.per_call_ns[0], median: self.per_call_ns[self.per_call_ns.len() / 2] }
    }
}
