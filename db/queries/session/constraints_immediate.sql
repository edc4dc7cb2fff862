-- Runs deferred triggers now, within the time limit of a statement, which does not hold for a COMMIT.
SET CONSTRAINTS ALL IMMEDIATE
