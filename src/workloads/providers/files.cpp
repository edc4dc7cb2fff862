#include "workloads/providers/files.hpp"

#include <algorithm>
#include <cctype>

#include "common/errors.hpp"
#include "common/file_stream.hpp"
#include "common/http/url.hpp"
#include "workloads/providers/data_dir.hpp"
#include "workloads/providers/drive.hpp"
#include "workloads/providers/settings.hpp"

namespace rowrunner::providers {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes longest_download{15};
constexpr std::size_t longest_drive_id = 200;

bool begins_with(std::string_view text, std::string_view scheme) {
  return text.size() >= scheme.size() &&
         std::equal(scheme.begin(), scheme.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

asio::awaitable<void> download(workload_services& all, std::string url,
                               std::shared_ptr<byte_sink> to, std::uint64_t limit) {
  http::request get(std::move(url));
  get.sink = std::move(to);
  get.max_body = limit;
  get.timeout = longest_download;
  get.stall_timeout = request_timeout(all.env);
  get.follow_redirects = 3;
  std::optional<http::response> answer;
  try {
    answer = co_await all.outbound.send(std::move(get));
  } catch (const http::error& why) {
    if (why.kind() == http::error_kind::too_large) {
      throw provider_error("the file is larger than " + std::to_string(limit) + " bytes", true);
    }
    throw provider_error(std::string("fileId: ") + why.what(), !http::is_temporary(why.kind()));
  }
  if (answer->ok()) co_return;
  const int status = answer->status;
  const bool busy = status == 408 || status == 425 || status == 429 || status >= 500;
  throw provider_error("the address of the file answered " + std::to_string(status), !busy,
                       busy ? http::retry_after(*answer) : std::nullopt);
}

asio::awaitable<void> copy(workload_services& all, std::string file_id,
                           std::shared_ptr<byte_sink> to, std::uint64_t limit) {
  const auto where = data_dir_from(all.env);
  const auto path = path_in_data_dir(where.root, file_id);
  const std::function<descriptor()> open = [where, path, limit] {
    return open_in_data_dir(where, path, limit);
  };
  const auto opened = co_await result_of<descriptor>(all.files, open);
  // This name leads to the file that was checked, whatever has become of its path.
  file_source from("/proc/self/fd/" + std::to_string(opened.get()), all.files);
  to->restart();
  for (;;) {
    auto piece = co_await from.read();
    if (piece.empty()) co_return;
    co_await to->write(std::move(piece));
  }
}

}  // namespace

file_origin origin_of(std::string_view file_id) {
  if (begins_with(file_id, "http://") || begins_with(file_id, "https://")) {
    try {
      http::parse_url(file_id);
    } catch (const http::error& why) {
      throw bad_input(std::string("fileId: ") + why.what());
    }
    return file_origin::web;
  }
  if (file_id.starts_with("file://") || file_id.starts_with("local:")) return file_origin::data_dir;
  const bool is_id =
      !file_id.empty() && file_id.size() <= longest_drive_id &&
      std::all_of(file_id.begin(), file_id.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
      });
  if (!is_id) {
    throw bad_input(
        "fileId must be the id of a file on Google Drive, or begin with https://, http://, file:// "
        "or local:");
  }
  return file_origin::drive;
}

asio::awaitable<void> fetch_file(workload_services& all, const job_view&, std::string file_id,
                                 fs::path out, std::uint64_t limit) {
  std::optional<file_origin> origin;
  try {
    origin = origin_of(file_id);
  } catch (const bad_input& why) {
    throw provider_error(why.what(), true);
  }
  const auto to = std::make_shared<file_sink>(std::move(out), all.files);
  switch (*origin) {
    case file_origin::web:
      co_await download(all, std::move(file_id), to, limit);
      break;
    case file_origin::data_dir:
      co_await copy(all, std::move(file_id), to, limit);
      break;
    case file_origin::drive:
      co_await all.shared<drive>().download(std::move(file_id), to, limit);
      break;
  }
  co_await to->finish();
}

}  // namespace rowrunner::providers
