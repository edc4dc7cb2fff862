-- Removes kind $1, whose table is gone, with what was kept of its jobs. It says so.
SELECT concat('detached', rowrunner.detach($1))
