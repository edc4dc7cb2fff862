-- Removes what is no longer needed, on $2 pages of each table from page $1 on. Answers where to go on;
-- NULL at the end.
SELECT next_page FROM rowrunner.sweep($1::bigint, $2::bigint)
