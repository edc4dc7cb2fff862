-- The job tables of the upgrade test, beside those of the workloads and examples/pages/books.sql.
CREATE TABLE public.errands (id uuid PRIMARY KEY DEFAULT rowrunner.new_id(), name text NOT NULL UNIQUE)
  WITH (fillfactor = 25);
SELECT rowrunner.attach('public.errands', kind => 'errand', joins => true, add_columns => true);
