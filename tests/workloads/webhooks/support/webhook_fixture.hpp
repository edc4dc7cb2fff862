#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "support/http_stand_in.hpp"
#include "support/log_lines.hpp"
#include "support/watched_database.hpp"
#include "support/worker_thread.hpp"
#include "workloads/services.hpp"
#include "workloads/webhooks/deliverer.hpp"

namespace rowrunner::testing {

/// Deliveries to a receiver on this machine, by a worker in this process.
class webhook_fixture : public ::testing::Test {
 public:
  ~webhook_fixture() override {
    worker_.reset();
    std::filesystem::remove_all(folder_);
  }

 protected:
  webhook_fixture() {
    std::string name = ::testing::TempDir() + "/hooksXXXXXX";
    folder_ = mkdtemp(name.data());
    settings_ = {{"LOCAL_STORAGE_PATH", folder_},
                 {"OUTBOUND_ALLOW", "127.0.0.0/8"},
                 {"WEBHOOK_RETRIES", "10ms"},
                 {"WEBHOOK_TIMEOUT", "20"}};
    db.watch("webhook_deliveries");
  }

  void set(const std::string& name, const std::string& value) { settings_[name] = value; }

  void start_worker() {
    const auto add = [this](worker& to) {
      const auto all =
          std::make_shared<workload_services>(to.handler_services(), environment(settings_));
      const auto entry = webhooks::delivery_handler();
      const auto run = entry.make(*all);
      to.add(entry.options, [all, run](job& self) { return run(self); });
      if (also) also(to);
    };
    auto options = worker_thread::options_for(db);
    options.poll_min = options.poll_max = std::chrono::milliseconds(50);
    worker_ = std::make_unique<worker_thread>(options, add, log.target());
  }
  void stop_worker() { worker_->stop(); }

  /// The id of a new delivery; `more` are further arguments, as in "token => 't'".
  std::string enqueue(const std::string& path, const std::string& more = "",
                      const std::string& payload = R"({"n":1})") {
    return db.value("SELECT public.enqueue_webhook('" + receiver.url(path) + "', '" + payload +
                    "'" + (more.empty() ? "" : ", " + more) + ")");
  }

  bool reaches(const std::string& id, const std::string& status) {
    return db.becomes("SELECT status FROM webhook_deliveries WHERE id = '" + id + "'", status);
  }
  std::string column(const std::string& id, const std::string& name) {
    return db.value("SELECT " + name + " FROM webhook_deliveries WHERE id = '" + id + "'");
  }

  /// Adds kinds of a test to the worker.
  std::function<void(worker&)> also;
  watched_database db{test_database::contents::workloads};
  log_lines log;
  http_stand_in receiver;

 private:
  std::string folder_;
  std::map<std::string, std::string> settings_;
  std::unique_ptr<worker_thread> worker_;
};

}  // namespace rowrunner::testing
