//! What all parts of the benchmark work with.

use std::time::Duration;

use punctual_model::recurrence::Frequency;
use punctual_model::time::{TICKS_PER_SECOND, Timestamp};

use crate::clock;
use crate::goal::Goal;
use crate::receiver::{Arrivals, Receiver};
use crate::report::Report;
use crate::stock::Job;

/// A run: whom the jobs call, how many there are, and what came of it.
pub struct Bench {
    /// Whom the jobs call.
    pub receiver: Receiver,
    /// What came of it.
    pub report: Report,
    scale: f64,
}

/// How long lateness is measured.
const WINDOW: Duration = Duration::from_secs(20);
/// And in a run that only tries whether everything works.
const WINDOW_OF_TRIAL: Duration = Duration::from_secs(5);

/// Of the calls that were to come in a window, so many must: lateness is known only of those that did. The rest is for those
/// on its edges.
const ARRIVED_MIN: f64 = 0.99;

/// The least time there must be between the start of the server and the first call.
const LEAD_TICKS_MIN: i64 = 2 * TICKS_PER_SECOND;

impl Bench {
    /// `scale` is how many of the jobs there are: 1 is all of them, and what a goal is for.
    pub fn new(scale: f64) -> Self {
        Self { receiver: Receiver::start(), report: Report::default(), scale }
    }

    /// So many, or as many of them as this run has.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number that is not negative")]
    #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
    pub fn scaled(&self, count: usize) -> usize {
        ((count as f64 * self.scale).round() as usize).max(1)
    }

    /// How long lateness is measured.
    pub fn window(&self) -> Duration {
        if self.is_trial() { WINDOW_OF_TRIAL } else { WINDOW }
    }

    /// Whether this run only tries whether everything works.
    pub fn is_trial(&self) -> bool {
        self.scale < 1.0
    }

    /// Where jobs call that are answered.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/job", self.receiver.port)
    }

    /// Waits for a window to pass, and says what came in it.
    pub fn watch(&mut self) -> Arrivals {
        self.receiver.clear();
        std::thread::sleep(self.window());
        self.receiver.arrivals()
    }

    /// Notes how late calls were that were to come so often, and that they came at all.
    #[expect(clippy::cast_precision_loss, reason = "there are not so many")]
    pub fn note_lateness(&mut self, what: &str, arrivals: Arrivals, per_second: usize) {
        let due = per_second as f64 * self.window().as_secs_f64();
        let Arrivals { calls, early, p50_ms, p99_ms, worst_ms, .. } = arrivals;
        self.report.figure(format!("{what}: calls a second"), calls / self.window().as_secs_f64(), "");
        self.report.figure(format!("{what}: lateness p50"), p50_ms, "ms");
        self.report.figure(format!("{what}: lateness p99"), p99_ms, "ms");
        self.report.figure(format!("{what}: lateness, the worst"), worst_ms, "ms");
        self.report.goal(Goal::at_least(&format!("{what}: came, of those due"), ARRIVED_MIN, calls / due, ""));
        self.report.goal(Goal::at_most(&format!("{what}: came too early"), 0.0, early, ""));
    }
}

/// Jobs of which so many a second are due from then on, for ever: each runs once a minute.
pub fn paced(uri: String, from: Timestamp, per_second: usize) -> (usize, impl Fn(usize) -> Job) {
    let spacing = TICKS_PER_SECOND / i64::try_from(per_second).expect("a small number");
    let job = move |number: usize| Job {
        uri: uri.clone(),
        start: from.saturating_add(spacing * i64::try_from(number).expect("a small number")),
        every: Some((Frequency::Minute, 1)),
        timeout_seconds: None,
        body: None,
    };
    (60 * per_second, job)
}

/// Ends the program if the server was not ready in time: jobs that are due before it starts are another story.
pub fn check_lead(due: Timestamp) {
    let lead = due.since(clock::now());
    assert!(lead >= LEAD_TICKS_MIN, "filling took longer than the first jobs had led to expect; try again");
}
