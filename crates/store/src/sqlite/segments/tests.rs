//! The files against a plain list that answers the same questions; power cuts; segments that go away.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use insta::assert_snapshot;
use proptest::prelude::*;
use punctual_model::failure::{Failure, FailureClass};
use punctual_model::history::{NotRun, Reason, Record, Status, StatusKind};
use punctual_model::occurrence::{OccurrenceId, Origin, Original, Phase};
use punctual_model::time::{TICKS_PER_DAY, TICKS_PER_HOUR, Timestamp};
use rusqlite::Connection;
use tempfile::TempDir;

use super::reader::Query;
use super::{Damage, Day, DropStep, Dropped, OPEN_MAX, PART_BYTES_MIN, Segment, SegmentReader, Segments};
use crate::history::{HistoryEntry, HistoryFilter, HistoryItem, HistoryKey, LatestPage};
use crate::{Error, HistoryBounds, JobId};

const DAYS: i64 = 3;
const JOBS: i64 = 3;
const JOB: JobId = JobId(1);
const ALL: HistoryFilter = HistoryFilter {
    status: None,
    only_last_attempts: false,
    phase: None,
    occurrence: None,
    started_from: None,
    started_until: None,
};

const KEEPS_FAILURES: HistoryBounds =
    HistoryBounds { before: Timestamp::MAX, failures_before: Some(Timestamp::MIN), bytes_max: u64::MAX };

fn instants() -> impl Strategy<Value = Timestamp> {
    // Some at the same instant, and some at the first and last of a period.
    let hour = (0..DAYS * 24, prop_oneof![Just(0), Just(1), Just(TICKS_PER_HOUR - 1)]);
    hour.prop_map(|(hour, ticks)| Timestamp::EPOCH.saturating_add(hour * TICKS_PER_HOUR + ticks))
}

fn statuses() -> impl Strategy<Value = Status> {
    let reason = prop_oneof![Just(Reason::Overlap), Just(Reason::Missed), Just(Reason::Disabled)];
    prop_oneof![
        instants().prop_map(Status::Completed),
        instants().prop_map(Status::Failed),
        (instants(), instants(), 1..9_u64, reason)
            .prop_map(|(first, last, number, reason)| Status::Postponed(NotRun { first, last, number, reason })),
    ]
}

fn failures() -> impl Strategy<Value = Failure> {
    let class = (0..FailureClass::ALL.len()).prop_map(|at| FailureClass::ALL[at]);
    let code = proptest::option::of(100..600_u16);
    (class, code, any::<String>(), any::<String>()).prop_map(|(class, code, host, detail)| Failure {
        class,
        code,
        host,
        detail,
    })
}

fn phases() -> impl Strategy<Value = Phase> {
    prop_oneof![Just(Phase::Main), Just(Phase::Error)]
}

/// A few, so that some records are of the same one.
fn occurrences() -> impl Strategy<Value = OccurrenceId> {
    (0..4_u8).prop_map(|number| {
        OccurrenceId::from_bytes([number, 0xab, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xfe, 0xff, number])
    })
}

prop_compose! {
    fn records()(
        (started, ended, status, phase) in (instants(), instants(), statuses(), phases()),
        occurrence in occurrences(),
        origin in prop_oneof![
            Just(Origin::Schedule), any::<u32>().prop_map(Origin::Manual), Just(Origin::Backfill), Just(Origin::Test),
            Just(Origin::Rerun(Original::Schedule)), any::<u32>().prop_map(|it| Origin::Rerun(Original::Manual(it))),
            Just(Origin::Rerun(Original::Backfill)),
        ],
        (retry, repeat, is_resent, message) in (0..21_u32, any::<u32>(), any::<bool>(), any::<String>()),
        retry_at in proptest::option::of(instants()),
        failure in proptest::option::of(failures()),
    ) -> Record {
        Record { started, ended, occurrence, origin, phase, retry, repeat, status, is_resent, retry_at, message, failure }
    }
}

prop_compose! {
    fn entries()(
        job in 0..JOBS, record in records(), node in any::<u32>(), revision in any::<i64>(), is_duplicate in any::<bool>(),
    ) -> HistoryEntry {
        HistoryEntry { job: JobId(job), record, node, revision, is_duplicate }
    }
}

