//! What the source may have sent without a record of it: the copy marks it, as a takeover does.

use super::tables::WORK;
use super::value::{Row, Value};

/// Up to which wake time something may have been sent; nothing where there is none. A process that was killed leaves this behind, and one
/// that has ended does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SentUntil {
    /// Of jobs of users.
    jobs: Option<i64>,
    /// Of the server's own jobs, which deliver messages and go on in a pause. Their lanes are negative.
    server: Option<i64>,
}

impl SentUntil {
    /// From the watermark of each process, and what it was when the server was paused.
    pub(crate) fn of(watermarks: impl IntoIterator<Item = (i64, Option<i64>)>, is_paused: bool) -> Self {
        watermarks.into_iter().fold(Self::default(), |all, (watermark, at_pause)| {
            let of_jobs = if is_paused { at_pause.map(|at_pause| at_pause.min(watermark)) } else { Some(watermark) };
            Self { jobs: all.jobs.max(of_jobs), server: all.server.max(Some(watermark)) }
        })
    }

    /// Marks a row of work that may have been sent, so that it is sent again with the mark. Nobody has read the row in the copy yet, so
    /// that its revision stays.
    pub(super) fn mark(self, row: &mut Row) {
        let place = |column| WORK.place_of(column).expect("a column of the table of work");
        let (Value::Integer(wake_at), Value::Integer(lane)) = (&row[place("wake_at")], &row[place("lane")]) else {
            return;
        };
        let until = if *lane < 0 { self.server } else { self.jobs };
        if until.is_none_or(|until| *wake_at > until) {
            return;
        }
        if let Value::Integer(resends) = &mut row[place("resends")] {
            *resends = (*resends).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SentUntil, Value, WORK};

    /// How often a row was sent again that wakes at an instant, in a lane, and was sent again that often before.
    fn resends(sent: SentUntil, wake_at: Option<i64>, lane: i64, before: i64) -> i64 {
        let mut row: Vec<Value> = vec![Value::Null; WORK.columns.len()];
        row[WORK.place_of("wake_at").unwrap()] = wake_at.map_or(Value::Null, Value::Integer);
        row[WORK.place_of("lane").unwrap()] = Value::Integer(lane);
        row[WORK.place_of("resends").unwrap()] = Value::Integer(before);
        sent.mark(&mut row);
        let Value::Integer(resends) = row[WORK.place_of("resends").unwrap()] else { unreachable!() };
        resends
    }

    #[test]
    fn what_may_have_been_sent_is_marked() {
        let sent = SentUntil::of([(50, None), (100, None)], false);
        let marked = [(Some(100), 0), (Some(101), 0), (None, 0), (Some(7), 3)].map(|it| resends(sent, it.0, 1, it.1));
        assert_eq!(marked, [1, 0, 0, 3]);
        assert_eq!(resends(SentUntil::of([], false), Some(i64::MIN), 1, 0), 0);
    }

    #[test]
    fn in_a_pause_it_is_what_was_sent_before_and_what_the_server_sends() {
        let sent = SentUntil::of([(100, Some(40))], true);
        assert_eq!([40, 41, 100].map(|wake_at| resends(sent, Some(wake_at), 1, 0)), [1, 0, 0]);
        assert_eq!([40, 100, 101].map(|wake_at| resends(sent, Some(wake_at), -1, 0)), [1, 1, 0]);
        let sent = SentUntil::of([(100, None)], true);
        assert_eq!((resends(sent, Some(1), 1, 0), resends(sent, Some(1), -1, 0)), (0, 1));
    }
}
