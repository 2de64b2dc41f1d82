//! `punctual collection`.

use insta::assert_snapshot;

use super::Served;
use super::cli::punctual;

#[test]
fn collections_are_made_changed_and_deleted() {
    let data = tempfile::tempdir().unwrap();
    let served = Served::start(data.path());
    assert_snapshot!(punctual(&served, "collection create ops --max-jobs 5 --max-every 1m --tag team=ops --tag a=b"), @"
    -- stdout
    collection ops
    state enabled
    plan -
    limits 5 jobs, every 1 minute
    tag a=b
    tag team=ops
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "collection create ops"), @"
    -- stderr
    error: there is a collection ops already, and it was not touched; change it: punctual collection edit ops
    -- exit status 1
    ");
    assert_snapshot!(punctual(&served, "collection list"), @"
    -- stdout
    COLLECTION STATE PLAN LIMITS
    default enabled - -
    ops enabled - 5 jobs, every 1 minute
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "collection list --output name"), @"
    -- stdout
    default
    ops
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "collection set ops --max-jobs 7 --tag a="), @"
    -- stdout
    collection ops
    state enabled
    plan -
    limits 7 jobs, every 1 minute
    tag team=ops
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "collection set ops"), @"
    -- stderr
    error: collection set: given nothing, expected a flag that says what to change
    -- exit status 2
    ");
    assert_snapshot!(punctual(&served, "collection show ops --output yaml"), @"
    -- stdout
    name: ops
    path: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/default/providers/Microsoft.Scheduler/jobCollections/ops
    state: enabled
    quota:
    maxJobCount: 7
    maxRecurrence:
    frequency: minute
    interval: 1
    tags:
    team: ops
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "collection disable ops"), @"
    -- stderr
    ops is disabled
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "collection enable opss"), @"
    -- stderr
    error: The Resource 'Microsoft.Scheduler/jobcollections/opss' under resource group 'default' was not found. Did you mean ops?
    -- exit status 3
    ");
    assert_snapshot!(punctual(&served, "collection enable ops"), @"
    -- stderr
    ops is enabled
    -- exit status 0
    ");
    assert!(punctual(&served, "add https://example.invalid --name ops/a --at 2099-01-01").ends_with("exit status 0"));
    assert_snapshot!(punctual(&served, "collection delete ops"), @"
    -- stderr
    error: ops has jobs, which would be deleted with it; say so with --yes
    -- exit status 1
    ");
    assert_snapshot!(punctual(&served, "collection delete ops --yes"), @"
    -- stderr
    ops is deleted
    -- exit status 0
    ");
    assert_snapshot!(punctual(&served, "collection show ops"), @"
    -- stderr
    error: The Resource 'Microsoft.Scheduler/jobcollections/ops' under resource group 'default' was not found.
    -- exit status 3
    ");
}
