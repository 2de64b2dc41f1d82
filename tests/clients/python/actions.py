"""One job definition for each kind of action, in the models of the client."""

import datetime

UTC = datetime.timezone.utc
# So far away that no job here ever runs by itself.
START = datetime.datetime(2037, 1, 2, 10, 20, 30, 123000, tzinfo=UTC)
END = datetime.datetime(2038, 1, 2, tzinfo=UTC)
RETRY_INTERVAL = datetime.timedelta(minutes=1, seconds=30)
TIME_TO_LIVE = datetime.timedelta(hours=2, minutes=5)


def http(m):
    request = m.HttpRequest(uri="http://example.test/a?b=c", method="PUT", body="body", headers={"x-a": "1"})
    return m.JobAction(type="Http", request=request)


def https_basic(m):
    authentication = m.BasicAuthentication(username="clerk", password="not shown")
    request = m.HttpRequest(uri="https://example.test/", method="GET", authentication=authentication)
    return m.JobAction(type="Https", request=request)


def https_oauth(m):
    authentication = m.OAuthAuthentication(
        secret="not shown", tenant="contoso.test", audience="https://example.test/", client_id="app"
    )
    request = m.HttpRequest(uri="https://example.test/", method="GET", authentication=authentication)
    return m.JobAction(type="Https", request=request)


def storage_queue(m):
    message = m.StorageQueueMessage(storage_account="account", queue_name="queue", sas_token="sv=1&sig=x", message="hi")
    return m.JobAction(type="StorageQueue", queue_message=message)


def service_bus_queue(m):
    properties = m.ServiceBusBrokeredMessageProperties(
        content_type="text/plain",
        correlation_id="c",
        label="l",
        message_id="m",
        session_id="s",
        force_persistence=True,
        time_to_live=TIME_TO_LIVE,
        scheduled_enqueue_time_utc=END,
    )
    message = m.ServiceBusQueueMessage(
        namespace="bus-of-tests",
        queue_name="queue",
        transport_type="AMQP",
        message="hi",
        authentication=_shared_access_key(m),
        brokered_message_properties=properties,
        custom_message_properties={"colour": "red"},
    )
    return m.JobAction(type="ServiceBusQueue", service_bus_queue_message=message)


def service_bus_topic(m):
    message = m.ServiceBusTopicMessage(
        namespace="bus-of-tests",
        topic_path="topic",
        transport_type="NetMessaging",
        message="hi",
        authentication=_shared_access_key(m),
    )
    return m.JobAction(type="ServiceBusTopic", service_bus_topic_message=message)


def with_retries_and_error_action(m):
    action = http(m)
    action.retry_policy = m.RetryPolicy(retry_type="Fixed", retry_interval=RETRY_INTERVAL, retry_count=3)
    queue = storage_queue(m).queue_message
    action.error_action = m.JobErrorAction(
        type="StorageQueue", queue_message=queue, retry_policy=m.RetryPolicy(retry_type="None")
    )
    return action


def _shared_access_key(m):
    return m.ServiceBusAuthentication(sas_key="not shown", sas_key_name="sender", type="SharedAccessKey")
