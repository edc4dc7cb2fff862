-- Migration $1, named $2, with the text $3 has run.
INSERT INTO rowrunner.migrations (version, name, checksum)
VALUES ($1::integer, $2, encode(sha256(convert_to($3, 'UTF8')), 'hex'))
