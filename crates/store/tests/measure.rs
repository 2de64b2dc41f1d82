#![expect(clippy::unwrap_used, reason = "x")]
use std::sync::Arc;
use std::time::Instant;
use punctual_store::*;
use punctual_store::sqlite::Sqlite;
use punctual_model::Name;
use punctual_model::time::Timestamp;
use punctual_model::occurrence::*;
use punctual_model::progress::Progress;
use punctual_model::job::*;
use punctual_model::history::*;
use punctual_model::revise::*;
use punctual_model::recurrence::Anchor;

fn at(s: i64) -> Timestamp { Timestamp::from_seconds(1_800_000_000 + s).unwrap() }

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn measure() {
    let dir = std::path::PathBuf::from("/tmp/h3/target/measure");
    let _ = std::fs::remove_dir_all(&dir);
    let open = || Sqlite::open(&dir, None, Box::new(|r: String| panic!("{r}"))).unwrap();
    let store = open();
    let n = |t: &str| Name::parse(t).unwrap();
    let key = CollectionKey { subscription: n("s"), group: n("g"), collection: n("c") };
    let c = store.put_collection(CollectionWrite { key, collection: punctual_model::collection::Collection {
        name: n("c"), location: None, tags: Default::default(), sku: None, state: punctual_model::collection::CollectionState::Enabled, quota: None },
        replaces: None, stopped_at: None, pause: None, collections_max: None }).await.unwrap();
    let def = punctual_api::wire::parse_job(r#"{"recurrence": {"frequency": "Minute"}, "action": {"request": {"uri": "https://example.com", "body": "hello world"}}}"#).unwrap().value.definition;
    let definition = Definition { start: def.start, action: def.action.complete(None).unwrap(), recurrence: def.recurrence, options: def.options };
    let open_occ = Occurrence { repeat: 1, series: 1, ..Occurrence::asked_for(Origin::Schedule, at(0), at(0)) };
    let job = Stored { definition, standing: Standing::Enabled, anchor: Anchor::Creation(at(0)), series: 1, progress: Progress { open: Some(open_occ), ..Progress::new(1, at(0)) } };
    store.put_job(JobWrite { collection: (c.id, c.revision), name: n("j"), source: JobSource::New { uid: Uid::from_bytes([1; 16]), jobs_max: None }, job, not_run: vec![], now: at(0) }).await.unwrap();
    drop(store);
    let db = rusqlite::Connection::open(dir.join("punctual.db")).unwrap();
    let columns = |t: &str| db.query_row(&format!("select group_concat(name, ', ') from pragma_table_info('{t}') where name not in ('id','name')"), [], |r| r.get::<_, String>(0)).unwrap();
    for (t, extra, value) in [("work", "", ""), ("job", "name, ", "'job-' || number, ")] {
        let cols = columns(t);
        db.execute_batch(&format!("with recursive numbers (number) as (select 2 union all select number + 1 from numbers where number < 1000000)
            insert into {t} (id, {extra}{cols}) select number, {value}{cols} from {t}, numbers where {t}.id = 1")).unwrap();
    }
    db.execute_batch("pragma wal_checkpoint(truncate)").unwrap();
    drop(db);
    let store = Arc::new(open());
    println!("made");
    for round in 0..3 {
        let started = Instant::now();
        let mut after = None; let mut keys = vec![];
        loop {
            let page = store.due(DuePage { after, until: Timestamp::MAX, lane: None, limit: 5000 }).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(*last);
            keys.extend(page);
        }
        println!("due: {} in {:?}", keys.len(), started.elapsed());
        let with_history = round == 2;
        for (what, step, count) in [("in order", 1usize, 200_000usize), ("random", 611_953, 30_000)] {
            let ids: Vec<WorkId> = (0..count).map(|i| WorkId(((i * step + round * 200_000) % 1_000_000) as i64 + 1)).collect();
            let mut reading = std::time::Duration::ZERO;
            let mut writing = std::time::Duration::ZERO;
            let mut pending: Vec<WorkChange> = vec![];
            let mut done = 0;
            for chunk in ids.chunks(500) {
                let started = Instant::now();
                let entries = store.work(chunk.to_vec()).await.unwrap();
                reading += started.elapsed();
                assert_eq!(entries.len(), chunk.len());
                pending.extend(entries.iter().map(|e| {
                    let OpenWork::Schedule(p) = e.open else { panic!() };
                    let progress = Progress { accounted: at(60), started: 1, open: Some(Occurrence { nominal: at(120 + round as i64 * 60), wake_at: at(120 + round as i64 * 60), ..p.open.unwrap() }), ..p };
                    let records = if with_history { vec![HistoryEntry { job: e.job, node: 0, revision: 1, is_duplicate: false, record: Record { started: at(0), ended: at(1), occurrence: OccurrenceId::from_bytes([3; 16]), origin: Origin::Schedule, phase: Phase::Main, retry: 0, repeat: 1, status: Status::Completed(at(0)), is_resent: false, message: "HTTP 200 OK: hello".into() } }] } else { vec![] };
                    WorkChange { id: e.id, job: e.job, revision: e.revision, row: RowChange::Schedule { progress, beside: None }, lane: e.lane, counted: Counters { executions: 1, failures: 0, faulted: 0, last_started: Some(at(1)) }, ends: None, records }
                }));
                if pending.len() == 1000 {
                    let changes = std::mem::take(&mut pending);
                    done += changes.len();
                    let started = Instant::now();
                    let w = store.write_work(changes, vec![]).await.unwrap();
                    writing += started.elapsed();
                    assert!(w.iter().all(|w| *w != Written::Stale));
                }
            }
            println!("{what}, history {with_history}: {:.0} settlements/s; read of 500: {:.2} ms", done as f64 / writing.as_secs_f64(), reading.as_secs_f64() * 1e3 / (count as f64 / 500.0));
        }
    }
    let started = Instant::now();
    let d = store.definitions((1..=1).map(JobId).collect()).await.unwrap();
    println!("definition {:?} {}", started.elapsed(), d.len());
    let ids: Vec<JobId> = vec![JobId(1); 512];
    let started = Instant::now();
    let d = store.definitions(ids).await.unwrap();
    println!("512 definitions {:?} {}", started.elapsed(), d.len());
}
