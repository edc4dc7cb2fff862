-- The checksum of a migration's text, as the ledger keeps it.
SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')
