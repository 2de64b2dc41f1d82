//! What flags say about a collection, as the API takes it.

use clap::Args;
use punctual_model::Violation;
use punctual_model::recurrence::Frequency;
use serde_json::{Map, Value, json};

use crate::cli::every;
use crate::cli::failure::Failure;

#[derive(Args)]
pub(super) struct Definition {
    /// The plan whose limits hold: free, standard, p10Premium or p20Premium
    #[arg(long, value_name = "PLAN")]
    plan: Option<String>,

    /// How many jobs it has, at most
    #[arg(long, value_name = "NUMBER")]
    max_jobs: Option<u32>,

    /// How often its jobs run, at most: 1m, 1 hour
    #[arg(long, value_name = "INTERVAL")]
    max_every: Option<String>,

    /// A tag, as NAME=VALUE; NAME= takes it away. May be given several times
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
}

impl Definition {
    /// The members that are given.
    pub(super) fn overlay(&self) -> Result<Value, Failure> {
        let mut members = Map::new();
        if let Some(plan) = &self.plan {
            members.insert("sku".to_owned(), json!({ "name": plan }));
        }
        let mut quota = Map::new();
        if let Some(number) = self.max_jobs {
            quota.insert("maxJobCount".to_owned(), json!(number));
        }
        if let Some(text) = &self.max_every {
            let parts = every::parse(text).map_err(|expected| expected.at("--max-every", format!("{text:?}")))?;
            let frequency = parts.frequency.map(Frequency::name);
            quota.insert("maxRecurrence".to_owned(), json!({ "frequency": frequency, "interval": parts.interval }));
        }
        if !quota.is_empty() {
            members.insert("quota".to_owned(), Value::Object(quota));
        }
        let tags = self.tag.iter().map(|tag| parse_tag(tag)).collect::<Result<Map<_, _>, _>>()?;
        if !tags.is_empty() {
            members.insert("tags".to_owned(), Value::Object(tags));
        }
        Ok(Value::Object(members))
    }
}

fn parse_tag(text: &str) -> Result<(String, Value), Violation> {
    match text.split_once('=').filter(|(name, _)| !name.is_empty()) {
        Some((name, "")) => Ok((name.to_owned(), Value::Null)),
        Some((name, value)) => Ok((name.to_owned(), json!(value))),
        None => Err(Violation::new("--tag", format!("{text:?}"), "a name and a value, such as team=ops")),
    }
}
