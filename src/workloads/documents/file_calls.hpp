#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

namespace rowrunner::documents {

/// Counts the calls that have a file of a document on this server's disk, running or waiting for a
/// child process, so that one user cannot fill the disk or hold up everybody's. It does not wait
/// itself: a call beyond is refused, and has taken nothing. One thread uses it.
class file_calls {
  struct counts;

 public:
  /// Counted for as long as it lives.
  class ticket {
   public:
    ticket(ticket&&) noexcept = default;
    ticket& operator=(ticket&&) = delete;
    ~ticket();

   private:
    friend class file_calls;
    ticket(std::shared_ptr<counts> of, std::string user);

    std::shared_ptr<counts> of_;
    std::string user_;
  };

  /// A page shows up to six pictures at once, which is what browsers ask for.
  static constexpr std::size_t of_each_user = 8;
  static constexpr std::size_t of_all = 64;

  explicit file_calls(std::size_t per_user = of_each_user, std::size_t in_all = of_all);

  /// Throws request_error: 503 with Retry-After.
  ticket enter(const std::string& user);

 private:
  struct counts {
    std::size_t all = 0;
    std::unordered_map<std::string, std::size_t> by_user;
  };

  const std::size_t per_user_;
  const std::size_t in_all_;
  /// Shared with what runs, because Asio may destroy suspended coroutines later.
  const std::shared_ptr<counts> counts_ = std::make_shared<counts>();
};

}  // namespace rowrunner::documents
