-- Removes what is no longer needed, on $2 pages of each table from page $1 on, or from any page if that is
-- NULL. Answers where to go on, NULL at the end, and how many rows were removed.
SELECT next_page, removed
FROM rowrunner.sweep(coalesce($1::bigint, (random() * rowrunner.pages_to_sweep())::bigint), $2::bigint)
