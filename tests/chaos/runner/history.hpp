#pragma once

#include <string>

namespace rowrunner::chaos {

/// The record that all processes of a run append to. From any thread.
class history {
 public:
  explicit history(const std::string& path);
  ~history();
  history(const history&) = delete;
  history& operator=(const history&) = delete;

  /// "WHO EVENT ...", as run_record.hpp reads it.
  void note(const std::string& line) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_;
};

}  // namespace rowrunner::chaos
