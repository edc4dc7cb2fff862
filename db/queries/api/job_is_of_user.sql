-- Whether job $1 belongs to user $2, alone or with another one; no row if there is no such job.
SELECT ($2 IN ({owner}, {co_owner})) IS TRUE FROM {jobs} j WHERE j.id = $1::uuid