prop_compose! {
    fn filters()(
        status in prop::option::of(prop_oneof![
            Just(StatusKind::Completed), Just(StatusKind::Failed), Just(StatusKind::Postponed),
        ]),
        only_last_attempts in any::<bool>(),
        phase in prop::option::of(phases()),
        occurrence in prop::option::of(occurrences()),
        started_from in prop::option::of(instants()),
        started_until in prop::option::of(instants()),
    ) -> HistoryFilter {
        HistoryFilter { status, only_last_attempts, phase, occurrence, started_from, started_until }
    }
}

type Batches = Vec<Vec<HistoryEntry>>;

fn batches() -> impl Strategy<Value = Batches> {
    prop::collection::vec(prop::collection::vec(entries(), 0..40), 1..5)
}

fn append_all(segments: &mut Segments, batches: &Batches) {
    for (batch, entries) in (1..).zip(batches) {
        segments.append(batch, &mut entries.clone()).unwrap();
        // Every second batch is the last one of its files.
        if batch % 2 == 0 {
            begin_parts(segments);
        }
    }
}

/// Begins a new part of each day.
fn begin_parts(segments: &mut Segments) {
    for day in segments.cache.days() {
        segments.connection(Segment::Day(segments.cache.last_part(day).next_part())).unwrap();
    }
}

/// Drops a file, as those bounds have it.
fn drop_one(segments: &mut Segments, bounds: HistoryBounds) -> Option<Dropped> {
    loop {
        match segments.drop_one(&bounds).unwrap() {
            DropStep::Nothing => return None,
            DropStep::Copied => {}
            DropStep::Dropped(dropped) => return Some(dropped),
        }
    }
}

/// Drops the oldest day, unless it is the last one.
fn drop_oldest(segments: &mut Segments) -> Option<Dropped> {
    drop_one(segments, HistoryBounds { bytes_max: 0, ..HistoryBounds::of_age(Timestamp::MIN) })
}

/// Drops the oldest files, but keeps their failures.
fn drop_days(segments: &mut Segments, files: usize) {
    for day in segments.cache.days().into_iter().take(files) {
        while segments.drop_day(day, &KEEPS_FAILURES).unwrap() == DropStep::Copied {}
    }
}

fn is_in(segments: &Segments, day: Day, item: &HistoryItem) -> bool {
    let sql = "select count(*) from attempt where number = ?1";
    let count = segments.cache.read(Segment::Day(day), |connection| {
        Ok(connection.query_row(sql, [item.key.number().cast_signed()], |row| row.get::<_, i64>(0))?)
    });
    count.unwrap().unwrap() > 0
}

fn is_failure(entry: &HistoryEntry) -> bool {
    entry.record.status.kind() != StatusKind::Completed || entry.record.phase == Phase::Error
}

/// What the files must answer: every entry in a list, sorted by hand.
fn expected(batches: &[Vec<HistoryEntry>], job: JobId, filter: &HistoryFilter) -> Vec<HistoryEntry> {
    let is_wanted = |entry: &&HistoryEntry| {
        let record = &entry.record;
        entry.job == job
            && filter.status.is_none_or(|status| record.status.kind() == status)
            && (!filter.only_last_attempts || (record.retry_at.is_none() && !entry.is_duplicate))
            && filter.phase.is_none_or(|phase| record.phase == phase)
            && filter.occurrence.is_none_or(|occurrence| record.occurrence == occurrence)
            && filter.started_from.is_none_or(|from| from <= record.started)
            && filter.started_until.is_none_or(|until| record.started <= until)
    };
    let mut wanted: Vec<HistoryEntry> = batches.iter().flatten().filter(is_wanted).cloned().collect();
    // Later ones first where they started at the same instant.
    wanted.reverse();
    wanted.sort_by_key(|entry| std::cmp::Reverse(entry.record.started));
    wanted
}

fn list(reader: &SegmentReader, job: JobId, filter: &HistoryFilter) -> Vec<HistoryEntry> {
    let items = reader.list(job, filter, None, 0, usize::MAX).unwrap();
    items.into_iter().map(|item| item.entry).collect()
}

/// What a power cut leaves: the files as they are, without what SQLite keeps in memory.
fn after_power_cut(directory: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for name in file_names(directory).iter().filter(|name| !name.ends_with("-shm")) {
        fs::copy(directory.join(name), copy.path().join(name)).unwrap();
    }
    copy
}

