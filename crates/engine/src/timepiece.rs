//! Notices when the clock of the wall was set.

use punctual_model::time::{Clock, TICKS_PER_HOUR, TICKS_PER_SECOND, Timestamp};

/// Apart by more than this, the clock of the wall was set; less is how clocks drift and are corrected.
const JUMP_TICKS_MIN: i64 = TICKS_PER_SECOND;

/// After a jump forward by more than this nobody believes the clock at once: a wrong year would start everything.
const LEAP_TICKS_MIN: i64 = TICKS_PER_HOUR;

/// For so long it has to go on steadily before it is believed.
const STEADY_TICKS_MIN: i64 = 30 * TICKS_PER_SECOND;

/// What the clock showed when it was last looked at.
#[derive(Debug)]
pub(crate) struct Timepiece {
    wall: Timestamp,
    steady: i64,
    uptime: Option<i64>,
    /// Nothing starts before this reading of the steady clock.
    trusted_from: i64,
}

/// The clock of the wall was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jump {
    /// By so much, backwards if negative.
    pub(crate) ticks: i64,
    /// The machine slept, and the clock went on.
    pub(crate) was_suspended: bool,
}

impl Timepiece {
    pub(crate) fn new(clock: &dyn Clock) -> Self {
        Self { wall: clock.now(), steady: clock.steady(), uptime: clock.uptime(), trusted_from: i64::MIN }
    }

    /// Looks at the clock.
    pub(crate) fn look(&mut self, clock: &dyn Clock) -> Option<Jump> {
        let (wall, steady) = (clock.now(), clock.steady());
        let ticks = wall.since(self.wall) - (steady - self.steady);
        let jump = (ticks.abs() > JUMP_TICKS_MIN).then(|| {
            // The time since the machine was started goes on while it sleeps; the steady clock does not.
            let uptime = clock.uptime();
            let slept = uptime.zip(self.uptime).map_or(0, |(now, then)| (now - then) - (steady - self.steady));
            self.uptime = uptime;
            Jump { ticks, was_suspended: (ticks - slept).abs() <= 2 * JUMP_TICKS_MIN }
        });
        if jump.is_some_and(|jump| jump.ticks > LEAP_TICKS_MIN && !jump.was_suspended) {
            self.trusted_from = steady + STEADY_TICKS_MIN;
        }
        if jump.is_some() || self.uptime_is_old(steady) {
            self.uptime = clock.uptime();
            self.wall = wall;
            self.steady = steady;
        }
        jump
    }

    /// Whether the clock is believed.
    pub(crate) fn is_trusted(&self, clock: &dyn Clock) -> bool {
        clock.steady() >= self.trusted_from
    }

    /// Small corrections add up; they are forgotten now and then.
    fn uptime_is_old(&self, steady: i64) -> bool {
        steady - self.steady >= TICKS_PER_SECOND
    }
}
