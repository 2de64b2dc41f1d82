//! What is told while many write: in the order of its numbers, and all of it.

use std::collections::BTreeSet;

use punctual_store::{EventPlace, Store, Told};

use crate::engine::{record, write};
use crate::sample::{edited, make_collection, make_job};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_watches_misses_nothing() {
    let schema = schema!();
    let nodes = [schema.node().await, schema.node().await];
    let collection = make_collection(&*nodes[0], "s/g/c").await;
    let (mut watcher, began) = nodes[0].events().watch();
    let mut writers = Vec::new();
    for number in 0..8_usize {
        let (node, collection) = (nodes[usize::from(number == 7)].clone(), collection.clone());
        writers.push(tokio::spawn(async move {
            let mut job = make_job(&*node, &collection, &number.to_string()).await;
            for round in 1..6 {
                write(&*node, Vec::new(), vec![record(job.id, round)]).await;
                job = node.put_job(edited(&collection, &job)).await.unwrap();
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    make_job(&*nodes[0], &collection, "last").await;
    // What the other node has written last is told when this one looks for it.
    nodes[0].follow().await.unwrap();
    let told: Vec<Told> = watcher.take(1000).unwrap();
    // A job that is made, and five times a record and an edit, eight times; and the last job.
    assert_eq!(told.len(), 8 * 11 + 1);
    assert!(told.iter().all(|(place, _)| began.is_before(*place)));
    assert!(told.windows(2).all(|pair| pair[0].0.is_before(pair[1].0)), "in order");
    let places: BTreeSet<(u64, u64)> = told.iter().map(|(place, _)| (place.history, place.change)).collect();
    assert_eq!(places.len(), told.len(), "each has a place");

    let until = nodes[0].events().watch().1;
    let (mut after, mut stored) = (began, 0);
    while after != until {
        let page = nodes[1].told(after, until, 7).await.unwrap();
        stored += page.events.len();
        after = page.reached;
    }
    assert_eq!(stored, told.len(), "and it is told the same later, by any node");
    assert_eq!(nodes[1].told(EventPlace::default(), until, 1000).await.unwrap().events.len(), told.len() + 1);
}
