-- Whether any migration ran here.
SELECT to_regclass('rowrunner.migrations') IS NOT NULL
