-- Settings under which no trigger of a job table fires.
SELECT '' AS kind, t.problem || ': jobs that are written under it have no entry', t.cure
FROM rowrunner.replication_role_problems() t
