//! The schema of a new database, so that no change of it goes unseen.

use insta::assert_snapshot;
use rusqlite::Connection;

use crate::place::Directory;

/// The version of a new database, and what is said of tables and indexes that this holds for.
fn described(condition: &str) -> String {
    let directory = Directory::new();
    drop(directory.try_open().unwrap());
    let database = Connection::open(directory.path().join("punctual.db")).unwrap();
    let version: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    let sql = format!("select sql from sqlite_schema where sql is not null and ({condition}) order by type desc, name");
    let mut statement = database.prepare(&sql).unwrap();
    let described = statement.query_map([], |row| row.get::<_, String>("sql")).unwrap();
    // Without comments, which may change.
    let lines = described.flat_map(|sql| sql.unwrap().lines().map(str::to_owned).collect::<Vec<_>>());
    let lines: Vec<String> = lines.filter(|line| !line.trim_start().starts_with("--") && !line.is_empty()).collect();
    format!("version {version}\n{}", lines.join("\n"))
}

const OF_JOBS: &str = "tbl_name in ('job', 'series', 'work')";
const OF_ALERTS: &str = "tbl_name in ('alert', 'signal', 'incident', 'incident_member', 'deadline', 'delivery')";
const OF_ACCESS: &str = "tbl_name in ('assignment', 'sealing_key', 'session', 'token')";

