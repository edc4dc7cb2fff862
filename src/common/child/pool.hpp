#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/child/error.hpp"
#include "common/child/options.hpp"
#include "common/child/tool.hpp"
#include "common/descriptor.hpp"

namespace rowrunner::child {

/// Child processes that run tools over foreign files, each confined and one request at a time.
/// Nothing is started before the first call. A child serves many requests, and is replaced when it
/// dies, after options::requests_per_child, or when its request is cancelled or out of time.
/// To be used from one thread, the one that runs the executor; it must outlive its calls.
class pool {
 public:
  pool(boost::asio::any_io_executor executor, options how);
  /// Kills the children.
  ~pool();
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  /// Runs a tool in a child and returns its answer. Calls that find no free child wait in their
  /// order, except that a child which has a file open serves a few more calls for that file first.
  /// One that fails for lack of memory or by a crash in a child that has served before is made once
  /// more in a new child: earlier files may have left it so. Throws child::error; cancellation
  /// kills the child, and throws system_error (operation_aborted).
  boost::asio::awaitable<nlohmann::json> call(std::string tool, nlohmann::json arguments);

  /// The same with open files, which are the only ones that the tool can write, and the only ones
  /// of others that it can read.
  boost::asio::awaitable<nlohmann::json> call(std::string tool, nlohmann::json arguments,
                                              std::vector<descriptor> files);

  /// The same with files that are opened when a child is free, before the others: calls that wait
  /// hold no descriptors of them. Throws std::system_error if one cannot be opened.
  boost::asio::awaitable<nlohmann::json> call(std::string tool, nlohmann::json arguments,
                                              std::vector<std::filesystem::path> to_read,
                                              std::vector<descriptor> files);

  /// Children that are running, and those that were started since the beginning.
  std::size_t running() const noexcept;
  std::size_t started() const noexcept;

 private:
  class impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace rowrunner::child
