//! Every limit on what comes from outside, with its reason.

/// What the original took: intervals up to about 18 months, and a thousand of the small units.
pub mod interval_max {
    /// Minutes between two occurrences.
    pub const MINUTE: u16 = 1000;
    /// Hours between two occurrences.
    pub const HOUR: u16 = 1000;
    /// Days between two occurrences.
    pub const DAY: u16 = 548;
    /// Weeks between two occurrences.
    pub const WEEK: u16 = 78;
    /// Months between two occurrences.
    pub const MONTH: u16 = 18;
    /// Years between two occurrences; ours, since the original had no yearly jobs.
    pub const YEAR: u16 = 10;
}

/// The original counted in 32 bits and did odd things above.
pub const COUNT_MAX: u32 = i32::MAX as u32;

/// A cron expression that lists every value of every field by name and twice fits; no longer one is meant seriously.
pub const CRON_CHARS_MAX: usize = 1000;

/// A list in a schedule: every day of a month from both ends, and as many again by mistake.
pub const SCHEDULE_ITEMS_MAX: usize = 128;