#[test]
fn jobs_do_not_change_unseen() {
    assert_snapshot!(described(OF_JOBS), @r"
    version 3
    CREATE TABLE job (
        id integer primary key,
        collection integer not null,
        name text not null,
        name_written text,
        uid blob not null,
        revision integer not null,
        state integer not null,
        disabled_at integer,
        disabled_until integer,
        ended_at integer,
        series integer not null,
        anchor_at integer not null,
        anchor_moved integer,
        since integer not null,
        zones text not null,
        since_before integer,
        state_before integer,
        lane integer not null,
        target text not null,
        expires_at integer,
        note text,
        labels text,
        schedule text not null,
        action blob not null
    )
    CREATE TABLE series (
        job integer not null,
        number integer not null,
        uid blob not null,
        collection integer not null,
        since integer not null,
        until integer not null,
        state integer not null,
        series integer not null,
        anchor_at integer not null,
        anchor_moved integer,
        schedule text not null,
        zones text not null,
        primary key (job, number)
    ) without rowid
    CREATE TABLE work (
        id integer primary key autoincrement,
        job integer,
        kind integer not null,
        manual integer not null,
        revision integer not null,
        lane integer not null,
        resends integer not null default 0,
        nominal integer,
        phase integer,
        attempt integer,
        wake_at integer,
        repeat integer,
        series integer,
        backlog_until integer,
        failure text,
        accounted integer,
        walked_series integer,
        started integer,
        last_failed integer,
        executions integer not null,
        failures integer not null,
        faulted integer not null,
        last_started integer,
        failures_in_row integer not null default 0,
        last_success integer,
        recent integer not null default 0
    )
    CREATE INDEX job_disabled_until on job (disabled_until) where disabled_until is not null
    CREATE INDEX job_ended on job (ended_at) where ended_at is not null
    CREATE INDEX job_not_enabled on job (collection, state, name) where state <> 0
    CREATE INDEX job_searched on job (collection, name, target, state)
    CREATE INDEX series_until on series (until)
    CREATE INDEX work_beside on work (job) where job is not null
    CREATE INDEX work_due on work (wake_at, lane, id, job) where wake_at is not null
    ");
}

#[test]
fn alerts_do_not_change_unseen() {
    assert_snapshot!(described(OF_ALERTS), @"
    version 3
    CREATE TABLE alert (
        id integer primary key autoincrement,
        name text not null unique,
        name_written text,
        uid blob not null,
        revision integer not null,
        subscription text,
        resource_group text,
        collection text,
        job text,
        record text not null,
        action blob not null,
        failing_after integer,
        late_after integer,
        tells_ended integer not null,
        muted_until integer,
        muted_by text,
        changed_at integer not null,
        changed_by text not null,
        request text not null
    )
    CREATE TABLE deadline (
        alert integer not null,
        trouble text not null,
        job integer not null,
        due_at integer not null,
        expected integer,
        primary key (alert, trouble, job)
    ) without rowid
    CREATE TABLE delivery (
        id integer primary key autoincrement,
        alert integer not null,
        incident integer,
        kind text not null,
        headline text not null,
        at integer not null,
        job integer not null,
        alert_revision integer not null,
        form text not null,
        failed_attempts integer not null default 0,
        note text,
        ended_at integer,
        failure text
    )
    CREATE TABLE incident (
        id integer primary key autoincrement,
        alert integer not null,
        trouble text not null,
        target text not null,
        cause text not null,
        revision integer not null,
        opened_at integer not null,
        told_at integer,
        last_told_at integer,
        muted_until integer,
        muted_by text,
        look_at integer,
        closed_at integer
    , well_since integer)
    CREATE TABLE incident_member (
        incident integer not null,
        job integer not null,
        alert integer not null,
        trouble text not null,
        joined_at integer not null,
        detail text not null,
        left_at integer,
        is_well integer not null default 0,
        last_failure integer,
        failed_since integer,
        failed_count integer,
        failed_class integer,
        failed_code integer,
        failed_host text,
        failed_detail text,
        failed_number integer, path text,
        primary key (incident, job)
    ) without rowid
    CREATE TABLE signal (
        id integer primary key autoincrement,
        job integer not null,
        kind integer not null,
        at integer not null,
        value integer not null,
        unique (job, kind)
    )
    CREATE INDEX deadline_due on deadline (due_at)
    CREATE INDEX deadline_of_job on deadline (job)
    CREATE INDEX delivery_of_alert on delivery (alert, id)
    CREATE INDEX delivery_of_incident on delivery (incident) where ended_at is null
    CREATE INDEX delivery_open on delivery (job) where ended_at is null
    CREATE INDEX incident_closed on incident (closed_at) where closed_at is not null
    CREATE INDEX incident_look on incident (look_at) where closed_at is null and look_at is not null
    CREATE INDEX incident_member_of_job on incident_member (job, alert, trouble) where left_at is null
    CREATE INDEX incident_of_alert on incident (alert) where closed_at is null
    CREATE UNIQUE INDEX incident_open on incident (alert, trouble, target, cause)
        where closed_at is null and (told_at is null or trouble not in ('ended', 'operator'))
    ");
}

#[test]
fn access_does_not_change_unseen() {
    assert_snapshot!(described(OF_ACCESS), @r"
    version 3
    CREATE TABLE assignment (
        id integer primary key autoincrement,
        record text not null
    )
    CREATE TABLE sealing_key (id integer primary key, check_value text not null)
    CREATE TABLE session (
        hash blob primary key,
        token text,
        subject text,
        issued integer not null,
        expires integer not null,
        record text not null
    ) without rowid
    CREATE TABLE token (
        id text primary key,
        created integer not null,
        record text not null
    ) without rowid
    CREATE INDEX session_expires on session (expires)
    CREATE INDEX session_of_subject on session (subject) where subject is not null
    CREATE INDEX session_of_token on session (token) where token is not null
    ");
}

#[test]
fn the_others_do_not_change_unseen() {
    assert_snapshot!(described(&format!("not {OF_JOBS} and not {OF_ALERTS} and not {OF_ACCESS}")), @r"
    version 3
    CREATE TABLE change (
        id integer primary key autoincrement,
        path text not null,
        path_written text,
        at integer not null,
        who text not null,
        request text not null,
        edit integer not null,
        record text,
        uid blob,
        state integer,
        note text,
        labels text,
        action blob,
        muted_until integer
    , job integer)
    CREATE TABLE collection (
        id integer primary key autoincrement,
        subscription text not null,
        resource_group text not null,
        name text not null,
        revision integer not null,
        sku text,
        record text not null,
        stopped_at integer,
        jobs integer not null,
        deleted_at integer
    )
    CREATE TABLE collection_stop (
        collection integer not null,
        stopped_from integer not null,
        stopped_until integer not null,
        woken_until text not null default '',
        all_woken integer not null default 0,
        primary key (collection, stopped_from)
    ) without rowid
    CREATE TABLE failing (
        job integer primary key,
        collection integer not null,
        target text not null,
        class integer not null,
        code integer,
        host text not null,
        detail text not null,
        since integer not null,
        count integer not null,
        given_up integer not null,
        started integer not null,
        number integer not null,
        occurrence blob not null,
        retry_at integer,
        is_other integer not null
    )
    CREATE TABLE meta (name text primary key, value) without rowid
    CREATE TABLE pause (
        number integer primary key autoincrement,
        since integer not null,
        until integer,
        paused_by text not null,
        why text not null,
        holds_messages integer not null,
        resumed_by text
    )
    CREATE TABLE resource_group (
        subscription text not null,
        name text not null,
        record text not null,
        primary key (subscription, name)
    ) without rowid
    CREATE TABLE sqlite_sequence(name,seq)
    CREATE TABLE tally (
        collection integer not null,
        minute integer not null,
        succeeded integer not null,
        failed integer not null,
        not_run integer not null,
        given_up integer not null,
        primary key (collection, minute)
    ) without rowid
    CREATE INDEX change_of_new_job on change (job) where job is not null
    CREATE INDEX change_of_path on change (path, id) where job is null
    CREATE UNIQUE INDEX collection_by_path on collection (subscription, resource_group, name) where deleted_at is null
    CREATE INDEX collection_deleted on collection (id) where deleted_at is not null
    CREATE INDEX collection_stop_open on collection_stop (collection, stopped_from) where all_woken = 0
    CREATE INDEX failing_in_collection on failing (collection, job)
    CREATE INDEX failing_latest on failing (started, job)
    CREATE INDEX failing_since on failing (since, job)
    CREATE INDEX tally_by_minute on tally (minute)
    ");
}
