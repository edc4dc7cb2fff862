#pragma once

#include <filesystem>
#include <memory>

#include "common/byte_stream.hpp"
#include "common/offload.hpp"

namespace rowrunner {

/// The bytes of a file. All functions throw std::system_error that names the file.
class file_source : public byte_source {
 public:
  explicit file_source(const std::filesystem::path& path, offload elsewhere = run_inline);

  std::uint64_t size() const override;
  void rewind() override { at_ = 0; }
  boost::asio::awaitable<std::string> read() override;

 private:
  struct open_file;

  /// Shared with a read that goes on after a cancellation.
  const std::shared_ptr<const open_file> file_;
  const offload offload_;
  std::uint64_t at_ = 0;
};

/// Writes a file beside its path, from where finish() moves it; without finish() there is nothing
/// at the path, or what was there before. It is not synced: for working copies. All functions throw
/// std::system_error that names the file.
class file_sink : public byte_sink {
 public:
  explicit file_sink(std::filesystem::path path, offload elsewhere = run_inline);
  ~file_sink() override;

  void restart() override;
  boost::asio::awaitable<void> write(std::string piece) override;
  boost::asio::awaitable<void> finish();

 private:
  struct open_file;

  const std::shared_ptr<open_file> file_;
  const offload offload_;
  std::uint64_t at_ = 0;
};

}  // namespace rowrunner
