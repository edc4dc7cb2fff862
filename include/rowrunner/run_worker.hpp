#pragma once

#include <rowrunner/worker.hpp>
#include <utility>
#include <variant>
#include <vector>

namespace rowrunner {

/// A kind of jobs and what runs them: a coroutine, or a function that blocks its thread.
struct handled_kind {
  handled_kind(kind_options how, coroutine_handler run)
      : options(std::move(how)), handler(std::move(run)) {}
  handled_kind(kind_options how, blocking_handler run)
      : options(std::move(how)), handler(std::move(run)) {}

  kind_options options;
  std::variant<coroutine_handler, blocking_handler> handler;
};

/// The whole main() of a worker program, with the flags, variables, .env file, logs, signals and
/// exit codes of `rowrunner worker` (see --help and the README):
///
///   int main(int argc, char** argv) {
///     return rowrunner::run_worker(argc, argv, {{thumbnails, make_thumbnail}});
///   }
///
/// What the options of a kind say holds unless --concurrency, --timeout or their variables say
/// otherwise. A password in --database-url is removed from argv. Errors are one line on stderr.
int run_worker(int argc, char** argv, std::vector<handled_kind> kinds);

}  // namespace rowrunner