fn file_names(directory: &Path) -> BTreeSet<String> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn segment_names(directory: &Path) -> Vec<String> {
    let is_segment = |name: &String| Path::new(name).extension().is_some_and(|extension| extension == "db");
    file_names(directory).into_iter().filter(is_segment).collect()
}

/// One entry of the first job on that day.
fn entry(day: i64, message: &str) -> HistoryEntry {
    let started = Timestamp::EPOCH.saturating_add(day * TICKS_PER_DAY);
    let record = Record {
        started,
        ended: started,
        occurrence: OccurrenceId::from_bytes([7; 16]),
        origin: Origin::Schedule,
        phase: Phase::Main,
        retry: 0,
        repeat: 1,
        status: Status::Completed(started),
        is_resent: false,
        retry_at: None,
        message: message.to_owned(),
        failure: None,
    };
    HistoryEntry { job: JOB, record, node: 0, revision: 1, is_duplicate: false }
}

fn messages(reader: &SegmentReader) -> Vec<String> {
    list(reader, JOB, &ALL).into_iter().map(|entry| entry.record.message).collect()
}

fn open(directory: &TempDir, known_batch: i64) -> Result<Segments, Error> {
    Segments::open(directory.path(), known_batch, Arc::<Damage>::default())
}

proptest! {
    // Each case waits for the disk dozens of times.
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_files_answer_what_a_list_would(
        batches in batches(),
        questions in prop::collection::vec((0..JOBS, filters(), 0..20_usize, 1..20_usize, any::<usize>()), 40),
    ) {
        let directory = TempDir::new().unwrap();
        let mut segments = open(&directory, 0).unwrap();
        append_all(&mut segments, &batches);
        let reader = segments.reader();
        for (job, filter, skip, limit, any) in questions {
            let job = JobId(job);
            let wanted = expected(&batches, job, &filter);
            let page = reader.list(job, &filter, None, skip, limit).unwrap();
            let entries: Vec<_> = page.iter().map(|item| &item.entry).collect();
            prop_assert_eq!(entries, wanted.iter().skip(skip).take(limit).collect::<Vec<_>>());

            let mut pages: Vec<HistoryItem> = Vec::new();
            loop {
                let page = reader.list(job, &filter, pages.last().map(|item| item.key), 0, limit).unwrap();
                prop_assert!(page.len() <= limit);
                if page.is_empty() {
                    break;
                }
                pages.extend(page);
            }
            prop_assert!(pages.is_sorted_by(|newer, older| newer.key < older.key));
            for item in &pages {
                let found = reader.find(job, item.key).unwrap();
                prop_assert_eq!(found.as_ref(), Some(item));
                prop_assert_eq!(reader.find(JobId(job.0 + 1), item.key).unwrap(), None);
            }
            prop_assert!(pages.iter().map(|item| &item.entry).eq(&wanted));

            // From anywhere, also from a record that the filter does not let through.
            let all = reader.list(job, &ALL, None, 0, usize::MAX).unwrap();
            if let Some(HistoryItem { key: after, .. }) = all.get(any % all.len().max(1)) {
                let rest = reader.list(job, &filter, Some(*after), 0, usize::MAX).unwrap();
                prop_assert!(rest.iter().eq(pages.iter().filter(|item| item.key > *after)));
            }
        }
    }

    #[test]
    fn failures_are_read_as_before_when_their_days_are_gone(
        batches in batches(),
        dropped_files in 0..9_usize,
        (limit, again) in (1..20_usize, any::<bool>()),
    ) {
        let directory = TempDir::new().unwrap();
        let mut segments = open(&directory, 0).unwrap();
        append_all(&mut segments, &batches);
        segments.confirm();
        let before: Vec<HistoryItem> = latest(&segments.reader(), usize::MAX, false);
        let (gone, left): (Vec<_>, Vec<_>) = before.iter().cloned().partition(|item| {
            let is_in = |day: &Day| is_in(&segments, *day, item);
            segments.cache.days().iter().take(dropped_files).any(is_in)
        });
        if again {
            // The process is killed when it has copied failures, and before the day is gone.
            for day in segments.cache.days().into_iter().take(dropped_files.min(1)) {
                // A day without failures is gone with the first step.
                if gone.iter().any(|item| is_in(&segments, day, item) && is_failure(&item.entry)) {
                    segments.drop_day(day, &KEEPS_FAILURES).unwrap();
                }
            }
            prop_assert_eq!(by_key(latest(&segments.reader(), limit, false)), by_key(before.clone()));
            segments = open(&directory, i64::try_from(batches.len()).unwrap()).unwrap();
        }
        drop_days(&mut segments, dropped_files);
        let kept = gone.iter().filter(|item| is_failure(&item.entry));
        let wanted = by_key(left.iter().chain(kept).cloned().collect());
        let reader = segments.reader();
        prop_assert_eq!(by_key(latest(&reader, limit, false)), wanted.clone());
        prop_assert_eq!(keys(&reader), wanted.keys().copied().collect::<BTreeSet<_>>());
        for (key, item) in &wanted {
            let found = reader.find(item.entry.job, *key).unwrap();
            prop_assert_eq!(found.as_ref(), Some(item));
        }
    }

    #[test]
    fn after_a_power_cut_a_batch_is_there_if_the_main_file_knows_it(
        batches in batches(),
        known in any::<prop::sample::Index>(),
    ) {
        let directory = TempDir::new().unwrap();
        let mut segments = open(&directory, 0).unwrap();
        append_all(&mut segments, &batches);
        let keys_before = keys(&segments.reader());
        let copy = after_power_cut(directory.path());

        let known = known.index(batches.len() + 1);
        let known_batch = i64::try_from(known).unwrap();
        let mut segments = open(&copy, known_batch).unwrap();
        let reader = segments.reader();
        for job in (0..JOBS).map(JobId) {
            prop_assert_eq!(list(&reader, job, &ALL), expected(&batches[..known], job, &ALL));
        }
        prop_assert!(keys(&reader).is_subset(&keys_before));
        for (batch, entries) in (known_batch + 1..).zip(&batches[known..]) {
            segments.append(batch, &mut entries.clone()).unwrap();
        }
        prop_assert_eq!(keys(&reader), keys_before);
    }
}

