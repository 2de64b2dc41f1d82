//! The bodies of collections.

use insta::assert_snapshot;

use super::{check_collection, filled};

#[test]
fn as_clients_write_them() {
    assert_snapshot!(check_collection(r#"{"name": "jc19054", "location": "South Central US", "tags": {"department": "marketing"}, "properties": {"sku": {"name": "P10Premium"}, "state": "Enabled", "quota": {"maxJobCount": 50, "maxJobOccurrence": 7, "maxRecurrence": {"frequency": "Day", "interval": 2}}}}"#), @r#"CollectionInput { location: Some("South Central US"), tags: Some({"department": "marketing"}), sku: Some(P10Premium), state: Some(Enabled), quota: Some(Quota { max_job_count: Some(50), max_job_occurrence: Some(7), max_recurrence: Some(Spacing { frequency: Day, interval: 2 }) }) }"#);
    assert_snapshot!(check_collection("{}"), @"CollectionInput { location: None, tags: None, sku: None, state: None, quota: None }");
    assert_snapshot!(check_collection(r#"{"tags": {"department": "marketing2"}}"#), @r#"CollectionInput { location: None, tags: Some({"department": "marketing2"}), sku: None, state: None, quota: None }"#);
    assert_snapshot!(check_collection(r#"{"location": null, "tags": {}, "properties": {"sku": null, "state": "suspended", "quota": {}}}"#), @"CollectionInput { location: None, tags: Some({}), sku: None, state: Some(Suspended), quota: Some(Quota { max_job_count: None, max_job_occurrence: None, max_recurrence: None }) }");
    assert_snapshot!(check_collection(r#"{"sku": {"name": "free"}, "quota": {"maxRecurrence": {"frequency": "hourly"}}}"#), @"
    CollectionInput { location: None, tags: None, sku: Some(Free), state: None, quota: Some(Quota { max_job_count: None, max_job_occurrence: None, max_recurrence: Some(Spacing { frequency: Hour, interval: 1 }) }) }
    ! quota.maxRecurrence.frequency: taken as Hour
    ");
    assert_snapshot!(check_collection(r#"{"properties": {"sku": {"name": "Standard", "tier": 1}, "provisioningState": "ok"}, "kind": "x"}"#), @"
    CollectionInput { location: None, tags: None, sku: Some(Standard), state: None, quota: None }
    ! kind: ignored: it means nothing here
    ! properties.sku.tier: ignored: it means nothing here
    ! properties.provisioningState: ignored: it means nothing here
    ");
}

#[test]
fn that_are_wrong() {
    assert_snapshot!(check_collection("[]"), @"✗ given a list of 0, expected an object in braces");
    assert_snapshot!(check_collection(r#"{"properties": 5}"#), @"✗ properties: given 5, expected an object in braces");
    assert_snapshot!(check_collection(r#"{"location": 5, "tags": ["a"]}"#), @"
    ✗ location: given 5, expected a text in quotes
    ✗ tags: given a list of 1, expected an object in braces
    ");
    assert_snapshot!(check_collection(r#"{"tags": {"a": 5, "b": null}}"#), @"✗ tags.a: given no text, expected a text in quotes");
    assert_snapshot!(check_collection(&filled(r#"{"tags": {"a": "~"}}"#, 300)), @"✗ tags.a: given 300 characters, expected a value of at most 256 characters");
    assert_snapshot!(check_collection(&filled(r#"{"location": "~"}"#, 200)), @"✗ location: given 200 characters, expected at most 128 characters");
    assert_snapshot!(check_collection(r#"{"properties": {"sku": "Free"}}"#), @"✗ properties.sku: given a text, expected an object in braces");
    assert_snapshot!(check_collection(r#"{"properties": {"sku": {}}}"#), @"✗ properties.sku.name: given nothing, expected the name of a plan, such as Standard");
    assert_snapshot!(check_collection(r#"{"properties": {"sku": {"name": "Gold"}}}"#), @r#"✗ properties.sku.name: given "Gold", expected one of Free, Standard, Premium, P10Premium, P20Premium"#);
    assert_snapshot!(check_collection(r#"{"properties": {"state": "deleted"}}"#), @r#"✗ properties.state: given "deleted", expected Enabled, Disabled or Suspended; a collection is deleted with DELETE"#);
    assert_snapshot!(check_collection(r#"{"properties": {"state": "Paused"}}"#), @r#"✗ properties.state: given "Paused", expected one of Enabled, Disabled, Suspended"#);
    assert_snapshot!(check_collection(r#"{"properties": {"quota": {"maxJobCount": 0, "maxJobOccurrence": -1, "maxRecurrence": {"frequency": "Day", "interval": 549}}}}"#), @"
    ✗ properties.quota.maxRecurrence.interval: given 549, expected 1 to 548 with frequency Day
    ✗ properties.quota.maxJobCount: given 0, expected 1 to 2147483647
    ✗ properties.quota.maxJobOccurrence: given -1, expected 1 to 2147483647
    ");
    assert_snapshot!(check_collection(r#"{"properties": {"quota": {"maxJobCount": "many", "maxRecurrence": {}}}}"#), @r#"
    ✗ properties.quota.maxJobCount: given "many", expected a whole number
    ✗ properties.quota.maxRecurrence.frequency: given nothing, expected the unit, such as Hour
    "#);
    assert_snapshot!(check_collection(r#"{"properties": {"quota": {"maxRecurrence": {"frequency": "often"}}}}"#), @r#"✗ properties.quota.maxRecurrence.frequency: given "often", expected one of Minute, Hour, Day, Week, Month, Year"#);
}
