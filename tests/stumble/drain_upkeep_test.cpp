// Retention and the sweep for those whose workers only drain.

#include <gtest/gtest.h>

#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

TEST(drain_upkeep, one_drain_deletes_what_retention_allows) {
  two_kinds db;
  db.exec(
      "UPDATE rowrunner.kinds SET retention = '1 hour' WHERE kind IN ('test', 'other');"
      "INSERT INTO public.test_jobs (name, status) SELECT 'young' || n, 'succeeded'"
      "  FROM generate_series(1, 1500) n;"
      "INSERT INTO public.test_jobs (name, status, updated_at)"
      "  SELECT 'old' || n, 'succeeded', now() - interval '1 day' FROM generate_series(1, 1500) n;"
      "INSERT INTO public.other_jobs (name, status, updated_at)"
      "  VALUES ('old', 'succeeded', now() - interval '1 day');"
      "INSERT INTO rowrunner.workers (worker, kinds, version, seen_at)"
      "  VALUES ('gone', '{test}', '0', now() - interval '1 week')");
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread(options, two_kinds::serve).join();
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs"), "1500");
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs WHERE name LIKE 'old%'"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM public.other_jobs"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.workers"), "0");
}

TEST(drain_upkeep, of_one_kind_does_not_depend_on_that_of_another) {
  two_kinds db;
  db.exec(
      "UPDATE rowrunner.kinds SET retention = '1 hour' WHERE kind IN ('test', 'other');"
      "INSERT INTO public.test_jobs (name, status, updated_at)"
      "  VALUES ('old', 'succeeded', now() - interval '1 day');"
      "INSERT INTO public.other_jobs (name, status, updated_at)"
      "  VALUES ('old', 'succeeded', now() - interval '1 day');"
      "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
      "  $$ BEGIN RAISE EXCEPTION 'kept for ever'; END $$;"
      "CREATE TRIGGER obstacle BEFORE DELETE ON public.test_jobs FOR EACH ROW"
      "  EXECUTE FUNCTION public.refuse()");
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread(options, two_kinds::serve).join();
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs"), "1");
  EXPECT_EQ(db.value("SELECT count(*) FROM public.other_jobs"), "0");
}

}  // namespace
}  // namespace rowrunner::testing
