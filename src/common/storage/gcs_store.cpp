#include "common/storage/gcs_store.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <rowrunner/bad_input.hpp>
#include <utility>

#include "common/foreign_json.hpp"
#include "common/http/base64.hpp"
#include "common/http/url.hpp"
#include "common/text.hpp"

namespace rowrunner::storage {
namespace {

constexpr const char* scope = "https://www.googleapis.com/auth/devstorage.read_write";
constexpr std::size_t largest_metadata = 256 * 1024;

std::string one_line(std::string_view text) {
  std::string out = printable(text, 300);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return out;
}

// The API explains itself in JSON, downloads in plain text, and proxies in HTML, which is dropped.
std::string explanation(const http::response& answer) {
  const auto body = foreign_json_or_null(answer.body);
  if (body.is_object() && body.contains("error")) {
    const auto message = text_member(body["error"], "message");
    if (!message.empty()) return one_line(message);
  }
  const auto type = answer.headers.get("Content-Type").value_or("");
  return type.starts_with("text/plain") ? one_line(answer.body) : std::string();
}

error refusal(const std::string& bucket, const http::response& answer) {
  const bool temporary = answer.status >= 500 || answer.status == 429 || answer.status == 408;
  std::string what = "bucket " + bucket + ": HTTP " + std::to_string(answer.status);
  if (const auto why = explanation(answer); !why.empty()) what += " (" + why + ")";
  return {what, temporary, http::retry_after(answer)};
}

class md5_sum {
 public:
  md5_sum() { restart(); }

