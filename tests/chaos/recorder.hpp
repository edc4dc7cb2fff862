#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rowrunner::chaos {

/// Microseconds since 1970 by the machine's clock, asked of the kernel itself: a process that runs
/// under faketime must not date its records by the clock that it is told.
std::int64_t real_time_us();

/// Opens a file that several processes may append to. Throws std::system_error.
int open_record(const std::string& path);

/// Appends the time and the line in one write(2), so that it is there whole, even if the process is
/// killed the next moment. Throws std::system_error.
void append_record(int file, std::string_view line);

}  // namespace rowrunner::chaos
