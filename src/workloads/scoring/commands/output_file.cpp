#include "workloads/scoring/commands/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "command/output.hpp"

namespace rowrunner::scoring {

output_file::output_file(std::string name)
    : name_(std::move(name)), unfinished_(name_ + ".unfinished-" + std::to_string(getpid())) {
  if (name_ == "-") return;
  std::error_code ignored;
  if (std::filesystem::is_directory(name_, ignored)) complain("it is a folder");
  errno = 0;
  out_.open(unfinished_, std::ios::binary | std::ios::trunc);
  if (!out_) complain(std::strerror(errno));
}

output_file::~output_file() {
  if (name_ == "-" || finished_) return;
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(unfinished_, ignored);
}

void output_file::write(std::string_view text) {
  auto& to = name_ == "-" ? std::cout : static_cast<std::ostream&>(out_);
  to.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!to) complain("the disk may be full");
}

void output_file::finish() {
  if (name_ == "-") {
    if (!std::cout.flush()) complain("the output was closed");
    return;
  }
  out_.close();
  if (!out_) complain("the disk may be full");
  std::error_code problem;
  std::filesystem::rename(unfinished_, name_, problem);
  if (problem) complain(problem.message());
  finished_ = true;
}

void output_file::complain(const std::string& what) const {
  throw std::runtime_error("cannot write " + one_line(name_, 300) + ": " + what);
}

}  // namespace rowrunner::scoring
