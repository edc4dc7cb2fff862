#pragma once

#include <stdexcept>
#include <string>

namespace rowrunner::pdf_batch {

/// What went wrong, and during what: the trace of a failed job.
struct stage_error : std::runtime_error {
  stage_error(std::string during, const std::string& what)
      : std::runtime_error(what), stage(std::move(during)) {}

  std::string stage;
};

}  // namespace rowrunner::pdf_batch