/// The history of all jobs, read in pages of that size.
fn latest(reader: &SegmentReader, limit: usize, only_trouble: bool) -> Vec<HistoryItem> {
    let mut items: Vec<HistoryItem> = Vec::new();
    loop {
        let after = items.last().map(|item| item.key);
        let page = reader.latest(&LatestPage { after, limit, only_trouble, started_from: None }).unwrap();
        if page.is_empty() {
            return items;
        }
        items.extend(page);
    }
}

/// Without what is there twice.
fn by_key(items: Vec<HistoryItem>) -> BTreeMap<HistoryKey, HistoryItem> {
    let number = items.len();
    let by_key: BTreeMap<_, _> = items.into_iter().map(|item| (item.key, item)).collect();
    assert_eq!(by_key.len(), number, "something is there twice");
    by_key
}

fn keys(reader: &SegmentReader) -> BTreeSet<HistoryKey> {
    let lists = (0..JOBS).map(|job| reader.list(JobId(job), &ALL, None, 0, usize::MAX).unwrap());
    lists.flatten().map(|item| item.key).collect()
}

#[test]
fn a_segment_is_a_day() {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    segments.append(1, &mut [entry(20_772, "a"), entry(20_773, "b"), entry(20_772, "c")]).unwrap();
    assert_eq!(segment_names(directory.path()), ["2026-11-15.db", "2026-11-16.db"]);
    assert_eq!(messages(&segments.reader()), ["b", "c", "a"]);
}

#[test]
fn what_is_old_is_dropped_with_its_files() {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    for day in 0..5 {
        segments.append(day + 1, &mut [entry(day, &format!("day {day}"))]).unwrap();
    }
    let reader = segments.reader();
    assert_eq!(messages(&reader).len(), 5);
    let bytes = segments.bytes();

    let third_day = entry(2, "").record.started;
    let dropped: Vec<_> = std::iter::from_fn(|| drop_one(&mut segments, HistoryBounds::of_age(third_day))).collect();
    assert_eq!(dropped.iter().map(|it| it.segment.file_name()).collect::<Vec<_>>(), ["1970-01-01.db", "1970-01-02.db"]);
    assert_eq!(bytes, segments.bytes() + dropped.iter().map(|it| it.bytes).sum::<u64>());
    assert_eq!(segments.cache.idle_count(), 3, "a connection keeps a removed file on the disk");
    assert_eq!(messages(&reader), ["day 4", "day 3", "day 2"]);

    while drop_oldest(&mut segments).is_some() {}
    assert_eq!(messages(&reader), ["day 4"]);
    drop((segments, reader));
    assert_eq!(file_names(directory.path()), ["1970-01-05.db".to_owned()].into());
}

