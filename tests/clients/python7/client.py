"""azure-mgmt-scheduler 7.0.0, the last generation of the Python client."""

import os
import time

from azure.core.credentials import AccessToken
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceNotFoundError,
)
from azure.mgmt.scheduler import SchedulerManagementClient, models

import scenario
from report import equal

EXCEPTIONS = {
    400: HttpResponseError,
    401: ClientAuthenticationError,
    404: ResourceNotFoundError,
    409: ResourceExistsError,
}


class Token:
    def __init__(self, token):
        self.token = token

    def get_token(self, *_scopes, **_options):
        return AccessToken(self.token, int(time.time()) + 3600)


class Client:
    name = "python7"
    models = models
    # It writes back whatever it read.
    unwritable = ()

    def __init__(self, subscription, token):
        client = SchedulerManagementClient(
            Token(token or os.environ["PUNCTUAL_TOKEN"]),
            subscription,
            base_url=os.environ["PUNCTUAL_URL"],
            connection_verify=os.environ["PUNCTUAL_CA"],
            credential_scopes=["https://punctual.test/.default"],
        )
        self.collections = client.job_collections
        self.jobs = client.jobs

    def read_enum(self, name):
        """This generation hands on the text of the server, and the original service wrote it in lower case."""
        return name.lower()

    def read_first_letter(self, name):
        return name[0].lower() + name[1:]

    def disable_collection(self, group, name):
        equal(self.collections.begin_disable(group, name).result(), None)

    def enable_collection(self, group, name):
        equal(self.collections.begin_enable(group, name).result(), None)

    def delete_collection(self, group, name):
        equal(self.collections.begin_delete(group, name).result(), None)

    def put_job(self, group, collection, name, properties):
        return self.jobs.create_or_update(group, collection, name, models.JobDefinition(properties=properties))

    def put_job_for_warning(self, group, collection, name, properties):
        seen = []
        job = models.JobDefinition(properties=properties)
        hook = lambda answer: seen.append(answer.http_response.headers.get("Warning", ""))
        self.jobs.create_or_update(group, collection, name, job, raw_response_hook=hook)
        return seen[0]

    def patch_job(self, group, collection, name, properties):
        return self.jobs.patch(group, collection, name, models.JobDefinition(properties=properties))

    def failure(self, call):
        try:
            call()
        except HttpResponseError as error:
            equal(type(error), EXCEPTIONS[error.status_code])
            return scenario.failure(error.status_code, error.error.code, error.error.message)
        raise AssertionError("no exception")


scenario.run(Client)
