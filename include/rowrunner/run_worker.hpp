#pragma once

#include <functional>
#include <rowrunner/services.hpp>
#include <rowrunner/worker.hpp>
#include <utility>
#include <variant>
#include <vector>

namespace rowrunner {

/// A kind of jobs and what runs them: a coroutine, or a function that blocks its thread. Instead of
/// the handler itself it may be given a factory, which is called once, before the first claim, with
/// the services of the process:
///   handled_kind{options, [folder](services& all) -> coroutine_handler { … }}
/// An exception of the factory keeps the worker from starting: one line on stderr says why. The
/// factories of kinds that --kind leaves out are not called. The services live longer than the
/// handler.
struct handled_kind {
  using handler_function = std::variant<coroutine_handler, blocking_handler>;

  handled_kind(kind_options how, coroutine_handler run)
      : options(std::move(how)), make([run = std::move(run)](services&) { return run; }) {}
  handled_kind(kind_options how, blocking_handler run)
      : options(std::move(how)), make([run = std::move(run)](services&) { return run; }) {}
  handled_kind(kind_options how, std::function<coroutine_handler(services&)> factory)
      : options(std::move(how)), make(std::move(factory)) {}
  handled_kind(kind_options how, std::function<blocking_handler(services&)> factory)
      : options(std::move(how)), make(std::move(factory)) {}

  kind_options options;
  std::function<handler_function(services&)> make;
};

/// The whole main() of a worker program, with the flags, variables, .env file, logs, signals and
/// exit codes of `rowrunner worker` (see --help and the README), except --handler and
/// --health-port:
///
///   int main(int argc, char** argv) {
///     return rowrunner::run_worker(argc, argv, {{thumbnails, make_thumbnail}});
///   }
///
/// What the options of a kind say holds unless a flag or a variable says otherwise. A password in
/// --database-url is removed from argv. Errors are one line on stderr.
int run_worker(int argc, char** argv, std::vector<handled_kind> kinds);

}  // namespace rowrunner
