"""Azurite, the emulator of Azure Storage by its makers."""

import base64
import datetime
import os

from azure.storage.queue import QueueSasPermissions, QueueServiceClient, generate_queue_sas

from parts.ports import free_port, is_open
from parts.program import Program

ACCOUNT = "punctualtests"


class Azurite:
    """Its queues, with an account whose key is new each time."""

    def __init__(self, directory):
        self.port = free_port()
        self.key = base64.b64encode(os.urandom(64)).decode()
        # It refuses clients that are newer than itself, unless told otherwise.
        flags = "--inMemoryPersistence --silent --disableTelemetry --skipApiVersionCheck"
        command = f"azurite-queue --queueHost 127.0.0.1 --queuePort {self.port} {flags}".split()
        environment = {**os.environ, "AZURITE_ACCOUNTS": f"{ACCOUNT}:{self.key}"}
        self.program = Program(directory / "azurite.log", command, environment)

    def __enter__(self):
        self.program.start(lambda: is_open(self.port))
        endpoint = f"http://127.0.0.1:{self.port}/{ACCOUNT}"
        self.client = QueueServiceClient.from_connection_string(
            f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={self.key};QueueEndpoint={endpoint};"
        )
        return self

    def __exit__(self, *_):
        self.program.stop()

    @property
    def setting(self):
        return f'[storage_queue]\nendpoint = "http://127.0.0.1:{self.port}/{{account}}"\n'

    def make_queue(self, name):
        return self.client.create_queue(name)

    def sas(self, queue, hours=1, **permissions):
        """A signature for a queue; by default one that allows to add messages."""
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
        permission = QueueSasPermissions(**(permissions or {"add": True}))
        return generate_queue_sas(ACCOUNT, queue, account_key=self.key, permission=permission, expiry=end)
