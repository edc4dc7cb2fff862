"""A PostgreSQL server of the bench's own, and what it says about itself."""

import contextlib
import os
import pathlib
import select
import shutil
import subprocess
import tempfile

import psycopg2

ROOT = pathlib.Path(__file__).resolve().parents[1]


def folder_of_programs(version=None):
    """Of this version of PostgreSQL, or of the newest that is installed."""
    command = [ROOT / "scripts/postgres-bin", *([version] if version else [])]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        raise SystemExit(f"bench: {found.stderr.strip()}")
    return pathlib.Path(found.stdout.strip())

# Everything else is PostgreSQL's default: fsync, full_page_writes and synchronous_commit are on. Every
# queue gets the same. Checkpoints are far apart so that no sample pays for another one's.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0777",
    "max_connections": "300",
    "shared_buffers": "1GB",
    "max_wal_size": "16GB",
    "checkpoint_timeout": "1h",
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track": "none",
    "log_line_prefix": "%d %p ",
    "log_parameter_max_length": "0",
}
TOLD_SETTINGS = ("max_connections", "shared_buffers", "max_wal_size", "checkpoint_timeout")


def place(durable):
    """Not /tmp, which is often not a disk. What is not measured may lie in memory, if there is room."""
    memory = pathlib.Path("/dev/shm")
    if not durable and memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= 4 << 30:
        return memory
    return "/var/tmp"


def as_server_user(command):
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", *command]


class Cluster:
    def __init__(self, durable=True, version=None):
        self.durable = durable
        self.programs = folder_of_programs(version)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rowrunner-bench-", dir=place(durable)))
        self.data = self.folder / "data"
        self.log = self.folder / "log"

    def start(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.folder.chmod(0o755)
        self._run("initdb", "-D", self.data, "-U", "dev", "-E", "UTF8", "--locale=C.UTF-8",
                  "--auth-local=trust", "--auth-host=reject", *([] if self.durable else ["--no-sync"]))
        settings = dict(SETTINGS, unix_socket_directories=str(self.folder))
        if not self.durable:
            settings["fsync"] = "off"
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as conf:
            conf.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self._run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.log)
        with self.connect("postgres") as db:
            db.run("CREATE EXTENSION pg_stat_statements")

    def stop(self):
        if (self.data / "postmaster.pid").exists():
            self._run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", self.data)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program, *arguments):
        command = as_server_user([str(self.programs / program), *map(str, arguments)])
        done = subprocess.run(command, cwd="/", text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise SystemExit(f"bench: {program} failed: {done.stdout or self.log}")

    def url(self, database):
        return f"postgresql://dev@/{database}?host={self.folder}"

    def connect(self, database):
        return Connection(self.url(database))

    @contextlib.contextmanager
    def database(self, template, suffix="sample"):
        """A database made from a template, for one sample."""
        name = template.replace("template", suffix)
        with self.connect("postgres") as db:
            db.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            db.run(f"CREATE DATABASE {name} TEMPLATE {template}")
            db.run("CHECKPOINT")
        try:
            yield name
        finally:
            with self.connect("postgres") as db:
                db.run(f"DROP DATABASE {name} WITH (FORCE)")

    def create_template(self, name):
        with self.connect("postgres") as db:
            db.run(f"CREATE DATABASE {name}")

    def cpu_seconds(self):
        """What all processes of the server have used so far, those that have ended included."""
        postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
        ticks = sum(cpu_ticks(postmaster, with_children=True))
        children = pathlib.Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text()
        for child in children.split():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                ticks += sum(cpu_ticks(int(child), with_children=False))
        return ticks / os.sysconf("SC_CLK_TCK")

    def wal_position(self):
        with self.connect("postgres") as db:
            return db.value("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")


def cpu_ticks(pid, with_children):
    # The name of the process stands in parentheses and may hold anything.
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [int(fields[i]) for i in ((11, 12, 13, 14) if with_children else (11, 12))]


class Connection:
    """One session; every statement is its own transaction unless it begins one."""

    def __init__(self, url):
        self._connection = psycopg2.connect(url)
        self._connection.autocommit = True
        self._cursor = self._connection.cursor()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self._connection.close()

    def run(self, sql, *params):
        self._cursor.execute(sql, params or None)

    def run_named(self, sql, **params):
        self._cursor.execute(sql, params)

    def rows(self, sql, *params):
        self.run(sql, *params)
        return self._cursor.fetchall()

    def value(self, sql, *params):
        return self.rows(sql, *params)[0][0]

    def listen(self, channel):
        self.run(f"LISTEN {channel}")

    def notification(self, seconds=60):
        """The payload of the next one."""
        while not self._connection.notifies:
            if not select.select([self._connection], [], [], seconds)[0]:
                raise RuntimeError("waited in vain for a notification")
            self._connection.poll()
        return self._connection.notifies.pop(0).payload
