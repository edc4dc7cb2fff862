#include "workloads/providers/drive.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/http/url.hpp"
#include "common/text.hpp"
#include "workloads/providers/settings.hpp"

namespace rowrunner::providers {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr const char* account_variable = "DRIVE_SERVICE_ACCOUNT_JSON";
constexpr const char* scope = "https://www.googleapis.com/auth/drive.readonly";
constexpr std::chrono::minutes longest_download{15};

std::string key_text(const std::string& given) {
  if (given.find('{') != std::string::npos) return given;
  std::ifstream file(given, std::ios::binary);
  if (!file) {
    throw usage_error(std::string(account_variable) + ": " + given +
                      " cannot be read: " + std::strerror(errno));
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The reasons that Drive gives besides a message, as in {"error": {"errors": [{"reason"}]}}.
bool is_about_rate(const json& error) {
  const auto errors = error.find("errors");
  if (errors == error.end() || !errors->is_array()) return false;
  return std::any_of(errors->begin(), errors->end(), [](const json& each) {
    const auto reason = text_member(each, "reason");
    return reason == "rateLimitExceeded" || reason == "userRateLimitExceeded" ||
           reason == "dailyLimitExceeded" || reason == "sharingRateLimitExceeded";
  });
}

}  // namespace

provider_error drive_refusal(const http::response& answer, const std::string& account) {
  const auto body = foreign_json_or_null(answer.body);
  const json error = body.is_object() && body.contains("error") && body["error"].is_object()
                         ? body["error"]
                         : json::object();
  const bool busy = answer.status == 429 || answer.status == 408 || answer.status >= 500 ||
                    (answer.status == 403 && is_about_rate(error));
  std::string what = "Google Drive answered " + std::to_string(answer.status);
  if (const auto words = text_member(error, "message"); !words.empty()) {
    what += ": " + printable(words, 300);
  }
  if (!busy && (answer.status == 403 || answer.status == 404)) {
    what += "; is the file shared with " + account + "?";
  }
  std::replace(what.begin(), what.end(), '\n', ' ');
  return provider_error(what, !busy, busy ? http::retry_after(answer) : std::nullopt);
}

drive::drive(workload_services& all)
    : http_(all.http),
      base_url_(base_url(all.env, "DRIVE_BASE_URL", "https://www.googleapis.com")),
      timeout_(request_timeout(all.env)) {
  const auto given = all.env.get(account_variable);
  if (!given) return;
  auto account = http::parse_service_account(key_text(*given), account_variable);
  account_ = account.client_email;
  auth_ = std::make_unique<http::google_auth>(http_, std::move(account), scope);
}

asio::awaitable<http::response> drive::ask(std::string id, std::shared_ptr<byte_sink> to,
                                           std::uint64_t limit, std::string authorization) {
  http::request get(base_url_ + "/drive/v3/files/" + http::percent_encode(id) +
                    "?alt=media&supportsAllDrives=true");
  get.headers.add("Authorization", std::move(authorization));
  get.sink = std::move(to);
  get.max_body = limit;
  get.timeout = longest_download;
  get.stall_timeout = timeout_;
  get.follow_redirects = 3;
  try {
    co_return co_await http_.send(std::move(get));
  } catch (const http::error& why) {
    if (why.kind() == http::error_kind::too_large) {
      throw provider_error("the file is larger than " + std::to_string(limit) + " bytes", true);
    }
    throw provider_error(std::string("Google Drive: ") + why.what(),
                         !http::is_temporary(why.kind()));
  }
}

asio::awaitable<void> drive::download(std::string id, std::shared_ptr<byte_sink> to,
                                      std::uint64_t limit) {
  if (!auth_) {
    throw provider_error(
        std::string("fileId names a file on Google Drive, and ") + account_variable + " is not set",
        true);
  }
  for (int tried = 1;; ++tried) {
    std::string authorization;
    try {
      authorization = co_await auth_->authorization();
    } catch (const http::auth_error& why) {
      throw provider_error(why.what(), !why.temporary, why.retry_after);
    } catch (const http::error& why) {
      throw provider_error(why.what(), !http::is_temporary(why.kind()));
    }
    const auto answer = co_await ask(id, to, limit, authorization);
    if (answer.ok()) co_return;
    // A token may be withdrawn before its time.
    if (answer.status == 401 && tried == 1) {
      auth_->refused(authorization);
      continue;
    }
    throw drive_refusal(answer, account_);
  }
}

}  // namespace rowrunner::providers
