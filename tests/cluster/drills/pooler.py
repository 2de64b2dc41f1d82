"""What docs/cluster.md says about PgBouncer: refused as it comes, works in session mode with two settings, not in transaction mode."""

import json
import os
import socket
import subprocess
import urllib.error
import urllib.request

from database import AS_POSTGRES
from node import BINARY, clean_environment
from waiting import free_port, wait_for

SETTINGS = """[databases]
* = host=127.0.0.1 port={server} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = 60
max_client_conn = 200
logfile = {log}
{ignored}
"""


def drill(cluster, is_long):
    directory = os.path.join(cluster.database.data, "pooler")
    subprocess.run([*AS_POSTGRES, "mkdir", directory], check=True)
    for name in ("pooled", "torn"):
        cluster.query(f"create database {name}")
        cluster.query(f"alter database {name} set search_path = punctual")
    with Pooler(cluster, directory, "session", "") as pooler, Served(pooler, "pooled", directory) as server:
        said = "unsupported startup parameter: options"
        wait_for("a node is refused", lambda: server.process.poll() not in (None, 0) and said in server.said())
    ignored = "ignore_startup_parameters = extra_float_digits, options"
    with Pooler(cluster, directory, "session", ignored) as pooler, Served(pooler, "pooled", directory) as server:
        uri = f"{cluster.receiver.url}/steady/x-pooled"
        body = {"action": {"request": {"uri": uri}}, "recurrence": {"cron": "* * * * * *"}}
        wait_for("a job is made", lambda: server.call("PUT", "/v1/jobs/pooled", body))
        wait_for("it runs", lambda: server.call("GET", "/v1/jobs/pooled")["status"]["executionCount"] >= 3)
    with Pooler(cluster, directory, "transaction", ignored) as pooler, Served(pooler, "torn", directory) as server:
        wait_for("statements are not known", lambda: 'prepared statement "s' in server.said())
        wait_for("requests are refused", server.is_busy)
    # Its calls are of another database, about which the checker knows nothing.
    cluster.receiver.calls[:] = [call for call in cluster.receiver.calls if not call.path.endswith("x-pooled")]
    print("PgBouncer: refused as it comes; session mode works if the database has the settings; in transaction mode nothing works")


class Pooler:
    def __init__(self, cluster, directory, mode, ignored):
        self.port = free_port()
        file, log = f"{directory}/{self.port}.ini", f"{directory}/{self.port}.log"
        text = SETTINGS.format(server=cluster.database.port, port=self.port, mode=mode, ignored=ignored, log=log)
        subprocess.run([*AS_POSTGRES, "tee", file], input=text, text=True, check=True, stdout=subprocess.DEVNULL)
        as_postgres = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if AS_POSTGRES else []
        self.process = subprocess.Popen([*as_postgres, "/usr/sbin/pgbouncer", "-q", file], cwd="/")

    def __enter__(self):
        wait_for("PgBouncer listens", lambda: socket.create_connection(("127.0.0.1", self.port)).close() is None)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Served:
    """A node of its own behind a pooler."""

    def __init__(self, pooler, database, directory):
        self.port = free_port()
        self.log = open(os.path.join(directory, f"node-{self.port}.log"), "w")
        url = f"postgres://postgres@127.0.0.1:{pooler.port}/{database}?sslmode=disable"
        command = [BINARY, "serve", "--no-auth", "--store", url, "--data", f"{directory}/{self.port}"]
        command += ["--listen", f"127.0.0.1:{self.port}"]
        environment = {**clean_environment(), "PUNCTUAL_SECRETS__KEY": "1 " + "5a" * 32}
        self.process = subprocess.Popen(command, env=environment, stderr=self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def said(self):
        with open(self.log.name) as log:
            return log.read()

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def is_busy(self):
        try:
            self.call("GET", "/v1/jobs")
        except urllib.error.HTTPError as error:
            return error.code == 503
        return False
