"""Child processes of the bench: started in an empty folder with an empty environment, so that no
setting of the user's reaches them, and ended with the bench whatever happens."""

import atexit
import contextlib
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

_running = []
_empty_folder = tempfile.TemporaryDirectory(prefix="rowrunner-bench-cwd-")


def start(command, url, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, folder=None):
    environment = {"PATH": os.environ["PATH"], "HOME": _empty_folder.name, "DATABASE_URL": url}
    with tempfile.NamedTemporaryFile(mode="w", prefix="stderr-", dir=_empty_folder.name,
                                     delete=False) as errors:
        process = subprocess.Popen(list(map(str, command)), env=environment, stdin=stdin,
                                   stdout=stdout, stderr=errors, text=True,
                                   cwd=folder or _empty_folder.name)
    process.errors = pathlib.Path(errors.name)
    _running.append(process)
    return process


def end(process, seconds=30):
    process.terminate()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    kill(process)


def kill(process):
    process.kill()
    process.wait()
    if process in _running:
        _running.remove(process)


@atexit.register
def end_all():
    for process in list(_running):
        if process.poll() is None:
            process.kill()


def wait(process, what, seconds=3600):
    code = process.wait(seconds)
    _running.remove(process)
    if code != 0:
        raise RuntimeError(f"{what} ended with exit code {code}: {process.errors.read_text()[-500:]}")


def answer(command, url, folder=None):
    """Runs a program to its end and reads its last line as JSON."""
    process = start(command, url, stdout=subprocess.PIPE, folder=folder)
    output = process.stdout.read()
    wait(process, command[0])
    return json.loads(output.strip().splitlines()[-1])


def private_megabytes(pid):
    fields = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, value = line.split(":")
        fields[name] = int(value.split()[0])
    return (fields["Private_Clean"] + fields["Private_Dirty"]) / 1024


def cpu_seconds_of_ended():
    """What processes that have ended have used, with their children: it shows what a busy machine hides."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def with_descendants(pid):
    found = [pid]
    for each in found:  # and those that are added meanwhile
        for children in pathlib.Path(f"/proc/{each}/task").glob("*/children"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found += map(int, children.read_text().split())
    return found


def resident_megabytes(pid):
    """Of the process itself and of all that descend from it: pages that they share count for each of them."""
    found = {}
    for each in with_descendants(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            pages = int(pathlib.Path(f"/proc/{each}/statm").read_text().split()[1])
            found[each] = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    return found


def until(condition, what, seconds=120, pause=0.05):
    """Waits for what cannot be waited on: the state of another process in the database."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited in vain for {what}")
        time.sleep(pause)
