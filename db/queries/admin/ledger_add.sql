-- Migration $2 of component $1, named $3, with the text $4 has run.
INSERT INTO rowrunner.migrations (component, version, name, checksum)
VALUES ($1, $2::integer, $3, encode(sha256(convert_to($4, 'UTF8')), 'hex'))
