-- Inserts many jobs; each parameter is one column as an array. Values are cast where an array could
-- not have the type of its column.
INSERT INTO {jobs} ({columns})
SELECT {values} FROM ROWS FROM ({arrays}) AS given ({columns})
ON CONFLICT {key} DO NOTHING
