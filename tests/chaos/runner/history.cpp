#include "chaos/runner/history.hpp"

#include <unistd.h>

#include "chaos/recorder.hpp"

namespace rowrunner::chaos {

history::history(const std::string& path) : path_(path), file_(open_record(path)) {}

history::~history() { close(file_); }

void history::note(const std::string& line) const { append_record(file_, line); }

}  // namespace rowrunner::chaos
