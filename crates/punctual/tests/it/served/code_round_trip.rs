//! Export, apply, export: what comes out twice is the same, whatever is in the store.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::Served;
use super::cli::command;
use crate::cli::told;

/// Names that are hard on files, shells, addresses or YAML.
fn names() -> impl Strategy<Value = String> {
    let odd =
        ["yes", "null", "1e3", "~", "a b", "-x", "é:ü", "y: z", "'q'", "{a: 1}", "a&b=c", "*", "con", "08", "tab_"];
    prop_oneof![select(odd.to_vec()).prop_map(ToOwned::to_owned), "[a-z][a-z0-9-]{0,12}", "[ -~&&[^/\\\\?#%.]]{1,8}"]
}

fn actions() -> impl Strategy<Value = Value> {
    let bus = json!({ "queueName": "q", "namespace": "ns", "message": "m", "transportType": "AMQP",
        "authentication": { "sasKeyName": "k", "sasKey": "s" }, "customMessageProperties": { "fromEnv": "x" } });
    let with = |authentication: Value| json!({ "request": { "uri": "https://example.invalid/", "authentication": authentication } });
    let targets = vec![
        json!({ "request": { "uri": "https://example.invalid/a%20b?c=d", "method": "PATCH", "body": "ü\n\"---\n# x\n" } }),
        json!({ "request": { "uri": "http://example.invalid", "headers": { "fromEnv": "a", "X-B": "---" } } }),
        with(json!({ "type": "Basic", "username": "ada", "password": "p" })),
        with(json!({ "type": "ActiveDirectoryOAuth", "tenant": "t", "audience": "a", "clientId": "c", "secret": "s" })),
        json!({ "queueMessage": { "storageAccount": "acct", "queueName": "tasks", "sasToken": "?sig=x", "message": " m\n" } }),
        json!({ "serviceBusQueueMessage": bus }),
    ];
    (select(targets.clone()), proptest::option::of(select(targets)), any::<bool>()).prop_map(
        |(mut action, error, retries)| {
            if let Some(error) = error {
                action["errorAction"] = error;
            }
            if retries {
                action["retryPolicy"] = json!({ "retryType": "fixed", "retryInterval": "PT90S", "retryCount": 2 });
            }
            action
        },
    )
}

fn jobs() -> impl Strategy<Value = Value> {
    let recurrences = vec![
        Value::Null,
        json!({ "frequency": "hour", "count": 5, "endTime": "2131-01-01" }),
        json!({ "frequency": "day", "timeZone": "W. Europe Standard Time", "schedule": { "hours": [1, 23], "minutes": [0, 30] } }),
        json!({ "frequency": "month", "schedule": { "monthlyOccurrences": [{ "day": "sunday", "occurrence": -1 }] } }),
        json!({ "cron": "*/5 22-6 * * fri-mon", "timeZone": "America/New_York" }),
    ];
    let options = vec![
        Value::Null,
        json!({ "timeout": "PT5M", "overlap": "allow", "catchUp": "all", "catchUpMax": 3 }),
        json!({ "labels": { "team": "yes", "a/b": "" }, "success": { "status": ["2xx", 304], "bodyContains": "ok: yes" } }),
        json!({ "sign": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", "jitter": "30s" }),
    ];
    let state = select(vec!["enabled", "disabled"]);
    (actions(), select(recurrences), select(options), state).prop_map(|(action, recurrence, options, state)| {
        let mut job = json!({ "startTime": "2099-01-01T00:00:00Z", "action": action, "state": state });
        for (name, value) in [("recurrence", recurrence), ("options", options)] {
            if !value.is_null() {
                job[name] = value;
            }
        }
        // Calls of queues are not signed.
        if job["options"]["sign"].is_string() && job["action"]["request"].is_null() {
            job["options"] = json!({});
        }
        job
    })
}

/// A secret that the server takes where a variable of that name stands.
fn secret(variable: &str) -> &'static str {
    if variable.contains("SIGNING_KEY") { "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz" } else { "?sig=x" }
}

fn variables(text: &str) -> Vec<(String, &'static str)> {
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("fromEnv: "));
    names.filter(|name| name.len() > 1).map(|name| (name.to_owned(), secret(name))).collect()
}

fn files(directory: &Path) -> BTreeMap<String, String> {
    let read =
        |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap());
    fs::read_dir(directory).unwrap().map(|entry| read(entry.unwrap())).collect()
}

fn succeed(served: &Served, arguments: &[&str], variables: &[(String, &'static str)]) -> String {
    let said = told(command(served, arguments).envs(variables.iter().map(|(name, value)| (name, value))), "");
    assert!(said.ends_with("exit status 0"), "{arguments:?}: {said}");
    said
}

#[test]
fn export_apply_export_is_the_identity() {
    let directories = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [here, there] = [0, 1].map(|at| Served::start(directories[at].path()));
    let number = Mutex::new(0);
    let config = ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() };
    let jobs = proptest::collection::btree_map(names(), jobs(), 0..12);
    let stores = (names(), jobs, select(vec![json!({}), json!({ "tags": { "a": "no" }, "state": "disabled" })]));
    proptest!(config, |((name, jobs, collection) in stores)| {
        let number = { let mut number = number.lock().unwrap(); *number += 1; *number };
        let name = format!("{name}{number}");
        let encode = |name: &str| percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string();
        let path = format!("/v1/collections/{}", encode(&name));
        here.client().call("PUT", &path, &collection.to_string()).unwrap();
        let mut made = 0;
        for (job, body) in &jobs {
            let answer = here.client().call("PUT", &format!("{path}/jobs/{}", encode(job)), &body.to_string()).unwrap();
            prop_assert!([200, 201].contains(&answer.status), "{job}: {}", answer.body);
            made += u32::from(answer.status == 201);
        }
        let outputs = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [first, second] = [0, 1].map(|at| outputs[at].path().to_str().unwrap());
        let said = succeed(&here, &["export", "-o", first, "--", &name], &[]);
        prop_assert!(said.contains(&format!("1 collection, {made} job")), "{said}");
        let text = files(outputs[0].path()).into_values().collect::<String>();
        let variables = variables(&text);
        // Where it came from nothing changes; elsewhere all of it is made, and nothing else.
        let said = succeed(&here, &["diff", "-f", first, "--check"], &[]);
        prop_assert!(said.contains("nothing to change"), "{said}\n{text}");
        let said = succeed(&there, &["apply", "-f", first], &variables);
        prop_assert!(said.contains(&format!("{} created", made + 1)), "{said}");
        succeed(&there, &["export", "-o", second, "--", &name], &[]);
        prop_assert_eq!(files(outputs[0].path()), files(outputs[1].path()));
    });
}
