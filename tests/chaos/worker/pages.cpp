// A job of many pages: each is a step that carries its row, and some are born with a child.

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <csignal>

#include "chaos/worker/execution.hpp"

namespace rowrunner::chaos {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using asio::experimental::awaitable_operators::operator&&;

namespace {

join sum_after(const std::string& sum, const std::string& parent) {
  join after;
  after.child_kind = after.parent_kind = "chaos";
  after.child_id = sum;
  after.parent_ids.push_back(parent);
  return after;
}

/// A job that runs after this one; each page adds its child to what it waits for. Gives its id.
asio::awaitable<std::string> open_sum(job& self, const execution& log) {
  const step_body open = [&]() -> asio::awaitable<step_result> {
    log.note("body", "open");
    step_result made;
    made.value = log.result("open");
    const std::string id = new_job_id();
    made.value["sum"] = id;
    made.effects.push_back(log.page("open"));
    made.effects.push_back(execution::child(sum_of(log.name()), id));
    made.effects.push_back(run_after_effect(sum_after(id, log.id())));
    co_return made;
  };
  const auto opened = co_await self.step("open", open);
  log.note("stored", "open");
  co_return opened.at("sum").get<std::string>();
}

asio::awaitable<void> store_page(job& self, const execution& log, int number, std::string sum) {
  const std::string name = "page-" + std::to_string(number);
  bool made_now = false;
  const step_body read = [&]() -> asio::awaitable<step_result> {
    log.note("body", name);
    made_now = true;
    step_result page;
    page.value = log.result(name);
    page.effects.push_back(log.page(name));
    if (has_kid(log.seed(), log.name(), number)) {
      const std::string kid = new_job_id();
      page.effects.push_back(execution::child(kid_of(log.name(), number), kid));
      if (!sum.empty()) page.effects.push_back(run_after_effect(sum_after(sum, kid)));
    }
    co_return page;
  };
  co_await self.step(name, read);
  log.note("stored", name);
  const auto plan = pages_of(log.seed(), log.name());
  if (made_now && plan.crash_after == number) log.crash(SIGKILL);
}

}  // namespace

asio::awaitable<void> run_pages(job& self, const execution& log,
                                std::chrono::milliseconds between) {
  const auto plan = pages_of(log.seed(), log.name());
  std::string sum;
  if (plan.summed) sum = co_await open_sum(self, log);
  for (int page = 1; page <= plan.pages;) {
    if (between > 0ms) co_await pause(between);
    const int last = plan.in_pairs ? std::min(page + 1, plan.pages) : page;
    auto one = store_page(self, log, page, sum);
    if (last > page) {
      auto other = store_page(self, log, last, sum);
      co_await (std::move(one) && std::move(other));
    } else {
      co_await std::move(one);
    }
    co_await self.progress(last, plan.pages, "lease " + std::to_string(log.lease()));
    log.note("told", std::to_string(last));
    if (log.attempt() == 1 && plan.fail_after >= page && plan.fail_after <= last) {
      log.end(action::fail);
      throw std::runtime_error("seeded failure under lease " + std::to_string(log.lease()));
    }
    page = last + 1;
  }
}

}  // namespace rowrunner::chaos
