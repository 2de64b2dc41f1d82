-- When a job of the incident that is well again was first seen to succeed after the failures had settled.
alter table incident add column well_since integer;

-- The path of the job as it is written, for messages that are told when the job is gone. Null for a trouble of the server itself.
alter table incident_member add column path text;
update incident_member set path = (
    select json_extract(record, '$.subscription') || '/' || json_extract(record, '$.group') || '/'
        || json_extract(record, '$.name') || '/' || coalesce(job.name_written, job.name)
    from job join collection on collection.id = job.collection where job.id = incident_member.job
) where job > 0;

-- Who edits an alert looks at its open incidents alone, however many others have.
create index incident_of_alert on incident (alert) where closed_at is null;
