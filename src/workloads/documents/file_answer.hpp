#pragma once

#include <filesystem>
#include <memory>

#include "common/file_stream.hpp"
#include "common/scratch_folder.hpp"
#include "workloads/documents/file_calls.hpp"

namespace rowrunner::documents {

/// A file in a folder of its own. The folder goes when the file has been sent, and the call counts
/// until then.
class file_answer : public byte_source {
 public:
  file_answer(file_calls::ticket counted, std::shared_ptr<scratch_folder> folder,
              const std::filesystem::path& path, offload elsewhere)
      : counted_(std::move(counted)),
        folder_(std::move(folder)),
        file_(path, std::move(elsewhere)) {}

  std::uint64_t size() const override { return file_.size(); }
  void rewind() override { file_.rewind(); }
  boost::asio::awaitable<std::string> read() override { return file_.read(); }

 private:
  /// The first member goes last: the file is gone when another call may begin.
  const file_calls::ticket counted_;
  const std::shared_ptr<scratch_folder> folder_;
  file_source file_;
};

}  // namespace rowrunner::documents
