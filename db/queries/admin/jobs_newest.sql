-- Up to $3 jobs with status $2 (NULL: any) before id $1 (NULL: from the newest). No index knows the
-- status, so it looks at no more than 20000 jobs; jobs_page_end says where that ends.
SELECT to_json(j.*) AS job, j.id::text AS rank, j.id::text AS cursor
FROM (SELECT * FROM {jobs} WHERE $1::uuid IS NULL OR id < $1::uuid ORDER BY id DESC LIMIT 20000) j
WHERE $2::text IS NULL OR j.status = $2
ORDER BY j.id DESC
LIMIT $3::integer
