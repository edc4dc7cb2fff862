#pragma once

#include <cstdio>
#include <memory>

namespace rowrunner::pdf {

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

using output_file = std::unique_ptr<std::FILE, close_file>;

/// A stream of its own to an open descriptor of a file, which becomes empty: a call that is made
/// again in a new child writes to the same one. Throws std::system_error.
output_file output_to(int fd);

/// Writes what is left in memory. Throws std::system_error, for a full disk too.
void finish(const output_file& file);

}  // namespace rowrunner::pdf
