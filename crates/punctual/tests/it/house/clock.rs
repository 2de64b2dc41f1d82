//! Who knows what time it is.

use std::collections::BTreeSet;

use super::source::sources;

const READINGS: [&str; 6] =
    ["SystemTime::now", "Instant::now", "Timestamp::now", "Zoned::now", "Utc::now", "Local::now"];

/// The file that may read the clock, and has to: without it this rule would look at nothing.
const CLOCK: &str = "crates/punctual/src/clock.rs";

#[test]
fn one_file_reads_the_clock() {
    let readings: Vec<String> = sources().flat_map(|file| file.uses(&READINGS)).collect();
    let files: BTreeSet<&str> = readings.iter().filter_map(|reading| reading.split(':').next()).collect();
    assert_eq!(files, BTreeSet::from([CLOCK]), "the clock is read in: {readings:#?}");
}
