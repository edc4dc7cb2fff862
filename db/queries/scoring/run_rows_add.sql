-- Rows of the sheet of run $1, the first of them at $2: $3 has an array of cells for each.
INSERT INTO public.scoring_rows (run_id, row_index, cells)
SELECT $1::bigint, $2::integer + given.position::integer - 1, given.cells::text[]
FROM unnest($3::text[]) WITH ORDINALITY AS given (cells, position)
