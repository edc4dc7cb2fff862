#include "workloads/limits/limits.hpp"

#include "workloads/limits/quotas.hpp"
#include "workloads/limits/shared_plan.hpp"

namespace rowrunner::limits {

namespace asio = boost::asio;

held& held::operator=(held&& from) noexcept {
  if (this != &from) {
    report({});
    plan_ = std::move(from.plan_);
    key_ = std::move(from.key_);
    ticket_ = from.ticket_;
  }
  return *this;
}

held::~held() { report({}); }

void held::report(const answer_facts& answer) {
  if (!plan_) return;
  plan_->answer(key_, ticket_, answer);
  plan_.reset();
}

service::service(services& engine, const environment& env, std::chrono::milliseconds idle_after) {
  check_quotas(env);
  plan_ = std::make_shared<shared_plan>(engine, env, idle_after);
}

service::~service() { plan_->close(); }

asio::awaitable<held> service::permit(std::string key, std::int64_t tokens) {
  auto plan = plan_;
  const auto ticket = co_await shared_plan::ticket(plan, key, tokens);
  co_return held(std::move(plan), std::move(key), ticket);
}

std::optional<state> service::look(std::string_view key) const { return plan_->look(key); }

std::vector<counters> service::count() const { return plan_->count(); }

std::int64_t service::statements() const { return plan_->statements(); }

}  // namespace rowrunner::limits
