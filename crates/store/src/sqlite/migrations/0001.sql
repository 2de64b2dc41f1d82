-- Names are kept in the form in which they are compared, beside the form in which they were written.
-- Instants are ticks of 100 ns since 1970.

create table meta (name text primary key, value) without rowid;

create table resource_group (
    subscription text not null,
    name text not null,
    record text not null,
    primary key (subscription, name)
) without rowid;

create table collection (
    id integer primary key autoincrement,
    subscription text not null,
    resource_group text not null,
    name text not null,
    revision integer not null,
    sku text,
    record text not null,
    stopped_at integer,
    jobs integer not null,
    -- Its name is free again; its jobs are removed bit by bit.
    deleted_at integer
);
create unique index collection_by_path on collection (subscription, resource_group, name) where deleted_at is null;
create index collection_deleted on collection (id) where deleted_at is not null;

-- The collection of the server's own jobs, which deliver messages. No name is empty: nobody can ask for it.
insert into collection (id, subscription, resource_group, name, revision, record, jobs)
values (0, '', '', '', 1, '{"subscription":"punctual","group":"server","name":"alerts","state":"Enabled"}', 0);

-- When the jobs of a collection did not run. It is kept after all of them were woken.
create table collection_stop (
    collection integer not null,
    stopped_from integer not null,
    stopped_until integer not null,
    -- The name of the last job that was woken.
    woken_until text not null default '',
    all_woken integer not null default 0,
    primary key (collection, stopped_from)
) without rowid;
create index collection_stop_open on collection_stop (collection, stopped_from) where all_woken = 0;

-- Definitions. Cold: written when a user writes, and once at the end of a job's life.
create table job (
    -- That of the row in work that holds its schedule.
    id integer primary key,
    collection integer not null,
    name text not null,
    -- Null where it is the same.
    name_written text,
    uid blob not null,
    revision integer not null,
    -- 0 enabled, 1 disabled, 2 completed, 3 faulted.
    state integer not null,
    disabled_at integer,
    -- Of a job that is disabled: when it is to be enabled again, if ever.
    disabled_until integer,
    -- When it was completed or faulted.
    ended_at integer,
    series integer not null,
    anchor_at integer not null,
    -- By how much a written start was moved; null if the anchor is the creation.
    anchor_moved integer,
    -- Since when state, series, anchor and schedule are these, and the zone database of then.
    since integer not null,
    zones text not null,
    -- Of a job that has ended: since when it was in which state before. Null after the next edit.
    since_before integer,
    state_before integer,
    -- That of its action, for runs beside the schedule.
    lane integer not null,
    -- What its action calls, without path and query.
    target text not null,
    -- When a certificate or signature in it ends.
    expires_at integer,
    -- What people say about it for each other: a text, and an object of texts in JSON.
    note text,
    labels text,
    schedule text not null,
    action blob not null
);
create unique index job_by_name on job (collection, name);
-- All that a search by text or target looks at, in the order of a list.
create index job_searched on job (collection, name, target, state);
create index job_not_enabled on job (collection, state, name) where state <> 0;
create index job_disabled_until on job (disabled_until) where disabled_until is not null;
create index job_ended on job (ended_at) where ended_at is not null;

-- What the schedule and the state of a job were before they became what they are: what an audit derives from.
-- Kept as long as history, also after the job.
create table series (
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
) without rowid;
create index series_until on series (until);

-- Who wrote what: written with it, and kept after it is gone. The latest 200 of each path.
create table change (
    id integer primary key autoincrement,
    -- In the form in which it is compared: subscription/group/collection, for a job with /name behind it;
    -- /alerts/name for an alert; empty for the server.
    path text not null,
    -- Null where it is the same.
    path_written text,
    at integer not null,
    who text not null,
    request text not null,
    -- 0 created, 1 changed, 2 deleted, 3 enabled, 4 disabled, 5 paused, 6 resumed, 7 muted, 8 unmuted.
    edit integer not null,
    -- What it was then; null if it was deleted. Of a job: its schedule, beside its other parts.
    record text,
    uid blob,
    state integer,
    note text,
    labels text,
    -- With fingerprints instead of secrets, and sealed.
    action blob,
    -- Until when an alert was to tell nothing.
    muted_until integer
);
create index change_of_path on change (path, id);

-- One row for each open thing. Hot and narrow.
create table work (
    id integer primary key autoincrement,
    -- Null: the schedule of the job of the same number. Else the job this occurrence runs beside the schedule of.
    job integer,
    -- 0 schedule, 1 manual, 2 backfill, 3 test; 4, 5 and 6 one of the first three that is run again.
    kind integer not null,
    -- The number of a manual run; in a schedule's row that of the last one.
    manual integer not null,
    revision integer not null,
    lane integer not null,
    -- How often a process died that may have sent it.
    resends integer not null default 0,

    -- The occurrence that is open; all null if none is.
    nominal integer,
    -- 0 the action, 1 the error action.
    phase integer,
    attempt integer,
    wake_at integer,
    repeat integer,
    series integer,
    backlog_until integer,
    -- Of an error action: why the action failed, so that the error action can say it, also when it is sent again.
    failure text,

    -- How far the schedule has come; null beside it.
    accounted integer,
    walked_series integer,
    started integer,
    last_failed integer,

    executions integer not null,
    failures integer not null,
    faulted integer not null,
    last_started integer,

    -- How the last attempts of the action ended: see the model's `health`.
    failures_in_row integer not null default 0,
    last_success integer,
    recent integer not null default 0
);
-- Ends in the job so that the row is not needed.
create index work_due on work (wake_at, lane, id, job) where wake_at is not null;
create index work_beside on work (job) where job is not null;