/// The log can be as large as the file itself, and takes as much room on the disk.
#[test]
fn what_sqlite_keeps_beside_a_segment_counts() {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    let reader = segments.reader();
    for day in 0..3 {
        segments.append(day + 1, &mut [entry(day, &"x".repeat(100_000))]).unwrap();
    }
    let length = |name: &String| fs::metadata(directory.path().join(name)).unwrap().len();
    let names = file_names(directory.path());
    let logs: u64 = names.iter().filter(|name| name.ends_with("-wal")).map(length).sum();
    assert!(logs > 300_000, "{names:?}: {logs}");
    let all: u64 = names.iter().map(length).sum();
    assert_eq!((segments.bytes(), reader.bytes()), (all, all));
    // So a bound that the files alone keep is not kept.
    let bytes_max = all - logs;
    while segments.bytes() > bytes_max && drop_oldest(&mut segments).is_some() {}
    assert_eq!(segment_names(directory.path()).len(), 1);
}

#[test]
fn a_day_with_much_history_is_dropped_part_by_part() {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    let reader = segments.reader();
    let bytes_max = 4 * PART_BYTES_MIN;
    let mut dropped = Vec::new();
    for batch in 1..=10 {
        let long = "x".repeat(20_000);
        let mut entries: Vec<_> = (0..60).map(|_| entry(7, &format!("{batch} {long}"))).collect();
        segments.append(batch, &mut entries).unwrap();
        segments.confirm();
        segments.begin_part(bytes_max / 8).unwrap();
        while segments.bytes() > bytes_max
            && let Some(oldest) = drop_oldest(&mut segments)
        {
            dropped.push(oldest.segment.file_name());
        }
    }
    assert_eq!(dropped[..2], ["1970-01-08.db", "1970-01-08.2.db"]);
    assert!(segments.bytes() <= bytes_max && segment_names(directory.path()).len() > 1);
    let left = messages(&reader);
    assert!(left[0].starts_with("10 ") && left.len() >= 60, "the newest is there");
    assert!(reader.oldest().unwrap() >= entry(7, "").record.ended, "the first hours are gone");
    // A new process finds the parts, and goes on with the last one.
    drop(segments);
    let mut segments = open(&directory, 10).unwrap();
    segments.append(11, &mut [entry(7, "last")]).unwrap();
    assert_eq!(messages(&segments.reader())[0], "last");
    assert_eq!(messages(&segments.reader()).len(), left.len() + 1);
}

#[test]
fn a_segment_that_comes_again_is_not_read_from_the_old_file() {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    segments.append(1, &mut [entry(0, "old"), entry(1, "new")]).unwrap();
    let reader = segments.reader();
    let oldest = segments.cache.days()[0];
    // It is dropped and made again in the middle of a page.
    let cache = Arc::clone(&segments.cache);
    let read = cache.read(Segment::Day(oldest), |connection| {
        drop_oldest(&mut segments);
        segments.append(2, &mut [entry(0, "again")])?;
        Ok(connection.query_row("select message from attempt", (), |row| row.get::<_, String>(0))?)
    });
    assert_eq!(read.unwrap().unwrap(), "old");
    assert_eq!(messages(&reader), ["new", "again"]);
    segments.append(3, &mut [entry(0, "and again")]).unwrap();
    drop(segments);
    assert_eq!(messages(&reader), ["new", "and again", "again"]);
}

#[test]
fn readers_read_on_while_segments_come_and_go() {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    segments.append(1, &mut [entry(0, "")]).unwrap();
    let reader = segments.reader();
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let mut pages = 0;
            while !messages(&reader).contains(&"last".to_owned()) {
                pages += 1;
            }
            pages
        });
        for day in 1..60 {
            segments.append(day + 1, &mut [entry(day, ""), entry(day - 1, "")]).unwrap();
            if day > 3 {
                drop_oldest(&mut segments).unwrap();
            }
        }
        segments.append(100, &mut [entry(60, "last")]).unwrap();
        assert!(reading.join().unwrap() > 0);
    });
    drop((segments, reader));
    let left_over: Vec<_> = file_names(directory.path()).into_iter().filter(|name| name.contains('-')).collect();
    assert!(left_over.iter().all(|name| !name.ends_with("-wal") && !name.ends_with("-shm")), "{left_over:?}");
}

