#include "workloads/documents/file_calls.hpp"

#include <utility>

#include "api/message.hpp"

namespace rowrunner::documents {

namespace {

api::request_error busy(std::string why) {
  api::problem out(503, "unavailable", std::move(why), true);
  out.headers.emplace_back("Retry-After", "5");
  return api::request_error(std::move(out));
}

}  // namespace

file_calls::file_calls(std::size_t per_user, std::size_t in_all)
    : per_user_(per_user), in_all_(in_all) {}

file_calls::ticket file_calls::enter(const std::string& user) {
  if (counts_->all >= in_all_) throw busy("too many files are being read; try again later");
  const auto mine = counts_->by_user.find(user);
  if (mine != counts_->by_user.end() && mine->second >= per_user_) {
    throw busy("too many of your files are being read; try again later");
  }
  return ticket(counts_, user);
}

file_calls::ticket::ticket(std::shared_ptr<counts> of, std::string user)
    : of_(std::move(of)), user_(std::move(user)) {
  ++of_->by_user[user_];
  ++of_->all;
}

file_calls::ticket::~ticket() {
  if (!of_) return;  // it was moved from
  --of_->all;
  const auto mine = of_->by_user.find(user_);
  if (--mine->second == 0) of_->by_user.erase(mine);
}

}  // namespace rowrunner::documents
