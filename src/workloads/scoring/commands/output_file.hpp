#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace rowrunner::scoring {

/// A file that gets its name when it is whole; until then an older one of that name stays as it is.
/// "-" is stdout. Throws std::runtime_error.
class output_file {
 public:
  explicit output_file(std::string name);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  [[noreturn]] void complain(const std::string& what) const;

  const std::string name_;
  const std::string unfinished_;
  std::ofstream out_;
  bool finished_ = false;
};

}  // namespace rowrunner::scoring
