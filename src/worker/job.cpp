#include <rowrunner/job.hpp>

#include "common/text.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

/// Well below what fits into an index entry beside kind and id.
constexpr std::size_t longest_step_name = 1000;

/// A coroutine for a thread to wait for, which cannot return what it gives.
asio::awaitable<void> keep_stored(detail::job_backend& backend, std::string name,
                                  std::optional<nlohmann::json>& into) {
  into = co_await backend.stored_step(std::move(name));
}

asio::awaitable<void> keep_result(detail::job_backend& backend, std::string name, step_result given,
                                  nlohmann::json& into) {
  into = co_await backend.store_step(std::move(name), std::move(given));
}

}  // namespace

const std::optional<std::string>& job_view::column(std::string_view name) const {
  const auto* const found = backend_->find_column(name);
  if (found == nullptr) {
    throw std::out_of_range("column " + std::string{name} + " is not among those of kind " +
                            kind());
  }
  return *found;
}

const std::string& job_view::text(std::string_view name) const {
  const auto& value = column(name);
  if (!value) throw std::logic_error("column " + std::string{name} + " is NULL");
  return *value;
}

std::string job_view::key(std::string_view step) const {
  return kind() + ":" + id() + ":" + std::string{step};
}

void job_view::check_running() const {
  if (stop_requested()) throw job_stopped("the job was told to stop");
}

void job_view::check_step_name(const std::string& name) {
  if (name.size() > longest_step_name) {
    throw std::invalid_argument("the step name \"" + printable(name, 40) + "…\" has " +
                                std::to_string(name.size()) + " bytes; at most " +
                                std::to_string(longest_step_name) + " are allowed");
  }
  check_text("step name", name);
}

asio::awaitable<void> job::progress(std::int64_t done, std::int64_t total, std::string message) {
  check_running();
  backend_->report_progress(done, total, std::move(message));
  co_return;
}

nlohmann::json blocking_job::step(const std::string& name,
                                  const std::function<step_result()>& body) {
  check_step_name(name);
  check_running();
  std::optional<nlohmann::json> stored;
  backend_->await_from_thread([&] { return keep_stored(*backend_, name, stored); });
  if (stored) return std::move(*stored);
  auto given = body();
  check_running();
  nlohmann::json result;
  backend_->await_from_thread(
      [&] { return keep_result(*backend_, name, std::move(given), result); });
  return result;
}

void blocking_job::progress(std::int64_t done, std::int64_t total, const std::string& message) {
  check_running();
  backend_->report_progress(done, total, message);
}

}  // namespace rowrunner
