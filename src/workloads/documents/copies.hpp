#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/scratch_folder.hpp"

namespace rowrunner::documents {

/// A stored file on the disk of this machine, until the last user is done with it.
struct local_copy {
  scratch_folder folder{};

  std::filesystem::path path() const { return folder.path() / "original.pdf"; }
};

/// The copies that were asked for last. A page that shows a document asks for the image of each of
/// its pages; the file is fetched once for all of them. A stored file never changes, so a copy
/// stays right. To be used from one thread.
class document_copies {
 public:
  using clock = std::chrono::steady_clock;
  using copy = std::shared_ptr<const local_copy>;
  /// Writes the file; false if there is none.
  using fetch = std::function<boost::asio::awaitable<bool>(std::filesystem::path to)>;

  /// A copy that was not used for so long is removed at the next call.
  static constexpr std::chrono::minutes kept_for{10};
  static constexpr std::size_t most_kept = 4;

  /// nullptr if there is no such file. Calls for a file that is being fetched wait for it. `from`
  /// is kept until the call has ended.
  boost::asio::awaitable<copy> get(std::string key, fetch from,
                                   clock::time_point now = clock::now());

 private:
  struct entry {
    /// nullptr while it is being fetched.
    copy file{};
    std::shared_ptr<boost::asio::steady_timer> fetched;
    clock::time_point used;
  };
  class fetching;

  void remove_old(clock::time_point now);

  std::map<std::string, entry> entries_;
};

}  // namespace rowrunner::documents
