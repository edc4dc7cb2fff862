// A worker for the chaos runner: rowrunner-chaos-worker [spot_image]. It serves the kinds whose
// jobs misbehave on purpose, or spot images, with the engine's default configuration. From the
// environment it takes DATABASE_URL, ROWRUNNER_POOLED and WORKER_ID, as `rowrunner worker` does,
// and CHAOS_SEED and CHAOS_HISTORY.

#include <cstdio>
#include <cstdlib>
#include <rowrunner/worker.hpp>
#include <string>

#include "apps/handlers.hpp"
#include "chaos/recorder.hpp"
#include "chaos/worker/handlers.hpp"
#include "common/environment.hpp"
#include "common/log.hpp"

namespace {

std::string needed(const rowrunner::environment& env, const char* name) {
  const auto value = env.get(name);
  if (!value) throw std::invalid_argument(std::string(name) + " is not set");
  return *value;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rowrunner;
  try {
    const auto env = environment::load();
    worker_options options;
    options.database_url = needed(env, "DATABASE_URL");
    options.pooled = env.get("ROWRUNNER_POOLED").value_or("") == "1";
    options.name = needed(env, "WORKER_ID");
    options.system_names_only = true;
    worker process(options, std::make_shared<logger>(log_level::info, options.name));
    if (argc > 1 && std::string(argv[1]) == "spot_image") {
      const auto pictures = handler_table(env).find("spot_image", "spot_image");
      process.add(pictures.options,
                  std::get<coroutine_handler>(pictures.make(process.handler_services())));
    } else {
      chaos::add_chaos_kinds(process,
                             {std::stoull(needed(env, "CHAOS_SEED")),
                              chaos::open_record(needed(env, "CHAOS_HISTORY")), options.name});
    }
    process.run();
    std::fflush(stdout);
    std::_Exit(0);  // threads that hang must not hold up the exit
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rowrunner-chaos-worker: %s\n", e.what());
    std::_Exit(1);
  }
}
