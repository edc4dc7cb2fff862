-- The ledger of migrations. It is the migrator's own, so no migration makes it.
CREATE TABLE rowrunner.migrations (
  component  text NOT NULL,
  version    integer NOT NULL,
  name       text NOT NULL,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (component, version)
)