  void restart() { check(EVP_DigestInit_ex(context_.get(), EVP_md5(), nullptr)); }
  void add(std::string_view bytes) {
    check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
  }
  std::string base64() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
    return http::base64({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  static void check(int done) {
    if (done == 1) return;
    throw error("OpenSSL makes no MD5 sums here, so uploads cannot be checked", false);
  }
  struct deleter {
    void operator()(EVP_MD_CTX* each) const { EVP_MD_CTX_free(each); }
  };

  const std::unique_ptr<EVP_MD_CTX, deleter> context_{EVP_MD_CTX_new()};
};

/// Sums up what is sent, while it is sent.
class summed_source : public byte_source {
 public:
  explicit summed_source(std::shared_ptr<byte_source> from) : from_(std::move(from)) {}

  std::uint64_t size() const override { return from_->size(); }
  void rewind() override {
    from_->rewind();
    sum_.restart();
  }
  asio::awaitable<std::string> read() override {
    std::string piece = co_await from_->read();
    sum_.add(piece);
    co_return piece;
  }
  std::string sum() { return sum_.base64(); }

 private:
  const std::shared_ptr<byte_source> from_;
  md5_sum sum_;
};

}  // namespace

gcs_store::gcs_store(http::client& http, http::google_credentials credentials, gcs_options options)
    : options_(std::move(options)),
      http_(http),
      auth_(http, std::move(credentials), scope, options_.now) {}

std::string gcs_store::object_url(std::string_view key) const {
  return options_.base_url + "/storage/v1/b/" + http::percent_encode(options_.bucket) + "/o/" +
         http::percent_encode(key);
}

// Each pause is random below a ceiling that doubles, and at least what the server asks for.
std::optional<std::chrono::milliseconds> gcs_store::pause_after(int tried, const error& why) {
  if (!why.temporary || tried >= options_.tries) return std::nullopt;
  const auto asked = why.retry_after.value_or(std::chrono::milliseconds(0));
  if (asked > options_.longest_pause) return std::nullopt;
  const auto ceiling = std::min(options_.first_pause * (1 << (tried - 1)), options_.longest_pause);
  std::uniform_int_distribution<std::chrono::milliseconds::rep> spread(0, ceiling.count());
  return std::max(asked, ceiling / 4) + std::chrono::milliseconds(spread(random_) * 3 / 4);
}

asio::awaitable<http::response> gcs_store::send_authorised(http::request wanted,
                                                           std::string& authorization) {
  authorization = co_await auth_.authorization();
  if (!authorization.empty()) wanted.headers.set("Authorization", authorization);
  co_return co_await http_.send(std::move(wanted));
}

// Throws error for everything that keeps it from an answer.
asio::awaitable<http::response> gcs_store::try_once(http::request wanted) {
  try {
    std::string authorization;
    http::request copy = wanted;
    auto answer = co_await send_authorised(std::move(copy), authorization);
    if (answer.status != 401 || authorization.empty()) co_return answer;
    auth_.refused(authorization);
    co_return co_await send_authorised(std::move(wanted), authorization);
  } catch (const http::auth_error& why) {
    throw error("bucket " + options_.bucket + ": " + why.what(), why.temporary, why.retry_after);
  } catch (const http::error& why) {
    throw error("bucket " + options_.bucket + ": " + why.what(), http::is_temporary(why.kind()));
  }
}

// Gives answers with a good status, and 404.
asio::awaitable<http::response> gcs_store::call(http::request wanted, verification verify) {
  const bool in_pieces = wanted.source || wanted.sink;
  wanted.timeout = in_pieces ? options_.transfer_timeout : options_.timeout;
  wanted.stall_timeout = options_.timeout;
  for (int tried = 1;; ++tried) {
    std::chrono::milliseconds wait{0};
    try {
      http::request copy = wanted;
      auto answer = co_await try_once(std::move(copy));
      if (!answer.ok() && answer.status != 404) throw refusal(options_.bucket, answer);
      if (answer.ok() && verify) verify(answer);
      co_return answer;
    } catch (const error& why) {
      const auto pause = pause_after(tried, why);
      if (!pause) throw;
      wait = *pause;
    }
    if (options_.pause) {
      co_await options_.pause(wait);
    } else {
      asio::steady_timer timer(http_.get_executor(), wait);
      co_await timer.async_wait(asio::use_awaitable);
    }
  }
}

http::request gcs_store::upload(const std::string& key, std::string content_type) const {
  check_key(key);
  http::request wanted(options_.base_url + "/upload/storage/v1/b/" +
                           http::percent_encode(options_.bucket) +
                           "/o?uploadType=media&name=" + http::percent_encode(key),
                       "POST");
  wanted.headers.add("Content-Type", std::move(content_type));
  wanted.max_body = largest_metadata;
  return wanted;
}

void gcs_store::check_stored(const http::response& answer, std::uint64_t size,
                             const std::string& sum) const {
  const auto stored = foreign_json_or_null(answer.body);
  // Numbers of 64 bits are strings in Google's JSON, but not in that of every stand-in.
  if (text_member(stored, "size") == std::to_string(size) &&
      text_member(stored, "md5Hash") == sum) {
    return;
  }
  throw error("bucket " + options_.bucket + ": what was stored is not what was sent", true);
}

asio::awaitable<void> gcs_store::put(std::string key, std::string bytes, std::string content_type) {
  http::request wanted = upload(key, std::move(content_type));
  const auto size = bytes.size();
  md5_sum md5;
  md5.add(bytes);
  wanted.body = std::move(bytes);
  verification verify = [this, size, sum = md5.base64()](const http::response& answer) {
    check_stored(answer, size, sum);
  };
  const auto answer = co_await call(std::move(wanted), std::move(verify));
  if (!answer.ok()) throw refusal(options_.bucket, answer);
}

asio::awaitable<void> gcs_store::put_from(std::string key, std::shared_ptr<byte_source> from,
                                          std::string content_type) {
  http::request wanted = upload(key, std::move(content_type));
  const auto source = std::make_shared<summed_source>(std::move(from));
  wanted.source = source;
  verification verify = [this, source](const http::response& answer) {
    check_stored(answer, source->size(), source->sum());
  };
  const auto answer = co_await call(std::move(wanted), std::move(verify));
  if (!answer.ok()) throw refusal(options_.bucket, answer);
}

asio::awaitable<bool> gcs_store::get_to(std::string key, std::shared_ptr<byte_sink> to,
                                        std::uint64_t max_bytes) {
  check_key(key);
  http::request wanted(object_url(key) + "?alt=media");
  wanted.max_body = max_bytes;
  wanted.sink = std::move(to);
  const auto answer = co_await call(std::move(wanted));
  co_return answer.ok();
}

asio::awaitable<std::optional<std::string>> gcs_store::get(std::string key, std::size_t max_bytes) {
  check_key(key);
  http::request wanted(object_url(key) + "?alt=media");
  wanted.max_body = max_bytes;
  auto answer = co_await call(std::move(wanted));
  if (answer.status == 404) co_return std::nullopt;
  co_return std::move(answer.body);
}

asio::awaitable<bool> gcs_store::exists(std::string key) {
  check_key(key);
  http::request wanted(object_url(key) + "?fields=name");
  wanted.max_body = largest_metadata;
  const auto answer = co_await call(std::move(wanted));
  co_return answer.ok();
}

asio::awaitable<void> gcs_store::remove(std::string key) {
  check_key(key);
  http::request wanted(object_url(key), "DELETE");
  wanted.max_body = largest_metadata;
  co_await call(std::move(wanted));
}

std::string gcs_store::url(std::string_view key) const {
  check_key(key);
  return options_.base_url + "/" + http::percent_encode(options_.bucket) + "/" + url_path(key);
}

std::optional<std::string> gcs_store::key_of(std::string_view url) const {
  const std::string base = options_.base_url + "/" + http::percent_encode(options_.bucket) + "/";
  if (!url.starts_with(base)) return std::nullopt;
  std::string key = http::percent_decode(url.substr(base.size()));
  try {
    check_key(key);
  } catch (const bad_input&) {
    return std::nullopt;
  }
  return key;
}

}  // namespace rowrunner::storage
