#pragma once

#include <string>

#include "support/jobs_database.hpp"
#include "support/log_lines.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {

/// A second kind, `other`, in a table like test_jobs: what happens to one must not touch the other.
class two_kinds : public jobs_database {
 public:
  two_kinds() {
    exec(
        "CREATE TABLE public.other_jobs (LIKE public.test_jobs INCLUDING ALL);"
        "SELECT rowrunner.attach('public.other_jobs', kind => 'other');"
        "GRANT ALL ON public.effects, public.history TO rowrunner_worker;"
        "GRANT USAGE ON SCHEMA public TO rowrunner_worker");
    watch("public.other_jobs");
  }

  void add_other(int jobs) {
    exec("INSERT INTO public.other_jobs (name) SELECT 'other' || n FROM generate_series(1, " +
         std::to_string(jobs) + ") n");
  }
  bool others_succeed(int jobs) {
    return becomes("SELECT count(*) FROM public.other_jobs WHERE status = 'succeeded'",
                   std::to_string(jobs));
  }

  /// Serves both kinds. Jobs of the second one have no effect that violations() would miss in
  /// test_jobs.
  static void serve(worker& w) {
    w.add(test_kind(), run_test_job);
    auto other = test_kind();
    other.kind = "other";
    w.add(other, [](job&) -> boost::asio::awaitable<outcome> { co_return succeeded{}; });
  }
};

}  // namespace rowrunner::testing
