"""Everything that a Python client of Azure Scheduler can do, done to a running server.

The two generations of the client differ in how a call is made; what they differ in is their `Client`, given to `run`.
"""

import datetime
import types

import actions
from plain import Plain
from report import Report, equal, within

SUBSCRIPTION = "subscription-of-clients"
COLLECTION = "Office"
# More than one page of the server holds.
MANY = 510


def run(make_client):
    client = make_client(SUBSCRIPTION, None)
    scenario = Scenario(client, make_client)
    report = Report(client.name)
    for name, check in scenario.checks():
        report.check(name, check)
    report.finish()


class Scenario:
    """The checks, in the order in which they build upon each other."""

    def __init__(self, client, make_client):
        self.client = client
        self.make_client = make_client
        self.m = client.models
        self.group = client.name
        self.plain = Plain(SUBSCRIPTION, self.group)

    def checks(self):
        yield "JobCollections_CreateOrUpdate", self.create_collection
        yield "JobCollections_Get", self.get_collection
        yield "JobCollections_Patch", self.patch_collection
        yield "JobCollections_ListByResourceGroup", self.list_collections_of_group
        yield "JobCollections_ListBySubscription", self.list_collections_of_subscription
        yield "JobCollections_Disable", self.disable_collection
        yield "JobCollections_Enable", self.enable_collection
        yield "Jobs_CreateOrUpdate: http", self.create_http
        yield "Jobs_CreateOrUpdate: https with basic authentication", self.create_https_basic
        yield "Jobs_CreateOrUpdate: https with OAuth", self.create_https_oauth
        yield "Jobs_CreateOrUpdate: storage queue", self.create_storage_queue
        yield "Jobs_CreateOrUpdate: service bus queue", self.create_service_bus_queue
        yield "Jobs_CreateOrUpdate: service bus topic", self.create_service_bus_topic
        yield "Jobs_CreateOrUpdate: retry policy and error action", self.create_retries
        yield "Jobs_CreateOrUpdate: weekly", self.create_weekly
        yield "Jobs_CreateOrUpdate: monthly", self.create_monthly
        yield "Jobs_Get", self.get_job
        yield "Jobs_Patch", self.patch_job
        yield "Jobs_List", self.list_jobs
        yield "Jobs_List: durations", self.list_durations
        yield "Jobs_List: top and skip", self.list_top_and_skip
        yield "Jobs_List: filter", self.list_filter
        yield "Jobs_Run", self.run_job
        yield "Jobs_ListJobHistory", self.list_history
        yield "Jobs_Delete", self.delete_job
        yield "error: a job that is not there", self.missing_job
        yield "error: a collection that is not there", self.missing_collection
        yield "error: a collection that is full", self.full_collection
        yield "error: a job that is wrong", self.wrong_job
        yield "error: a wrong token", self.wrong_token
        yield f"paging: {MANY} jobs", self.list_many
        yield "round trip: nothing is lost but what the client does not know", self.round_trip
        yield "round trip: the credentials are still there", self.credentials_are_kept
        yield "beyond the original: jobs can be read, and are not changed silently by being written back", self.beyond
        yield "JobCollections_Delete", self.delete_collection

    # --- Collections ---

    def create_collection(self):
        m = self.m
        quota = m.JobCollectionQuota(
            max_job_count=40, max_recurrence=m.JobMaxRecurrence(frequency="Minute", interval=5)
        )
        properties = m.JobCollectionProperties(sku=m.Sku(name="Standard"), state="Enabled", quota=quota)
        wanted = m.JobCollectionDefinition(location="westus", tags={"a": "b"}, properties=properties)
        self.collection_is(self.client.collections.create_or_update(self.group, COLLECTION, wanted), {"a": "b"})

    def get_collection(self):
        self.collection_is(self.client.collections.get(self.group, COLLECTION), {"a": "b"})

    def patch_collection(self):
        wanted = self.m.JobCollectionDefinition(tags={"c": "d"})
        # What is patched is merged, tags too.
        self.collection_is(self.client.collections.patch(self.group, COLLECTION, wanted), {"a": "b", "c": "d"})

    def collection_is(self, collection, tags):
        equal(collection.name, COLLECTION)
        equal(collection.type, "Microsoft.Scheduler/jobCollections")
        equal(
            collection.id,
            f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{self.group}"
            f"/providers/Microsoft.Scheduler/jobCollections/{COLLECTION}",
        )
        equal(collection.location, "westus")
        equal(collection.tags, tags)
        properties = collection.properties
        equal(properties.sku.name, "Standard")
        equal(properties.state, "Enabled")
        equal(properties.quota.max_job_count, 40)
        equal(properties.quota.max_recurrence.frequency, self.client.read_enum("Minute"))
        equal(properties.quota.max_recurrence.interval, 5)

    def list_collections_of_group(self):
        listed = list(self.client.collections.list_by_resource_group(self.group))
        equal([collection.name for collection in listed], [COLLECTION])
        self.collection_is(listed[0], {"a": "b", "c": "d"})

    def list_collections_of_subscription(self):
        listed = [collection.id for collection in self.client.collections.list_by_subscription()]
        within(self.client.collections.get(self.group, COLLECTION).id, listed)
        equal(len(listed), len(set(listed)))

    def disable_collection(self):
        self.client.disable_collection(self.group, COLLECTION)
        equal(self.client.collections.get(self.group, COLLECTION).properties.state, "Disabled")

    def enable_collection(self):
        self.client.enable_collection(self.group, COLLECTION)
        equal(self.client.collections.get(self.group, COLLECTION).properties.state, "Enabled")

    def delete_collection(self):
        self.client.delete_collection(self.group, COLLECTION)
        failure = self.client.failure(lambda: self.client.collections.get(self.group, COLLECTION))
        equal(failure.status, 404)

    # --- Jobs ---

    def put(self, name, action, recurrence=None):
        """Makes a job and compares what was answered, then what is read."""
        properties = self.m.JobProperties(
            start_time=actions.START, action=action, recurrence=recurrence, state="Enabled"
        )
        for job in (self.client.put_job(self.group, COLLECTION, name, properties), self.get(name)):
            equal(job.name, f"{COLLECTION}/{name}")
            equal(job.type, "Microsoft.Scheduler/jobCollections/jobs")
            equal(job.properties.start_time, actions.START)
            equal(job.properties.state, self.client.read_enum("Enabled"))
            equal(job.properties.action.type, action.type)
        return job.properties

    def get(self, name):
        return self.client.jobs.get(self.group, COLLECTION, name)

    def create_http(self):
        request = self.put("http", actions.http(self.m)).action.request
        equal(request.uri, "http://example.test/a?b=c")
        equal(request.method, "PUT")
        equal(request.body, "body")
        equal(request.headers, {"x-a": "1"})
        equal(request.authentication, None)

    def create_https_basic(self):
        authentication = self.put("basic", actions.https_basic(self.m)).action.request.authentication
        equal(type(authentication), self.m.BasicAuthentication)
        equal((authentication.username, authentication.password), ("clerk", None))

    def create_https_oauth(self):
        authentication = self.put("oauth", actions.https_oauth(self.m)).action.request.authentication
        equal(type(authentication), self.m.OAuthAuthentication)
        equal(authentication.secret, None)
        equal(authentication.tenant, "contoso.test")
        equal(authentication.audience, "https://example.test/")
        equal(authentication.client_id, "app")

    def create_storage_queue(self):
        message = self.put("queue", actions.storage_queue(self.m)).action.queue_message
        equal((message.storage_account, message.queue_name), ("account", "queue"))
        equal((message.message, message.sas_token), ("hi", None))

    def create_service_bus_queue(self):
        message = self.put("bus-queue", actions.service_bus_queue(self.m)).action.service_bus_queue_message
        equal((message.namespace, message.queue_name, message.message), ("bus-of-tests", "queue", "hi"))
        equal(message.transport_type, "AMQP")
        self.shared_access_key_is_read(message.authentication)
        equal(message.custom_message_properties, {"colour": "red"})
        properties = message.brokered_message_properties
        equal(properties.time_to_live, actions.TIME_TO_LIVE)
        equal(properties.scheduled_enqueue_time_utc, actions.END)
        equal(properties.force_persistence, True)
        equal((properties.content_type, properties.correlation_id), ("text/plain", "c"))
        equal((properties.label, properties.message_id, properties.session_id), ("l", "m", "s"))

    def create_service_bus_topic(self):
        message = self.put("bus-topic", actions.service_bus_topic(self.m)).action.service_bus_topic_message
        equal((message.namespace, message.topic_path, message.message), ("bus-of-tests", "topic", "hi"))
        equal(message.transport_type, self.client.read_first_letter("NetMessaging"))
        self.shared_access_key_is_read(message.authentication)

    def shared_access_key_is_read(self, authentication):
        equal((authentication.sas_key_name, authentication.sas_key), ("sender", None))
        equal(authentication.type, self.client.read_first_letter("SharedAccessKey"))

    def create_retries(self):
        action = self.put("retries", actions.with_retries_and_error_action(self.m)).action
        equal(action.retry_policy.retry_type, self.client.read_enum("Fixed"))
        equal(action.retry_policy.retry_interval, actions.RETRY_INTERVAL)
        equal(action.retry_policy.retry_count, 3)
        equal(action.error_action.type, "StorageQueue")
        equal(action.error_action.queue_message.queue_name, "queue")
        equal(action.error_action.retry_policy.retry_type, self.client.read_enum("None"))

    def create_weekly(self):
        m = self.m
        days = [m.DayOfWeek("Monday"), m.DayOfWeek("Thursday")]
        schedule = m.JobRecurrenceSchedule(week_days=days, hours=[7, 19], minutes=[0, 45])
        wanted = m.JobRecurrence(frequency="Week", interval=2, count=5, end_time=actions.END, schedule=schedule)
        recurrence = self.put("weekly", actions.http(m), wanted).recurrence
        equal(recurrence.frequency, self.client.read_enum("Week"))
        equal((recurrence.interval, recurrence.count, recurrence.end_time), (2, 5, actions.END))
        equal(recurrence.schedule.week_days, [self.client.read_enum("Monday"), self.client.read_enum("Thursday")])
        equal((recurrence.schedule.hours, recurrence.schedule.minutes), ([7, 19], [0, 45]))

    def create_monthly(self):
        m = self.m
        occurrence = m.JobRecurrenceScheduleMonthlyOccurrence(day="Friday", occurrence=-1)
        schedule = m.JobRecurrenceSchedule(month_days=[1, -1], monthly_occurrences=[occurrence])
        recurrence = self.put("monthly", actions.http(m), m.JobRecurrence(frequency="Month", schedule=schedule))
        read = recurrence.recurrence.schedule
        equal(recurrence.recurrence.frequency, self.client.read_enum("Month"))
        equal(read.month_days, [1, -1])
        equal([(it.day, it.occurrence) for it in read.monthly_occurrences], [(self.client.read_enum("Friday"), -1)])

    def get_job(self):
        status = self.get("monthly").properties.status
        equal((status.execution_count, status.failure_count, status.faulted_count), (0, 0, 0))
        equal(status.last_execution_time, None)
        # The last Friday, at the time of day of the start.
        equal(status.next_execution_time, datetime.datetime(2037, 1, 30, 10, 20, 30, 123000, tzinfo=actions.UTC))

    def patch_job(self):
        before = self.get("weekly").properties
        changed = self.m.JobProperties(state="Disabled")
        after = self.client.patch_job(self.group, COLLECTION, "weekly", changed).properties
        equal(after.state, self.client.read_enum("Disabled"))
        equal(after.recurrence.as_dict(), before.recurrence.as_dict())
        equal(after.action.as_dict(), before.action.as_dict())
        equal(after.start_time, before.start_time)

    def list_jobs(self):
        names = [job.name for job in self.client.jobs.list(self.group, COLLECTION)]
        expected = "basic bus-queue bus-topic http monthly oauth queue retries weekly".split()
        equal(names, [f"{COLLECTION}/{name}" for name in expected])

    def list_durations(self):
        jobs = {job.name: job.properties.action for job in self.client.jobs.list(self.group, COLLECTION)}
        equal(jobs[f"{COLLECTION}/retries"].retry_policy.retry_interval, actions.RETRY_INTERVAL)
        message = jobs[f"{COLLECTION}/bus-queue"].service_bus_queue_message
        equal(message.brokered_message_properties.time_to_live, actions.TIME_TO_LIVE)

    def list_top_and_skip(self):
        listed = list(self.client.jobs.list(self.group, COLLECTION, top=2, skip=3))
        equal([job.name for job in listed], [f"{COLLECTION}/http", f"{COLLECTION}/monthly"])

    def list_filter(self):
        listed = list(self.client.jobs.list(self.group, COLLECTION, filter="state eq 'Disabled'"))
        equal([job.name for job in listed], [f"{COLLECTION}/weekly"])
        listed = list(self.client.jobs.list(self.group, COLLECTION, top=100, filter="state eq 'enabled'"))
        equal(len(listed), 8)

    def run_job(self):
        equal(self.client.jobs.run(self.group, COLLECTION, "http"), None)

    def list_history(self):
        history = list(self.client.jobs.list_job_history(self.group, COLLECTION, "http", top=10, skip=0))
        for record in history:
            properties = record.properties
            equal(type(properties.start_time), datetime.datetime)
            within(str(properties.action_name), ["MainAction", "JobHistoryActionName.main_action"])
        completed = self.client.jobs.list_job_history(self.group, COLLECTION, "http", filter="status eq 'Completed'")
        # Nobody answers at the address of this job.
        equal(list(completed), [])

    def delete_job(self):
        equal(self.client.jobs.delete(self.group, COLLECTION, "oauth"), None)
        equal(self.client.failure(lambda: self.get("oauth")).status, 404)

    # --- Errors ---

    def missing_job(self):
        for call in (self.client.jobs.get, self.client.jobs.run, self.client.jobs.delete):
            failure = self.client.failure(lambda: call(self.group, COLLECTION, "nobody"))
            equal((failure.status, failure.code), (404, "NotFound"))
            within("Job 'nobody' cannot be found.", failure.message)

    def missing_collection(self):
        failure = self.client.failure(lambda: self.client.collections.get(self.group, "nothing"))
        equal((failure.status, failure.code), (404, "ResourceNotFound"))
        expected = f"'Microsoft.Scheduler/jobcollections/nothing' under resource group '{self.group}' was not found."
        within(expected, failure.message)

    def full_collection(self):
        m = self.m
        properties = m.JobCollectionProperties(sku=m.Sku(name="Standard"), quota=m.JobCollectionQuota(max_job_count=1))
        self.client.collections.create_or_update(self.group, "small", m.JobCollectionDefinition(properties=properties))
        job = m.JobProperties(start_time=actions.START, action=actions.http(m))
        self.client.put_job(self.group, "small", "first", job)
        failure = self.client.failure(lambda: self.client.put_job(self.group, "small", "second", job))
        equal((failure.status, failure.code), (409, "ConflictError"))
        within("has reached its quota of '1' jobs", failure.message)

    def wrong_job(self):
        m = self.m
        schedule = m.JobRecurrenceSchedule(hours=[24])
        job = m.JobProperties(action=actions.http(m), recurrence=m.JobRecurrence(frequency="Day", schedule=schedule))
        failure = self.client.failure(lambda: self.client.put_job(self.group, COLLECTION, "wrong", job))
        equal((failure.status, failure.code), (400, "BadRequest"))
        within("properties.recurrence.schedule.hours", failure.message)

    def wrong_token(self):
        stranger = self.make_client(SUBSCRIPTION, "punctual_nobody")
        failure = self.client.failure(lambda: stranger.collections.get(self.group, COLLECTION))
        equal((failure.status, failure.code), (401, "AuthenticationFailed"))
        within("Authentication failed", failure.message)

    # --- Many ---

    def list_many(self):
        self.plain.put("jobCollections/many", {"location": "westus"})
        job = {"properties": {"startTime": "2037-01-02", "action": {"request": {"uri": "https://example.test/"}}}}
        names = [f"many/job-{number:03}" for number in range(MANY)]
        for name in names:
            self.plain.put("jobCollections/many/jobs/" + name.removeprefix("many/"), job)
        equal([job.name for job in self.client.jobs.list(self.group, "many")], names)

    # --- The round trip ---

    LAST_FRIDAY = {
        "properties": {
            "startTime": "2037-01-01T00:00:00",
            "action": {
                "type": "Https",
                "request": {
                    "uri": "https://example.test/report",
                    "method": "POST",
                    "body": "{}",
                    "headers": {"x-a": "1"},
                    "authentication": {"type": "Basic", "username": "clerk", "password": "kept"},
                },
                "retryPolicy": {"retryType": "Fixed", "retryInterval": "PT1M", "retryCount": 3},
            },
            "recurrence": {
                "frequency": "Month",
                "timeZone": "Europe/Berlin",
                "schedule": {
                    "hours": [17],
                    "minutes": [30],
                    "monthlyOccurrences": [{"day": "Friday", "occurrence": -1}],
                },
            },
            "options": {"timeout": "PT5M"},
        }
    }

    def round_trip(self):
        path = f"jobCollections/{COLLECTION}/jobs/friday"
        self.plain.put(path, self.LAST_FRIDAY)
        before = self.plain.get(path)["properties"]
        properties = self.get("friday").properties
        # 17:30 in Berlin, in winter.
        equal(properties.status.next_execution_time, datetime.datetime(2037, 1, 30, 16, 30, tzinfo=actions.UTC))
        warning = self.client.put_job_for_warning(self.group, COLLECTION, "friday", properties)
        within("properties.recurrence.timeZone", warning)
        within("properties.options.timeout", warning)
        within("2037-01-30T16:30:00Z", warning)
        expected = dict(before)
        del expected["options"]
        expected["recurrence"] = {key: value for key, value in before["recurrence"].items() if key != "timeZone"}
        # Without the zone it is 17:30 of UTC.
        expected["status"] = {**before["status"], "nextExecutionTime": "2037-01-30T17:30:00Z"}
        equal(self.plain.get(path)["properties"], expected)

    def credentials_are_kept(self):
        properties = self.get("friday").properties
        authentication = properties.action.request.authentication
        equal((authentication.username, authentication.password), ("clerk", None))
        self.client.patch_job(self.group, COLLECTION, "friday", self.m.JobProperties(state="Disabled"))
        # The same user name needs no password, since the stored one is kept; another one does.
        properties.action.request.body = "changed"
        written = self.client.put_job(self.group, COLLECTION, "friday", properties).properties
        equal(written.action.request.authentication.username, "clerk")
        equal(written.action.request.body, "changed")
        authentication.username = "somebody else"
        failure = self.client.failure(lambda: self.client.put_job(self.group, COLLECTION, "friday", properties))
        equal((failure.status, failure.code), (400, "BadRequest"))
        within("properties.action.request.authentication.password", failure.message)

    # --- What the original never had ---

    def beyond(self):
        self.plain.put("jobCollections/beyond", {"location": "westus"})
        action = {"request": {"uri": "https://example.test/"}}
        patient = {**action, "retryPolicy": {"retryType": "Exponential", "retryInterval": "PT1M"}}
        for name, action, recurrence in (
            ("cron", action, {"cron": "0 6 * * 1-5"}),
            ("patient", patient, {"frequency": "Day"}),
            ("yearly", action, {"frequency": "Year"}),
        ):
            properties = {"startTime": "2037-01-02", "action": action, "recurrence": recurrence}
            self.plain.put(f"jobCollections/beyond/jobs/{name}", {"properties": properties})
        listed = [job.name for job in self.client.jobs.list(self.group, "beyond")]
        equal(listed, ["beyond/cron", "beyond/patient", "beyond/yearly"])
        for name in ("patient", "yearly"):
            path = f"jobCollections/beyond/jobs/{name}"
            before = self.plain.get(path, "recorded")
            properties = self.client.jobs.get(self.group, "beyond", name).properties
            try:
                self.client.put_job(self.group, "beyond", name, properties)
            except self.client.unwritable:
                pass
            equal(self.plain.get(path, "recorded"), before)
        # Without its cron expression it would run once, and nobody would have asked for that.
        cron = self.client.jobs.get(self.group, "beyond", "cron").properties
        failure = self.client.failure(lambda: self.client.put_job(self.group, "beyond", "cron", cron))
        equal((failure.status, failure.code), (400, "BadRequest"))
        within("properties.recurrence.frequency", failure.message)


def failure(status, code, message):
    """What a client says of a call that failed."""
    return types.SimpleNamespace(status=status, code=code, message=message)
