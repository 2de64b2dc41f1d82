//! The numbers on paper.

use punctual_benches::{Goal, Nanoseconds};
use serde_json::{Value, json};

use crate::row::{Distance, Peer, QUESTIONS, Row};

/// The promises, each against the worst row.
pub(crate) fn goals(rows: &[Row]) -> Vec<Goal> {
    let ours = |is_utc: bool| {
        let rows = rows.iter().filter(move |row| (row.zone == "UTC") == is_utc);
        rows.flat_map(|row| distances(row).map(|(_, distance)| (distance.ours.best, row)))
    };
    let to_croner = rows.iter().flat_map(|row| {
        let ratio = |distance: &Distance| distance.croner.as_ref().map(|croner| distance.times_faster(croner));
        distances(row).into_iter().filter_map(move |(_, distance)| Some((ratio(distance)?, row)))
    });
    let allocations = rows.iter().flat_map(|row| {
        distances(row).map(|(_, distance)| (f64::from(u32::try_from(distance.allocations).unwrap_or(u32::MAX)), row))
    });
    let (utc, utc_row) = largest(ours(true));
    let (zoned, zoned_row) = largest(ours(false));
    let (slowest, slowest_row) = largest(to_croner.map(|(ratio, row)| (-ratio, row)));
    let (growth, growth_row) = largest(rows.iter().map(|row| (growth(row), row)));
    let (allocated, allocated_row) = largest(allocations);
    vec![
        Goal::at_most("next, UTC", 150.0, utc, " ns").seen_at(utc_row),
        Goal::at_most("next, with a zone", 400.0, zoned, " ns").seen_at(zoned_row),
        Goal::at_least("faster than croner", 5.0, -slowest, " times").seen_at(slowest_row),
        Goal::at_most("56 years after the anchor, against 1 day", 1.2, growth, " times").seen_at(growth_row),
        Goal::at_most("allocations in next", 0.0, allocated, "").seen_at(allocated_row),
    ]
}

pub(crate) fn print_table(rows: &[Row], goals: &[Goal]) {
    println!("ns per next, 1 day and 56 years after the anchor; × is how many times faster than the peer we are\n");
    let peer_title = |name| format!("{name:>8} {:>8} {:>6} {:>6}", "56 y", "×", "× 56 y");
    println!(
        "{:41}{:>8} {:>8} {:>6}  {}  {}",
        "",
        "punctual",
        "56 y",
        "56y/1d",
        peer_title("croner"),
        peer_title("cron")
    );
    for row in rows {
        let speeds = format!("{:>8.1} {:>8.1} {:>6.2}", row.day.ours.best, row.far.ours.best, growth(row));
        let croner = peer_cells((&row.day, &row.day.croner), (&row.far, &row.far.croner));
        let cron = peer_cells((&row.day, &row.day.cron), (&row.far, &row.far.cron));
        println!("{:<24}{:<17}{speeds}  {croner}  {cron}", row.name, row.zone);
    }
    let croner = rows.iter().flat_map(|row| [&row.day.croner, &row.far.croner]).flatten();
    let (on_jiff, on_chrono): (Vec<&Peer>, Vec<_>) = croner.partition(|peer| peer.on == "jiff");
    println!("\ncroner was faster on chrono {} times and on jiff {} times", on_chrono.len(), on_jiff.len());
    print_differences(rows);
    println!("\ngoals");
    for goal in goals {
        println!("  {}", goal.line());
    }
}

fn peer_cells(day: (&Distance, &Option<Peer>), far: (&Distance, &Option<Peer>)) -> String {
    match (day, far) {
        ((day, Some(peer)), (far, Some(far_peer))) => format!(
            "{:>8.1} {:>8.1} {:>6.1} {:>6.1}",
            peer.speed.best,
            far_peer.speed.best,
            day.times_faster(peer),
            far.times_faster(far_peer)
        ),
        _ => format!("{:>8} {:>8} {:>6} {:>6}", "-", "-", "-", "-"),
    }
}

/// A peer that answers otherwise does other work; the reader should know.
fn print_differences(rows: &[Row]) {
    let peers = rows.iter().flat_map(|row| distances(row)).flat_map(|(_, distance)| [&distance.croner, &distance.cron]);
    let differing: usize = peers.flatten().map(|peer| peer.differing).sum();
    println!("other answers than ours, of {QUESTIONS} questions in each row: {differing}");
    for row in rows {
        for (when, distance) in distances(row) {
            for (name, peer) in [("croner", &distance.croner), ("cron", &distance.cron)] {
                if let Some(peer) = peer.as_ref().filter(|peer| peer.differing > 0) {
                    println!("  {name} on {}: {} in {} {when}: {}", peer.on, row.name, row.zone, peer.differing);
                }
            }
        }
    }
}

pub(crate) fn print_json(rows: &[Row], goals: &[Goal]) {
    let rows: Vec<Value> = rows.iter().flat_map(|row| distances(row).map(|(when, d)| row_json(row, when, d))).collect();
    let goals: Vec<Value> = goals.iter().map(Goal::json).collect();
    println!("{:#}", json!({ "rows": rows, "goals": goals }));
}

fn row_json(row: &Row, when: &str, distance: &Distance) -> Value {
    let peer = |peer: &Option<Peer>| {
        let numbers = |peer: &Peer| {
            let faster = rounded(distance.times_faster(peer));
            json!({ "ns": ns_json(peer.speed), "on": peer.on, "times_faster": faster, "differing": peer.differing })
        };
        peer.as_ref().map(numbers)
    };
    json!({
        "schedule": row.name,
        "zone": row.zone,
        "after": when,
        "ns": ns_json(distance.ours),
        "allocations": distance.allocations,
        "far_to_near": rounded(growth(row)),
        "croner": peer(&distance.croner),
        "cron": peer(&distance.cron),
    })
}

fn ns_json(speed: Nanoseconds) -> Value {
    json!({ "best": rounded(speed.best), "median": rounded(speed.median) })
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn distances(row: &Row) -> [(&'static str, &Distance); 2] {
    [("1 day", &row.day), ("56 years", &row.far)]
}

fn growth(row: &Row) -> f64 {
    row.far.ours.best / row.day.ours.best
}

fn largest<'a>(values: impl Iterator<Item = (f64, &'a Row)>) -> (f64, String) {
    let (value, row) = values.max_by(|(a, _), (b, _)| a.total_cmp(b)).expect("there are rows");
    (value, format!("{} in {}", row.name, row.zone))
}
