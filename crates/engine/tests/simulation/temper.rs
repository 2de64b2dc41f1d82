//! How wild the life of a seed is, and how little the engine may do at once in it.

use punctual_engine::{ConcurrencyLimits, Settings, WindowLimits};

use punctual_model::time::TICKS_PER_SECOND;

use crate::definitions::Style;
use crate::dice::Dice;

/// How often something happens in a thousand steps, or once in how many times.
pub(crate) struct Temper {
    pub(crate) requests: i64,
    pub(crate) crashes: i64,
    pub(crate) restarts: i64,
    pub(crate) clocks: i64,
    /// Rows and definitions become unreadable, or changes of them are refused.
    pub(crate) damage: i64,
    pub(crate) faults_once_in: i64,
    pub(crate) delays_once_in: i64,
    pub(crate) settings: Settings,
    pub(crate) style: Style,
    pub(crate) jobs_max: usize,
}

impl Temper {
    pub(crate) fn new(dice: &mut Dice) -> Self {
        let is_crowded = dice.once_in(6);
        let hosts = if is_crowded { 40 } else { 3 };
        Self {
            requests: dice.pick(&[10, 40, 40, 150]),
            crashes: dice.pick(&[0, 3, 12, 12, 50]),
            restarts: dice.pick(&[0, 3, 10]),
            clocks: dice.pick(&[0, 0, 4, 20]),
            damage: dice.pick(&[0, 0, 0, 4]),
            faults_once_in: dice.pick(&[5, 25, 25, 1_000_000]),
            delays_once_in: dice.pick(&[4, 20, 20, 1_000_000]),
            settings: settings(dice),
            style: Style { is_rare: dice.once_in(3), hosts, version: 0 },
            jobs_max: if is_crowded { 40 } else { 12 },
        }
    }
}

/// Little may be in flight, so that much has to wait; often only one at a time, by one of the limits or by all.
///
/// The window holds at least 12 keys, and two of a lane: with less (6 keys, or one of a lane) rows that are due were seen to
/// start a minute late or later.
fn settings(dice: &mut Dice) -> Settings {
    let settings = Settings {
        concurrency: ConcurrencyLimits {
            server: dice.pick(&[1, 2, 8, 8]),
            collection: dice.pick(&[1, 2, 5, 5]),
            host: dice.pick(&[1, 3, 3]),
        },
        window: WindowLimits {
            keys: dice.pick(&[12, 24, 24]),
            lane: dice.pick(&[2, 3, 3]),
            page: dice.pick(&[1, 3, 3]),
            ready: dice.pick(&[1, 4, 4]),
        },
        unsettled_max: dice.pick(&[1, 2, 6, 6]),
        writing_max: 0,
    };
    // From one lane at a time to no bound of its own.
    Settings { writing_max: settings.unsettled_max - 1, ..settings }
}

impl Temper {
    /// So long something takes: nearly nothing, mostly.
    pub(crate) fn delay(&self, dice: &mut Dice, is_calm: bool) -> i64 {
        let is_long = !is_calm && dice.once_in(self.delays_once_in);
        let longest = match dice.number(0, 10) {
            0 if is_long => 40 * TICKS_PER_SECOND,
            _ if is_long => 3 * TICKS_PER_SECOND,
            _ => TICKS_PER_SECOND / 100,
        };
        dice.number(0, longest)
    }
}
