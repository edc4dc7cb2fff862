-- Inserts one job; no row comes back if its unique key exists. The values are parameters, in the
-- order of the columns. The trigger of the table adds its queue entry.
INSERT INTO {jobs} ({columns}) VALUES ({values}) ON CONFLICT {key} DO NOTHING RETURNING id
