//! `[engine]` and `[history]`: how much runs at once, and how long is remembered what came of it.

use punctual_engine::{ConcurrencyLimits, Retention};
use punctual_model::time::TICKS_PER_DAY;

use super::reader::SettingsReader;

/// More connections than a machine has ports for.
const IN_FLIGHT_MAX: u32 = 60_000;
/// Ten years; longer than this somebody keeps it elsewhere.
const DAYS_MAX: u32 = 3660;
/// A terabyte, in megabytes; nobody reads more.
const MEGABYTES_MAX: u32 = 1 << 20;

/// How much runs at once.
pub(super) fn read_limits(reader: &SettingsReader<'_>) -> Option<ConcurrencyLimits> {
    let server = reader.number("engine.in_flight_max", 4..=IN_FLIGHT_MAX);
    let collection = reader.number("engine.in_flight_per_collection_max", 1..=IN_FLIGHT_MAX);
    let host = reader.number("engine.in_flight_per_host_max", 2..=IN_FLIGHT_MAX);
    Some(ConcurrencyLimits { server: server?, collection: collection?, host: host? })
}

/// How long history is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct History {
    days: u32,
    failures_days: u32,
    /// None: a part of the disk.
    megabytes_max: Option<u32>,
}

impl History {
    pub(super) fn read(reader: &SettingsReader<'_>) -> Option<Self> {
        let days = reader.number("history.days", 1..=DAYS_MAX);
        let failures_days = reader.number("history.failures_days", 0..=DAYS_MAX);
        if let (Some(days), Some(failures_days @ 1..)) = (days, failures_days)
            && failures_days < days
        {
            reader.refuse("history.failures_days", format!("0, or at least history.days, which is {days}"));
        }
        let megabytes_max = reader.number("history.megabytes_max", 0..=MEGABYTES_MAX);
        let megabytes_max = megabytes_max.map(|megabytes| Some(megabytes).filter(|megabytes| *megabytes > 0));
        Some(Self { days: days?, failures_days: failures_days?, megabytes_max: megabytes_max? })
    }

    /// What is kept on a disk of that size.
    pub(crate) fn retention(self, disk_bytes: Option<u64>) -> Retention {
        let set = self.megabytes_max.map(|megabytes| u64::from(megabytes) << 20);
        let bytes = set.or(disk_bytes.map(|bytes| bytes / 4)).unwrap_or(u64::MAX);
        let ticks = |days: u32| i64::from(days) * TICKS_PER_DAY;
        Retention { history_ticks: ticks(self.days), failure_ticks: ticks(self.failures_days), history_bytes: bytes }
    }
}
