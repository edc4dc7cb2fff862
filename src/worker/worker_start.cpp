// What a worker asks the database before it claims anything: whether the schema serves it, and
// whether its kinds and their columns are there.

#include <map>

#include "common/errors.hpp"
#include "common/pg/pooler_check.hpp"
#include "common/schema/schema_version.hpp"
#include "queries/engine.hpp"
#include "worker/worker_impl.hpp"

namespace rowrunner {

namespace asio = boost::asio;

asio::awaitable<void> worker::impl::check_pooler() {
  if (!co_await pg::behind_transaction_pooler(io_->get_executor(), connection("pooler check"))) {
    co_return;
  }
  log_->warn(
      "a transaction-mode pooler is between worker and server: going on as with --pooled"
      " (ROWRUNNER_POOLED=1), so that jobs are found by polling");
  options_.pooled = true;
  for (auto* const session : {&claims_, &ends_, &upkeep_}) session->set_pooled();
  handlers_->set_pooled();
}

asio::awaitable<void> worker::impl::check_schema() {
  const auto exists = queries::schema_exists.statement();
  const auto info = queries::schema_info.statement();
  std::optional<int> version;
  int oldest_binary = 0;
  if ((co_await claims_.run_one(pg::with(exists))).get_bool(0, 0)) {
    const auto row = co_await claims_.run_one(pg::with(info));
    version = static_cast<int>(row.get_int(0, 0));
    oldest_binary = static_cast<int>(row.get_int(0, 1));
  }
  if (const auto refusal = schema_refusal(version, oldest_binary, binary_schema_version())) {
    throw std::runtime_error(*refusal);
  }
}

/// A kind that cannot be served is left out, so that the others are; if none remains, the first
/// reason is the error. A kind that was never attached, or lacks a column that its handler reads,
/// is a mistake in the program or its flags, and always an error.
asio::awaitable<void> worker::impl::open_lanes() {
  const auto kinds_query = queries::kinds.statement();
  const auto kinds = co_await claims_.run_one(pg::with(kinds_query));
  std::string first_reason;
  for (auto lane = lanes_.begin(); lane != lanes_.end();) {
    const auto reason = co_await open_lane(**lane, kinds);
    if (reason.empty()) {
      ++lane;
      continue;
    }
    if (lanes_.size() == 1) throw std::runtime_error(first_reason.empty() ? reason : first_reason);
    log_->warn("a kind is left out", {{"kind", (*lane)->options.kind}, {"reason", reason}});
    if (first_reason.empty()) first_reason = reason;
    lane = lanes_.erase(lane);
  }
}

/// Gives the reason why the kind cannot be served, or "".
asio::awaitable<std::string> worker::impl::open_lane(lane& lane, const pg::result& kinds) {
  std::string known;
  for (int row = 0; row < kinds.rows(); ++row) {
    known += (known.empty() ? "" : ", ") + std::string{kinds.get(row, 1)};
    if (kinds.get(row, 1) == lane.options.kind) lane.kind = read_kind_info(kinds, row);
  }
  if (lane.kind.id == 0) throw kind_not_attached(lane.options.kind, known);
  const auto unserved = queries::unserved.statement();
  const auto reason = co_await claims_.run_one(pg::with(unserved, std::to_string(lane.kind.id)));
  if (!reason.is_null(0, 0)) co_return std::string{reason.get(0, 0)};
  const auto columns_of = queries::columns_of.statement();
  const auto columns = co_await claims_.run_one(pg::with(columns_of, lane.kind.table));
  std::map<std::string, std::string, std::less<>> as_text;
  for (int row = 0; row < columns.rows(); ++row) {
    as_text.emplace(columns.get(row, 0), columns.get(row, 1));
  }
  std::vector<std::string> wanted;
  for (const auto& column : lane.options.columns) {
    const auto found = as_text.find(column);
    if (found == as_text.end()) {
      throw std::runtime_error("kind " + lane.options.kind + " reads column " + column +
                               ", which " + lane.kind.table + " does not have");
    }
    wanted.push_back(found->second);
  }
  lane.sql = kind_statements(lane.kind, wanted);
  co_return "";
}

}  // namespace rowrunner
