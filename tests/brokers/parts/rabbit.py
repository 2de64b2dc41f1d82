"""RabbitMQ of Debian with its plug-in for AMQP 1.0."""

import json
import os
import pwd
import shutil
import subprocess

from parts.ports import free_port, is_open
from parts.program import Program

USER, PASSWORD = "scheduler", "a password of tests"
# A queue that is still there when the broker was started again.
LASTING_QUEUE = "lasting"
DEFINITIONS = {
    "vhosts": [{"name": "/"}],
    "users": [{"name": USER, "password": PASSWORD, "tags": ""}],
    "permissions": [{"user": USER, "vhost": "/", "configure": ".*", "write": ".*", "read": ".*"}],
    "queues": [{"name": LASTING_QUEUE, "vhost": "/", "durable": True, "auto_delete": False, "arguments": {}}],
}
SERVER = "/usr/lib/rabbitmq/bin/rabbitmq-server"


class Rabbit:
    """A node of its own, that can be stopped and started again and then has what it had."""

    def __init__(self, directory, certificate, authority):
        self.directory = directory / "rabbit"
        self.directory.mkdir()
        self.port, self.tls_port = free_port(), free_port()
        self._write_settings(certificate, authority)
        # It refuses to run as root where it has a user of its own.
        user = _user()
        if user:
            _give(self.directory, user)
        environment = self._environment()
        self.program = Program(self.directory / "out", [SERVER], environment, user and user.pw_uid)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        # Erlang leaves a daemon behind that knows the names of nodes.
        subprocess.run(["epmd", "-kill"], env=self.program.environment, capture_output=True)

    def namespace(self, name, port, scheme="amqp", queue="/queue/{queue}"):
        """A table of the settings that makes it a namespace."""
        return f"""[[service_bus.namespaces]]
name = "{name}"
amqp_endpoint = "{scheme}://localhost:{port}"
login = "plain"
queue_address = "{queue}"
topic_address = "/topic/{{topic}}"

"""

    def start(self):
        self.program.start(lambda: is_open(self.port) and is_open(self.tls_port))

    def stop(self):
        self.program.stop()

    def _write_settings(self, certificate, authority):
        tls = self.directory / "tls"
        tls.mkdir()
        for file in (certificate.chain, certificate.key, authority):
            shutil.copy(file, tls)
        (self.directory / "rabbitmq.conf").write_text(f"""listeners.tcp.1 = 127.0.0.1:{self.port}
listeners.ssl.1 = 127.0.0.1:{self.tls_port}
ssl_options.cacertfile = {tls / authority.name}
ssl_options.certfile = {tls / certificate.chain.name}
ssl_options.keyfile = {tls / certificate.key.name}
ssl_options.verify = verify_none
ssl_options.fail_if_no_peer_cert = false
loopback_users = none
load_definitions = {self.directory}/definitions.json
# Who does not say who it is, is the same: by this the messages are read back.
amqp1_0.default_user = {USER}
""")
        (self.directory / "definitions.json").write_text(json.dumps(DEFINITIONS))
        (self.directory / "enabled_plugins").write_text("[rabbitmq_amqp1_0].\n")

    def _environment(self):
        directory = str(self.directory)
        return {
            "PATH": os.environ["PATH"],
            "HOME": directory,
            "RABBITMQ_NODENAME": f"punctual-{self.port}@localhost",
            "RABBITMQ_CONFIG_FILE": f"{directory}/rabbitmq.conf",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{directory}/enabled_plugins",
            "RABBITMQ_MNESIA_BASE": f"{directory}/mnesia",
            "RABBITMQ_LOG_BASE": f"{directory}/log",
            "RABBITMQ_DIST_PORT": str(free_port()),
            # Without these it listens on every address of the machine.
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(free_port()),
            # So that it can be told to end, whoever is still registered there.
            "ERL_EPMD_RELAXED_COMMAND_CHECK": "true",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        }


def _user():
    if os.getuid() != 0:
        return None
    return pwd.getpwnam("rabbitmq")


def _give(directory, user):
    for path in (directory, *directory.rglob("*")):
        os.chown(path, user.pw_uid, user.pw_gid)
