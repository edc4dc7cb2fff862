#pragma once

#include <array>
#include <string_view>

namespace rowrunner {

/// The words in a job's column `status`. A table whose CHECK does not know `cancelled` writes
/// `failed` instead, with the reason in last_error.
namespace job_status {
inline constexpr std::string_view queued = "queued";
inline constexpr std::string_view processing = "processing";
inline constexpr std::string_view succeeded = "succeeded";
inline constexpr std::string_view failed = "failed";
inline constexpr std::string_view cancelled = "cancelled";

inline constexpr std::array all{queued, processing, succeeded, failed, cancelled};
}  // namespace job_status

struct status_change {
  std::string_view from;
  std::string_view to;
};

/// Every change of status that the engine makes. The diagram in ARCHITECTURE.md shows the same
/// ones, and tests/integration/job_status_test.cpp compares both with what the statements do.
inline constexpr std::array status_changes{
    status_change{job_status::queued, job_status::processing},
    status_change{job_status::processing, job_status::succeeded},
    status_change{job_status::processing, job_status::queued},
    status_change{job_status::processing, job_status::failed},
    status_change{job_status::processing, job_status::cancelled},
    status_change{job_status::queued, job_status::cancelled},
    status_change{job_status::failed, job_status::queued},
    status_change{job_status::cancelled, job_status::queued},
    status_change{job_status::succeeded, job_status::queued},
};

}  // namespace rowrunner
