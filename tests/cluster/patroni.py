"""A pair of PostgreSQL servers under Patroni, with etcd, behind an haproxy that leads to the primary."""

import glob
import json
import os
import signal
import subprocess
import urllib.request

import database
from waiting import free_port, wait_for

HAPROXY = """
global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind {address}:{port}
  bind 127.0.0.1:{port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""


class Member:
    """A server of the pair, with the Patroni that looks after it."""

    def __init__(self, directory, number, etcd, is_synchronous):
        self.name, self.port, self.rest = f"pg{number}", free_port(), free_port()
        self.data, self.log = f"{directory}/{self.name}", open(f"{directory}/{self.name}.log", "w")
        settings = {
            "ttl": 20,
            "loop_wait": 3,
            "retry_timeout": 5,
            "maximum_lag_on_failover": 1 << 30,
            "synchronous_mode": is_synchronous,
            "postgresql": {"use_pg_rewind": True, "parameters": {"wal_log_hints": "on", "max_connections": 300}},
        }
        hosts = ["host replication all 127.0.0.1/32 trust", "host all all 127.0.0.1/32 trust", "local all all trust"]
        users = {"replication": "replicator", "superuser": "postgres", "rewind": "rewinder"}
        configuration = {
            "scope": "drill",
            "name": self.name,
            "restapi": {"listen": f"127.0.0.1:{self.rest}", "connect_address": f"127.0.0.1:{self.rest}"},
            "etcd3": {"hosts": f"127.0.0.1:{etcd}"},
            "bootstrap": {
                "dcs": settings,
                "initdb": [{"encoding": "UTF8"}, "data-checksums", {"auth-host": "trust"}, {"auth-local": "trust"}],
                "pg_hba": hosts,
            },
            "postgresql": {
                "listen": f"127.0.0.1:{self.port}",
                "connect_address": f"127.0.0.1:{self.port}",
                "data_dir": self.data,
                "bin_dir": database.programs(),
                "pgpass": f"{directory}/{self.name}.pgpass",
                "authentication": {role: {"username": name, "password": "p"} for role, name in users.items()},
                "parameters": {"unix_socket_directories": directory},
            },
        }
        self.configuration = f"{directory}/{self.name}.yml"
        with open(self.configuration, "w") as file:
            # JSON is YAML.
            json.dump(configuration, file)
        os.chmod(self.configuration, 0o644)
        self.start()

    def start(self):
        command = [*_as_postgres(), "patroni", self.configuration]
        self.process = subprocess.Popen(command, cwd="/", stdout=self.log, stderr=self.log)

    def role(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.rest}/patroni", timeout=2) as answer:
            return json.loads(answer.read())

    def is_primary(self):
        return self.role()["role"] in ("master", "primary")

    def kill(self):
        """As if the machine had lost its power: Patroni, the server and all its processes at once."""
        for process in [self.process.pid, *self.processes()]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()

    def processes(self, title=""):
        """The processes of the server, or those of them whose title has these words."""
        try:
            with open(f"{self.data}/postmaster.pid") as file:
                postmaster = int(file.readline())
        except (OSError, ValueError):
            return []
        found = [postmaster] if not title else []
        for directory in glob.glob("/proc/[0-9]*"):
            try:
                with open(f"{directory}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
                with open(f"{directory}/cmdline") as file:
                    is_meant = parent == postmaster and title in file.read()
            except OSError:
                continue
            found += [int(directory.rpartition("/")[2])] if is_meant else []
        return found


def _as_postgres():
    # Without a shell in between: the process that is started here is Patroni.
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []


class Pair:
    def __init__(self, directory, address, is_synchronous):
        self.address, self.port, self.others = address, free_port(), []
        home = database.make_directory(os.path.join(directory, "pair"))
        self.members = []
        try:
            etcd = self._start_etcd(home)
            for number in range(2):
                self.members.append(Member(home, number, etcd, is_synchronous))
                wait_for("a member runs", lambda: self.members[-1].role()["state"] == "running", 60)
            wait_for("the pair is whole", lambda: self.is_whole(is_synchronous), 60)
            self._start_haproxy(home)
            wait_for("haproxy leads to the primary", self._leads_to_primary, 30)
        except BaseException:
            self.end()
            raise

    def _start_etcd(self, home):
        client, peer = free_port(), free_port()
        command = ["etcd", "--data-dir", f"{home}/etcd", "--listen-client-urls", f"http://127.0.0.1:{client}"]
        command += ["--advertise-client-urls", f"http://127.0.0.1:{client}", "--listen-peer-urls", f"http://127.0.0.1:{peer}"]
        command += ["--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}"]
        command += ["--initial-cluster", f"default=http://127.0.0.1:{peer}"]
        self._begin(home, "etcd", command)
        health = f"http://127.0.0.1:{client}/health"
        wait_for("etcd", lambda: urllib.request.urlopen(health, timeout=2).status == 200, 30)
        return client

    def _start_haproxy(self, home):
        servers = [f"  server {it.name} 127.0.0.1:{it.port} check port {it.rest}" for it in self.members]
        with open(f"{home}/haproxy.cfg", "w") as file:
            file.write(HAPROXY.format(address=self.address, port=self.port, servers="\n".join(servers)))
        self._begin(home, "haproxy", ["/usr/sbin/haproxy", "-db", "-f", f"{home}/haproxy.cfg"])

    def _begin(self, home, name, command):
        log = open(f"{home}/{name}.log", "w")
        self.others.append(subprocess.Popen(command, cwd="/", stdout=log, stderr=log))

    def _leads_to_primary(self):
        """Whether every new connection is one to the primary: haproxy takes turns until it has looked at both."""
        try:
            return all(self.query("select pg_is_in_recovery() as it")[0]["it"] == "f" for _ in range(6))
        except AssertionError:
            return False

    def is_whole(self, is_synchronous):
        """Whether one is primary, and the other follows it and may take its place: synchronously if it is to, and Patroni knows it."""
        primary = self.primary()
        with urllib.request.urlopen(f"http://127.0.0.1:{primary.rest}/cluster", timeout=2) as answer:
            members = json.loads(answer.read())["members"]
        roles = sorted(member["role"] for member in members if member["state"] in ("running", "streaming"))
        followers = [follower["sync_state"] for follower in primary.role().get("replication", [])]
        expected = ("sync", "sync_standby") if is_synchronous else ("async", "replica")
        return followers == [expected[0]] and roles == sorted(["leader", expected[1]])

    def primary(self):
        for member in self.members:
            try:
                if member.is_primary():
                    return member
            except OSError:
                pass
        return None

    def url(self):
        return f"postgres://postgres@{self.address}:{self.port}/postgres?sslmode=disable"

    def query(self, sql):
        return database.query(f"postgres://postgres@127.0.0.1:{self.port}/postgres", sql)

    def end(self):
        for member in self.members:
            member.kill()
        for process in self.others:
            process.kill()
            process.wait()
