"""azure-mgmt-scheduler 2.0.0, the generation that was in use when the service was."""

import logging
import os

from azure.mgmt.scheduler import SchedulerManagementClient, models
from msrest.authentication import BasicTokenAuthentication
from msrest.exceptions import SerializationError
from msrestazure.azure_exceptions import CloudError

import scenario
from report import equal


class Client:
    name = "python2"
    models = models
    # What it raises before it sends a value that is not in its enums.
    unwritable = SerializationError

    def __init__(self, subscription, token):
        credentials = BasicTokenAuthentication({"access_token": token or os.environ["PUNCTUAL_TOKEN"]})
        client = SchedulerManagementClient(credentials, subscription, base_url=os.environ["PUNCTUAL_URL"])
        client.config.connection.verify = os.environ["PUNCTUAL_CA"]
        self.collections = client.job_collections
        self.jobs = client.jobs

    def read_enum(self, name):
        """This generation makes members of its enums, which are texts too, of whatever case the server writes."""
        return name

    def read_first_letter(self, name):
        return name

    def disable_collection(self, group, name):
        equal(self.collections.disable(group, name).result(), None)

    def enable_collection(self, group, name):
        equal(self.collections.enable(group, name).result(), None)

    def delete_collection(self, group, name):
        equal(self.collections.delete(group, name).result(), None)

    def put_job(self, group, collection, name, properties):
        return self.jobs.create_or_update(group, collection, name, properties)

    def put_job_for_warning(self, group, collection, name, properties):
        return self.jobs.create_or_update(group, collection, name, properties, raw=True).response.headers["Warning"]

    def patch_job(self, group, collection, name, properties):
        return self.jobs.patch(group, collection, name, properties)

    def failure(self, call):
        try:
            call()
        except CloudError as error:
            return scenario.failure(error.status_code, error.error.error, error.error.message)
        raise AssertionError("no exception")


# It would say at each reading that it does not know a value.
logging.disable(logging.WARNING)
scenario.run(Client)
