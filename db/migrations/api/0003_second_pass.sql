-- Operations go over the failures twice, as some may have been committed late.
ALTER TABLE rowrunner.operations ADD COLUMN IF NOT EXISTS second_pass boolean NOT NULL DEFAULT false;
