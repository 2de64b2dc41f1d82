"""A PostgreSQL of our own."""

import csv
import glob
import io
import os
import subprocess

from waiting import free_port

# PostgreSQL refuses to run as root.
AS_POSTGRES = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


def programs():
    """Where the programs of the newest PostgreSQL are."""
    versions = glob.glob("/usr/lib/postgresql/*/bin")
    return max(versions, key=lambda path: float(path.split("/")[-2]))


def make_directory(path):
    """Makes a directory that belongs to who runs PostgreSQL, and can be reached by them."""
    os.mkdir(path)
    if AS_POSTGRES:
        os.chmod(os.path.dirname(path), 0o755)
        subprocess.run(["chown", "postgres", path], check=True)
    return path


def query(url, sql):
    """The rows of a statement, as dictionaries of texts. An empty text stands for null as well."""
    command = [os.path.join(programs(), "psql"), "-X", "--csv", "-v", "ON_ERROR_STOP=1", "-d", url, "-f", "-"]
    done = subprocess.run(command, input=sql, capture_output=True, text=True)
    assert done.returncode == 0, f"{sql}: {done.stderr}"
    return list(csv.DictReader(io.StringIO(done.stdout)))


class Database:
    """A server that listens on this machine's own address and on the one by which nodes reach it."""

    def __init__(self, directory, address):
        self.address, self.port = address, free_port()
        self.data = make_directory(os.path.join(directory, "postgres"))
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "postgres")
        with open(os.path.join(self.data, "pg_hba.conf"), "a") as hosts:
            hosts.write("host all all 0.0.0.0/0 trust\n")
        self.start()

    def _run(self, program, *arguments):
        command = [*AS_POSTGRES, os.path.join(programs(), program), *arguments]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self):
        listen = f"-c listen_addresses=127.0.0.1,{self.address}"
        settings = f"-p {self.port} -k {self.data} {listen} -c max_connections=300"
        self._run("pg_ctl", "-D", self.data, "-o", settings, "-l", os.path.join(self.data, "log"), "-w", "start")

    def stop(self):
        """As if the machine had lost its power."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")

    def url(self, database="postgres", address=None, port=None):
        return f"postgres://postgres@{address or self.address}:{port or self.port}/{database}?sslmode=disable"

    def query(self, sql, database="postgres"):
        return query(self.url(database, "127.0.0.1"), sql)

    end = stop
