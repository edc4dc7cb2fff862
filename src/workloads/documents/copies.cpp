#include "workloads/documents/copies.hpp"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace rowrunner::documents {

namespace asio = boost::asio;

/// Lets those that wait go on, also if the fetch has failed or was cancelled: then one of them
/// tries.
class document_copies::fetching {
 public:
  fetching(document_copies& all, std::string key, const asio::any_io_executor& executor,
           clock::time_point now)
      : all_(all), key_(std::move(key)), fetched_(std::make_shared<asio::steady_timer>(executor)) {
    fetched_->expires_at(asio::steady_timer::time_point::max());
    all_.entries_[key_] = {nullptr, fetched_, now};
  }
  ~fetching() {
    if (!all_.entries_[key_].file) all_.entries_.erase(key_);
    fetched_->cancel();
  }
  fetching(const fetching&) = delete;
  fetching& operator=(const fetching&) = delete;

  void done(copy made) { all_.entries_[key_].file = std::move(made); }

 private:
  document_copies& all_;
  const std::string key_;
  const std::shared_ptr<asio::steady_timer> fetched_;
};

void document_copies::remove_old(clock::time_point now) {
  std::erase_if(entries_, [&](const auto& each) {
    return each.second.file && now - each.second.used > kept_for;
  });
  while (entries_.size() >= most_kept) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      const bool older = oldest == entries_.end() || it->second.used < oldest->second.used;
      if (it->second.file && older) oldest = it;
    }
    if (oldest == entries_.end()) return;
    entries_.erase(oldest);
  }
}

asio::awaitable<document_copies::copy> document_copies::get(std::string key, fetch from,
                                                            clock::time_point now) {
  for (auto found = entries_.find(key); found != entries_.end(); found = entries_.find(key)) {
    if (found->second.file) {
      found->second.used = now;
      co_return found->second.file;
    }
    const auto fetched = found->second.fetched;
    boost::system::error_code cancelled;
    co_await fetched->async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
  remove_old(now);
  const auto executor = co_await asio::this_coro::executor;
  fetching mine(*this, key, executor, now);
  const auto made = std::make_shared<const local_copy>();
  const bool exists = co_await from(made->path());
  if (!exists) co_return nullptr;
  mine.done(made);
  co_return made;
}

}  // namespace rowrunner::documents
