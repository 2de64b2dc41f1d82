//! The real engine and the real model through months of crashes, in a second: over a clock, a store, targets and users
//! that follow from the number of a seed.
//!
//! `PUNCTUAL_SIMULATION_SEED=n` leads one seed and prints the last of what happens in it, with `PUNCTUAL_SIMULATION_ALL`
//! all of it; `PUNCTUAL_SIMULATION_SEEDS=n` leads so many, `PUNCTUAL_SIMULATION_SECONDS=n` as many as there is time for (10
//! seconds if nothing is said). They are others each time.
//!
//! A seed is some rounds of a wild time, in which everything may go wrong, and a calm one, after which everything must have
//! come right.

#![expect(clippy::unwrap_used, reason = "a simulation that cannot go on fails")]

mod chaos;
mod clock;
mod dice;
mod house;
mod ledger;
mod seeds;
mod store;
mod targets;
mod users;
mod work_store;
mod world;

use std::env;
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use punctual_model::time::{Clock, TICKS_PER_DAY, TICKS_PER_MINUTE};

use crate::world::{Tally, World};

/// Wild times and calm ones in the life of a seed.
const ROUNDS: u32 = 3;

/// Steps in a wild time. Each is a moment or a month.
const WILD_STEPS: u32 = 700;

/// How long a calm time is: longer than any attempt takes, and than keys wait to be read anew.
const CALM_TICKS: i64 = 3 * TICKS_PER_MINUTE;

/// Lines of what happened that are printed.
const LINES: usize = 60;

#[test]
fn fresh_seeds() {
    let number = |name| env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    if let Some(seed) = number("PUNCTUAL_SIMULATION_SEED") {
        lead_loudly(seed);
        return;
    }
    let seeds_max = number("PUNCTUAL_SIMULATION_SEEDS");
    let seconds = number("PUNCTUAL_SIMULATION_SECONDS").unwrap_or(10);
    let begun = Instant::now();
    let first = RandomState::new().hash_one(0) >> 16;
    let mut tally = Tally::default();
    while seeds_max.map_or(begun.elapsed().as_secs() < seconds, |max| tally.seeds < max) {
        check(first + tally.seeds, &mut tally);
    }
    println!("{} seeds, from {first}: {tally:?}", tally.seeds);
}

#[test]
fn seeds_that_once_failed() {
    for (seed, what) in seeds::FAILED_ONCE {
        println!("seed {seed}: {what}");
        check(seed, &mut Tally::default());
    }
}

/// Leads a seed quietly; if that fails, once more with all that happens.
fn check(seed: u64, tally: &mut Tally) {
    let mut world = World::new(seed, false);
    let led = catch_unwind(AssertUnwindSafe(|| lead(&mut world)));
    tally.add(&world.tally);
    if !matches!(led, Ok(Ok(()))) {
        lead_loudly(seed);
        panic!("seed {seed} failed once, and then did not: the simulation does not repeat itself");
    }
}

fn lead_loudly(seed: u64) {
    let mut world = World::new(seed, true);
    let led = catch_unwind(AssertUnwindSafe(|| lead(&mut world)));
    let trace = world.trace.take().unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    let wants_all = env::var_os("PUNCTUAL_SIMULATION_ALL").is_some();
    let from = if wants_all { 0 } else { lines.len().saturating_sub(LINES) };
    println!("{}", lines[from..].join("\n"));
    match led {
        Ok(Ok(())) => println!("seed {seed} is fine"),
        Ok(Err(wrong)) => panic!("PUNCTUAL_SIMULATION_SEED={seed}: {wrong}"),
        Err(panic) => {
            println!("PUNCTUAL_SIMULATION_SEED={seed}: it panicked");
            resume_unwind(panic);
        }
    }
}

fn lead(world: &mut World) -> Result<(), String> {
    world.wish();
    world.wish();
    for _ in 0..ROUNDS {
        world.is_calm = false;
        for _ in 0..WILD_STEPS {
            world.shake()?;
            world.step()?;
        }
        world.is_calm = true;
        world.note(|| "CALM".to_owned());
        let from = world.clock.steady();
        while world.clock.steady() - from < CALM_TICKS {
            world.step()?;
        }
        world.check_quiet()?;
    }
    world.tally.days = world.clock.steady() / TICKS_PER_DAY;
    world.check_end()
}
