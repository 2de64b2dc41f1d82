//! What each route answers.

mod alert_edits;
mod alerts;
mod audit;
mod backfill;
mod changes;
mod cluster;
mod collections;
mod disable;
mod events;
mod explain;
mod failures;
mod groups;
mod incidents;
mod jobs;
mod metrics;
mod neighbours;
mod others;
mod paths;
mod pause;
mod preview;
mod records;
mod reruns;
mod rotation;
mod tokens;
mod unknown;
mod versions;
