// A handler that gets its services from the worker, and one of its own by capture.

#include <memory>
#include <rowrunner/run_worker.hpp>
#include <string>

namespace {

struct price_list {
  std::string currency = "JPY";
};

boost::asio::awaitable<rowrunner::outcome> quote(rowrunner::services& all, const price_list& prices,
                                                 rowrunner::job& job) {
  const auto found = co_await all.idempotent_query(
      job, "SELECT price FROM articles WHERE article = $1", job.text("article"));
  if (found.rows.empty()) co_return rowrunner::final_failure("no such article");
  const std::string price = found.rows.front().front().value_or("0") + prices.currency;
  all.log(job).info("quoted", {{"price", price}});
  co_return rowrunner::succeeded{};
}

}  // namespace

int main(int argc, char** argv) {
  rowrunner::kind_options options;
  options.kind = "quote";
  options.columns = {"article"};
  const auto prices = std::make_shared<price_list>();
  const auto make = [prices](rowrunner::services& all) -> rowrunner::coroutine_handler {
    return [&all, prices](rowrunner::job& job) { return quote(all, *prices, job); };
  };
  return rowrunner::run_worker(argc, argv, {{options, make}});
}
