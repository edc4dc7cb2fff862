-- The ledger of migrations. It is the migrator's own, so no migration makes it.
CREATE TABLE rowrunner.migrations (
  version    integer PRIMARY KEY,
  name       text NOT NULL,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)
