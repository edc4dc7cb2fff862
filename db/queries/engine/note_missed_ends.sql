-- Removes edges to parents that ended with an old snapshot; says of how many parents.
SELECT rowrunner.note_missed_ends(), NULL