-- A row for each job whose last attempt failed, and only while that is so.
create table failing (
    job integer primary key,
    collection integer not null,
    target text not null,
    class integer not null,
    code integer,
    host text not null,
    detail text not null,
    -- When the first attempt in a row started that failed, and how many there were.
    since integer not null,
    count integer not null,
    -- How many occurrences were given up since then.
    given_up integer not null,
    -- The record of the last one.
    started integer not null,
    number integer not null,
    occurrence blob not null,
    retry_at integer,
    -- Whether the failure before it was of another class, or of another target.
    is_other integer not null
);
create index failing_latest on failing (started, job);
create index failing_since on failing (since, job);
create index failing_in_collection on failing (collection, job);

-- How many runs came to which outcome: a row for each minute in which something ended, and collection. Kept as long as history
-- by its age, and gone with the collection.
create table tally (
    collection integer not null,
    -- Its number since 1970.
    minute integer not null,
    succeeded integer not null,
    -- Attempts that are made again.
    failed integer not null,
    -- Nominal times.
    not_run integer not null,
    -- Attempts that are not made again.
    given_up integer not null,
    primary key (collection, minute)
) without rowid;
create index tally_by_minute on tally (minute);

-- Who is told of what.
create table alert (
    id integer primary key autoincrement,
    name text not null unique,
    -- Null where it is the same.
    name_written text,
    uid blob not null,
    revision integer not null,
    -- The names of what it watches, as they are compared; null from where it watches all.
    subscription text,
    resource_group text,
    collection text,
    job text,
    record text not null,
    -- Sealed.
    action blob not null,
    -- What settlements look for on its behalf: so many failed attempts, so many ticks late, jobs that end.
    failing_after integer,
    late_after integer,
    tells_ended integer not null,
    muted_until integer,
    muted_by text,
    changed_at integer not null,
    changed_by text not null,
    request text not null
);

-- What happened to jobs that an alert may have to tell. Taken by deleting it.
create table signal (
    id integer primary key autoincrement,
    job integer not null,
    -- 0 its health, 1 it ended with a failure, 2 it started late.
    kind integer not null,
    at integer not null,
    -- By how many ticks it was late.
    value integer not null,
    unique (job, kind)
);

-- Jobs that are in the same trouble, at the same target, for the same cause.
create table incident (
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
);
-- What has happened and was told stays open until its receiver is told the end; what happens then is another incident.
create unique index incident_open on incident (alert, trouble, target, cause)
    where closed_at is null and (told_at is null or trouble not in ('ended', 'operator'));
create index incident_look on incident (look_at) where closed_at is null and look_at is not null;
create index incident_closed on incident (closed_at) where closed_at is not null;

create table incident_member (
    incident integer not null,
    -- Below 0 for a trouble of the server itself.
    job integer not null,
    alert integer not null,
    trouble text not null,
    joined_at integer not null,
    detail text not null,
    left_at integer,
    -- Whether it is well again; else it was disabled, deleted or has ended.
    is_well integer not null default 0,
    -- When its last failed attempt had started when it left.
    last_failure integer,
    -- The rest of what was known of its failures then, as in failing.
    failed_since integer,
    failed_count integer,
    failed_class integer,
    failed_code integer,
    failed_host text,
    failed_detail text,
    failed_number integer,
    primary key (incident, job)
) without rowid;
create index incident_member_of_job on incident_member (job, alert, trouble) where left_at is null;

-- When a job is to be looked at on behalf of an alert.
create table deadline (
    alert integer not null,
    trouble text not null,
    job integer not null,
    due_at integer not null,
    -- The nominal time whose outcome is expected.
    expected integer,
    primary key (alert, trouble, job)
) without rowid;
create index deadline_due on deadline (due_at);
create index deadline_of_job on deadline (job);

-- Messages, each delivered by a job of its own.
create table delivery (
    id integer primary key autoincrement,
    alert integer not null,
    incident integer,
    kind text not null,
    headline text not null,
    at integer not null,
    job integer not null,
    -- The version of the alert that says where it goes, and its form.
    alert_revision integer not null,
    form text not null,
    -- Attempts that failed and were noted.
    failed_attempts integer not null default 0,
    -- Why the last of them failed; of a message that arrived, whom it did not reach.
    note text,
    ended_at integer,
    -- Why it did not arrive.
    failure text
);
create index delivery_open on delivery (job) where ended_at is null;
create index delivery_of_alert on delivery (alert, id);
create index delivery_of_incident on delivery (incident) where ended_at is null;

create table token (
    id text primary key,
    created integer not null,
    record text not null
) without rowid;

create table assignment (
    id integer primary key autoincrement,
    record text not null
);

-- Who has signed in to the console.
create table session (
    -- SHA-256 of the secret that the browser shows.
    hash blob primary key,
    -- The public part of the token that was shown, or the issuer and the subject: one of the two.
    token text,
    subject text,
    issued integer not null,
    expires integer not null,
    -- What the console keeps with it, in clear.
    record text not null
) without rowid;
create index session_of_token on session (token) where token is not null;
create index session_of_subject on session (subject) where subject is not null;
create index session_expires on session (expires);

-- Times in which the server starts nothing: the last ones, of which the last may go on.
create table pause (
    number integer primary key autoincrement,
    since integer not null,
    until integer,
    paused_by text not null,
    why text not null,
    holds_messages integer not null,
    resumed_by text
);

-- By which a wrong key is noticed at the start.
create table sealing_key (id integer primary key, check_value text not null);
