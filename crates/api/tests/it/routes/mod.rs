//! What each route answers.

mod alert_edits;
mod alerts;
mod audit;
mod changes;
mod cluster;
mod collections;
mod events;
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
mod sign_in_link;
mod tokens;
mod unknown;
mod versions;