#[test]
fn few_files_stay_open() {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    let mut days: Vec<_> = (0..20).map(|day| entry(day, "")).collect();
    segments.append(1, &mut days).unwrap();
    assert_eq!(messages(&segments.reader()).len(), 20);
    assert_eq!((segments.open.len(), segments.cache.idle_count()), (OPEN_MAX, 8));
}

#[test]
fn what_was_left_half_made_is_swept() {
    let directory = TempDir::new().unwrap();
    let file = |name: &str| directory.path().join(name);
    for name in ["1970-01-02.db", "1970-01-03.db-wal", "1970-01-03.db-shm", "notes.txt", "other.db"] {
        fs::write(file(name), "").unwrap();
    }
    // Made so far that it is a database, but without its table.
    Connection::open(file("1970-01-04.db")).unwrap().pragma_update(None, "journal_mode", "wal").unwrap();
    let mut segments = open(&directory, 0).unwrap();
    assert_eq!(file_names(directory.path()), ["notes.txt".to_owned(), "other.db".to_owned()].into());
    segments.append(1, &mut [entry(1, "a"), entry(2, "b")]).unwrap();
    assert_eq!(messages(&segments.reader()), ["b", "a"]);
}

/// One file with a record of the first day, and one of the second, after something was done to the first file.
fn damaged(damage: &dyn Fn(&Path)) -> (TempDir, HistoryKey) {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    segments.append(1, &mut [entry(0, "first"), entry(1, "second")]).unwrap();
    let first = segments.reader().list(JOB, &ALL, None, 1, 1).unwrap()[0].key;
    drop(segments);
    damage(directory.path());
    (directory, first)
}

#[test]
fn a_record_that_cannot_be_ours_is_left_out_and_named() {
    let told = |sql: &'static str| {
        let execute = |path: &Path| Connection::open(path.join("1970-01-01.db")).unwrap().execute_batch(sql).unwrap();
        let (directory, first) = damaged(&execute);
        let segments = open(&directory, 1).unwrap();
        assert_eq!(messages(&segments.reader()), ["second"], "{sql}");
        assert_eq!(messages(&segments.reader()), ["second"], "{sql}");
        assert_eq!(segments.damage.count(), 1, "{sql}");
        let told = segments.reader().find(JOB, first).unwrap_err().to_string();
        told.replace(&directory.path().display().to_string(), "history")
    };
    let lines = [
        told("update attempt set status = 7"),
        told("update attempt set origin = 1"),
        told("update attempt set phase = 2"),
        told("update attempt set status = 2, nominal_last = 0, nominal_count = 1, reason = 9"),
        told("update attempt set status = 2, nominal_last = 0, nominal_count = -1, reason = 0"),
        told("update attempt set ended = 9223372036854775807"),
        told("update attempt set occurrence = x'00'"),
    ];
    assert_snapshot!(lines.join("\n"), @"
    history/1970-01-01.db: the status of an attempt is none that we write
    history/1970-01-01.db: the origin of an attempt is none that we write
    history/1970-01-01.db: the phase of an attempt is none that we write
    history/1970-01-01.db: the reason of an attempt is none that we write
    history/1970-01-01.db: the nominal_count of an attempt is none that we write
    history/1970-01-01.db: ended: 9223372036854775807 is no instant
    history/1970-01-01.db: occurrence: 16 bytes are expected
    ");
}

#[test]
fn a_damaged_file_is_set_aside_and_the_others_are_read() {
    let text = "This is a text that someone saved under the name of a segment.";
    let (directory, _) = damaged(&|path: &Path| fs::write(path.join("1970-01-01.db"), text).unwrap());
    let mut segments = open(&directory, 1).unwrap();
    assert_eq!((messages(&segments.reader()), segments.damage.count()), (vec!["second".to_owned()], 1));
    assert_eq!(fs::read_to_string(directory.path().join("1970-01-01.db.damaged")).unwrap(), text);
    // The day goes on in a new file.
    segments.append(2, &mut [entry(0, "again")]).unwrap();
    assert_eq!(messages(&segments.reader()), ["second", "again"]);
    drop(segments);
    // It is counted as long as it lies there, and another one of the same day does not take its name.
    fs::write(directory.path().join("1970-01-01.db"), text).unwrap();
    let segments = open(&directory, 2).unwrap();
    assert_eq!((messages(&segments.reader()), segments.damage.count()), (vec!["second".to_owned()], 2));
    let names = file_names(directory.path());
    assert!(names.contains("1970-01-01.db.damaged") && names.contains("1970-01-01.db.damaged2"), "{names:?}");
}

