#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/http/google_auth.hpp"
#include "workloads/providers/error.hpp"
#include "workloads/services.hpp"

namespace rowrunner::providers {

/// Files on Google Drive, with the service account of DRIVE_SERVICE_ACCOUNT_JSON: the path of its
/// key file, or the key itself. DRIVE_BASE_URL names another server than Google's.
class drive {
 public:
  /// Throws usage_error for settings that make no sense; without an account nothing can be fetched.
  explicit drive(workload_services& all);

  /// files.get with alt=media, into the sink. Throws provider_error.
  boost::asio::awaitable<void> download(std::string id, std::shared_ptr<byte_sink> to,
                                        std::uint64_t limit);

 private:
  boost::asio::awaitable<http::response> ask(std::string id, std::shared_ptr<byte_sink> to,
                                             std::uint64_t limit, std::string authorization);

  http::client& http_;
  std::string base_url_;
  std::string account_;
  std::chrono::milliseconds timeout_;
  std::unique_ptr<http::google_auth> auth_;
};

/// What an answer other than 2xx means; `account` is named where it lacks a permission.
provider_error drive_refusal(const http::response& answer, const std::string& account);

}  // namespace rowrunner::providers
