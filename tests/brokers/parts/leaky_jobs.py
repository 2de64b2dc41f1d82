"""Jobs of every kind with a secret in every field that can hold one, each in main action and error action."""

import base64
import json

from parts.plants import SPELLINGS

ISSUING_TENANT = "issuing.test"
REFUSED_QUEUE = "refused"


class LeakyJobs:
    """For each kind of action one job for each spelling, which is in the address that it calls."""

    def __init__(self, authority, plants, receiver, secure_receiver):
        self.authority = authority
        self.client = authority.client("caller")
        self.plants = plants
        self.receiver = receiver
        self.secure_receiver = secure_receiver
        self.kinds = [self.address, self.basic, self.certificate, self.oauth, self.oauth_token, self.queue]
        self.kinds += [self.bus_by_https, self.bus_by_amqp, self.bus_refused, self.bus_configured]

    def all(self):
        """The properties of each, by name."""
        return {
            f"{kind.__name__}-{spelling}": self.job(f"{kind.__name__}-{spelling}", kind, spelling)
            for spelling in SPELLINGS
            for kind in self.kinds
        }

    def job(self, name, kind, spelling):
        once = {"retryType": "None"}
        error = {**kind(spelling, lambda field: self.plants.plant(f"{name}.error.{field}")), "retryPolicy": once}
        main = kind(spelling, lambda field: self.plants.plant(f"{name}.{field}"))
        properties = {"action": {**main, "retryPolicy": once, "errorAction": error}}
        if "request" in main:
            key = base64.b64encode(self.plants.plant(f"{name}.sign").encode()).decode()
            properties["options"] = {"sign": {"secret": f"whsec_{key}"}}
        return properties

    # --- HTTP ---

    def request(self, plant, uri, **more):
        body = json.dumps({"first": plant("body"), "second": "nothing"})
        headers = {"x-planted": plant("header")}
        return {"request": {"uri": uri, "method": "POST", "headers": headers, "body": body, **more}}

    def address(self, spelling, plant):
        host = f"clerk:{plant('user')}@localhost:{self.receiver.port}"
        return self.request(plant, f"http://{host}/{spelling}/?code={plant('query')}")

    def basic(self, spelling, plant):
        authentication = {"type": "Basic", "username": "clerk", "password": plant("password")}
        return self.request(plant, f"{self.receiver.url}/{spelling}/", authentication=authentication)

    def certificate(self, spelling, plant):
        password = plant("password")
        pfx = self.authority.pfx(self.client, password)
        # Somewhere in the middle, where no two files are the same.
        self.plants.add_text("a PFX file", pfx[1000:1060])
        self.plants.add_text("a PFX file in binary", base64.b64decode(pfx)[750:790])
        authentication = {"type": "ClientCertificate", "pfx": pfx, "password": password}
        return self.request(plant, f"{self.secure_receiver.url}/{spelling}/", authentication=authentication)

    def oauth(self, spelling, plant, tenant=None):
        """By default the issuer refuses, and repeats the question."""
        authentication = {
            "type": "ActiveDirectoryOAuth",
            "tenant": tenant or spelling,
            "audience": "https://receiver.test",
            "clientId": "scheduler",
            "secret": plant("secret"),
        }
        return self.request(plant, f"{self.receiver.url}/{spelling}/", authentication=authentication)

    def oauth_token(self, spelling, plant):
        """The issuer gives a token, and the target repeats it."""
        return self.oauth(spelling, plant, ISSUING_TENANT)

    # --- Queues ---

    def queue(self, spelling, plant):
        sas = f"?sv=2019-07-07&sp=a&sig={plant('sas')}"
        message = {"storageAccount": "account", "queueName": spelling, "sasToken": sas, "message": plant("message")}
        return {"queueMessage": message}

    def bus_by_https(self, spelling, plant, transport="NetMessaging", key_name="sender"):
        authentication = {"type": "SharedAccessKey", "sasKeyName": key_name}
        if key_name == "sender":
            authentication["sasKey"] = plant("key")
        message = {
            "namespace": "echo",
            "queueName": spelling,
            "transportType": transport,
            "message": plant("message"),
            "authentication": authentication,
            "customMessageProperties": {"x-planted": plant("custom")},
        }
        return {"serviceBusQueueMessage": message}

    def bus_by_amqp(self, spelling, plant):
        return self.bus_by_https(spelling, plant, "AMQP")

    def bus_refused(self, _spelling, plant):
        """The broker takes no token for this queue."""
        return self.bus_by_amqp(REFUSED_QUEUE, plant)

    def bus_configured(self, spelling, plant):
        """With the key in the configuration of the server."""
        return self.bus_by_https(spelling, plant, key_name="configured")
