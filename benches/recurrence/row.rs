//! One schedule in one zone: everyone's numbers at both distances from the anchor.

use punctual_benches::{Nanoseconds, Rounds};

use crate::case::Case;
use crate::contestant::{self, Contestant};

pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) zone: &'static str,
    pub(crate) day: Distance,
    pub(crate) far: Distance,
}

/// The numbers at one distance from the anchor.
pub(crate) struct Distance {
    pub(crate) ours: Nanoseconds,
    pub(crate) allocations: u64,
    pub(crate) croner: Option<Peer>,
    pub(crate) cron: Option<Peer>,
}

pub(crate) struct Peer {
    /// Which of its two date-time libraries made it faster.
    pub(crate) on: &'static str,
    pub(crate) speed: Nanoseconds,
    /// To how many of the questions it gave another answer than we did.
    pub(crate) differing: usize,
}

/// 2028-03-01T08:00Z: right after a leap day, so that the next one is as far away as can be.
const ANCHOR: i64 = 1_835_510_400;
const DAY: i64 = 86_400;
/// The calendar repeats every 28 years in this century, so that the questions after 56 years are the same questions;
/// after 50 years the next leap day would be nearer.
const FAR: i64 = 2 * (28 * 365 + 7) * DAY;
pub(crate) const QUESTIONS: usize = 64;
/// Eleven hours and thirteen minutes: each question comes at another time of day, and together they take a month.
const STEP: i64 = 11 * 3600 + 13 * 60;

impl Row {
    pub(crate) fn measure(case: &Case, zone: &'static str) -> Self {
        let [mut day, mut far] = [DAY, FAR].map(|distance| contestants(case, zone, ANCHOR + distance));
        let mut rounds = Rounds::new();
        for (_, contestant) in day.iter_mut().chain(&mut far) {
            rounds.add(QUESTIONS, &contestant.work);
        }
        let mut speeds = rounds.run().into_iter();
        let mut distance = |contestants: &[(Name, Contestant)]| {
            let speeds: Vec<_> = speeds.by_ref().take(contestants.len()).collect();
            Distance::of(contestants, &speeds)
        };
        Self { name: case.name, zone, day: distance(&day), far: distance(&far) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Ours,
    Croner(&'static str),
    Cron,
}

fn contestants(case: &Case, zone: &str, from: i64) -> Vec<(Name, Contestant)> {
    let afters: Vec<i64> = (0..).map(|n| from + n * STEP).take(QUESTIONS).collect();
    let mut all = vec![(Name::Ours, contestant::ours(case, zone, ANCHOR, &afters))];
    if let Some(pattern) = case.croner {
        all.push((Name::Croner("chrono"), contestant::croner_on_chrono(pattern, zone, &afters)));
        all.push((Name::Croner("jiff"), contestant::croner_on_jiff(pattern, zone, &afters)));
    }
    if let Some(pattern) = case.cron {
        all.push((Name::Cron, contestant::cron(pattern, zone, &afters)));
    }
    all
}

impl Distance {
    fn of(contestants: &[(Name, Contestant)], speeds: &[Nanoseconds]) -> Self {
        let (_, ours) = &contestants[0];
        let peer = |on, contestant: &Contestant, speed: &Nanoseconds| Peer {
            on,
            speed: *speed,
            differing: ours.answers.iter().zip(&contestant.answers).filter(|(ours, theirs)| ours != theirs).count(),
        };
        let mut distance = Self { ours: speeds[0], allocations: ours.allocations, croner: None, cron: None };
        for ((name, contestant), speed) in contestants.iter().zip(speeds) {
            match *name {
                Name::Cron => distance.cron = Some(peer("chrono", contestant, speed)),
                Name::Croner(on) if distance.croner.as_ref().is_none_or(|best| speed.best < best.speed.best) => {
                    distance.croner = Some(peer(on, contestant, speed));
                }
                Name::Ours | Name::Croner(_) => {}
            }
        }
        distance
    }

    /// How many times faster than `peer` we are.
    pub(crate) fn times_faster(&self, peer: &Peer) -> f64 {
        peer.speed.best / self.ours.best
    }
}
