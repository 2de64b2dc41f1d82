-- A job is found by its name in the index that a search walks, which begins with the same columns: of two such indexes a new
-- job would be written to a page of each. Nothing but the one writer adds jobs, and it looks whether a name is free.
drop index job_by_name;

-- The job that was made by this change and is as it was made. Its change is found by the number of the job, the next page
-- of new jobs; by its path it would be written to a page of its own. It is found by its path, as all others are, once the job
-- is changed or gone: then this is null.
alter table change add column job integer;
drop index change_of_path;
create index change_of_path on change (path, id) where job is null;
create index change_of_new_job on change (job) where job is not null;