#[test]
fn a_file_that_is_damaged_while_it_is_open_does_not_stop_the_others() {
    let (directory, _) = damaged(&|_| ());
    let mut segments = open(&directory, 1).unwrap();
    // All but the first page, from which SQLite knows that it is a database.
    let path = directory.path().join("1970-01-01.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].fill(7);
    fs::write(&path, bytes).unwrap();
    assert_eq!((messages(&segments.reader()), segments.damage.count()), (vec!["second".to_owned()], 1));
    segments.append(2, &mut [entry(0, "again"), entry(1, "third")]).unwrap();
    assert_eq!(messages(&segments.reader()), ["third", "second", "again"]);
    assert!(file_names(directory.path()).contains("1970-01-01.db.damaged"));
}

#[test]
fn a_file_of_a_newer_layout_is_left_where_it_is() {
    let newer = |path: &Path| {
        Connection::open(path.join("1970-01-01.db")).unwrap().pragma_update(None, "user_version", 2).unwrap();
    };
    let (directory, _) = damaged(&newer);
    let segments = open(&directory, 1).unwrap();
    assert_eq!((messages(&segments.reader()), segments.damage.count()), (vec!["second".to_owned()], 1));
    drop(segments);
    assert_eq!(segment_names(directory.path()), ["1970-01-01.db", "1970-01-02.db"]);
}

#[test]
fn no_question_reads_more_than_its_page() {
    let directory = TempDir::new().unwrap();
    let mut segments = open(&directory, 0).unwrap();
    segments.append(1, &mut [entry(0, "")]).unwrap();
    let connection = Connection::open(directory.path().join("1970-01-01.db")).unwrap();
    let statuses = [None, Some(StatusKind::Completed), Some(StatusKind::Failed), Some(StatusKind::Postponed)];
    let phases = [None, Some(Phase::Main), Some(Phase::Error)];
    let mut lines = Vec::new();
    for (status, phase) in statuses.into_iter().flat_map(|status| phases.map(|phase| (status, phase))) {
        let query = Query::new(JOB, &HistoryFilter { status, phase, ..ALL }, None);
        let mut statement = connection.prepare(&format!("explain query plan {}", query.sql())).unwrap();
        let plan = statement.query_map([0; 5], |row| row.get::<_, String>("detail")).unwrap();
        let plan = plan.collect::<Result<Vec<_>, _>>().unwrap().join("; ");
        lines.push(format!("{status:?} {phase:?}: {plan}"));
    }
    assert_snapshot!(lines.join("\n"), @"
    None None: SEARCH attempt USING INDEX attempt_of_job (job=? AND started>? AND started<?)
    None Some(Main): SEARCH attempt USING INDEX attempt_of_job (job=? AND started>? AND started<?)
    None Some(Error): SEARCH attempt USING INDEX trouble_of_job (job=? AND started>? AND started<?)
    Some(Completed) None: SEARCH attempt USING INDEX attempt_of_job (job=? AND started>? AND started<?)
    Some(Completed) Some(Main): SEARCH attempt USING INDEX attempt_of_job (job=? AND started>? AND started<?)
    Some(Completed) Some(Error): SEARCH attempt USING INDEX trouble_of_job (job=? AND started>? AND started<?)
    Some(Failed) None: SEARCH attempt USING INDEX trouble_of_job (job=? AND started>? AND started<?)
    Some(Failed) Some(Main): SEARCH attempt USING INDEX trouble_of_job (job=? AND started>? AND started<?)
    Some(Failed) Some(Error): SEARCH attempt USING INDEX trouble_of_job (job=? AND started>? AND started<?)
    Some(Postponed) None: SEARCH attempt USING INDEX trouble_of_job (job=? AND started>? AND started<?)
    Some(Postponed) Some(Main): SEARCH attempt USING INDEX trouble_of_job (job=? AND started>? AND started<?)
    Some(Postponed) Some(Error): SEARCH attempt USING INDEX trouble_of_job (job=? AND started>? AND started<?)
    ");
}
