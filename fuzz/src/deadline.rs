//! No input may take long, whoever wrote it.

use std::time::{Duration, Instant};

/// What one question may cost: somebody waits for the answer.
const QUESTION_MAX: Duration = Duration::from_millis(50);

/// The answer to `question`; panics if it takes longer than a question may.
///
/// On a busy machine a process can lose the processor for longer than that: what was too slow is asked twice again, and
/// only if it is never fast enough the input is to blame.
pub fn within_deadline<T>(what: &str, question: impl Fn() -> T) -> T {
    let timed = || {
        let start = Instant::now();
        let answer = question();
        (start.elapsed(), answer)
    };
    let (first, answer) = timed();
    if first > QUESTION_MAX {
        let fastest = first.min(timed().0).min(timed().0);
        assert!(fastest <= QUESTION_MAX, "{what} took {fastest:?}, at most {QUESTION_MAX:?} are allowed");
    }
    answer
}
