#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/verb.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/access.hpp"
#include "common/byte_stream.hpp"

namespace rowrunner::api {

namespace http = boost::beast::http;

using request_head = http::request_header<http::fields>;
using text_map = std::map<std::string, std::string, std::less<>>;

/// One request, as handlers see it.
struct request {
  /// Of this server; it is in the answer (X-Request-Id), in errors and in the log.
  std::string id;
  std::string remote;
  request_head head;
  /// As it came, without the query, which may hold a ticket.
  std::string path;
  text_map query;
  /// The values of {names} in the path of the route.
  text_map params;
  std::string body;
  /// The body of a route that streams it; `body` is empty then.
  std::shared_ptr<byte_source> stream{};
  identity who;
  /// Why a WebSocket must be closed at once.
  std::optional<std::string> refused{};
};

/// An expected failure of a request: what its error answer says.
struct problem {
  problem(int with_status, std::string_view with_code, std::string text, bool may_retry = false)
      : status(with_status), code(with_code), message(std::move(text)), retryable(may_retry) {}

  int status;
  std::string code;
  std::string message;
  bool retryable;
  std::vector<std::pair<std::string, std::string>> headers{};
};

/// A problem that a handler throws; dispatch makes the error answer of it.
class request_error : public std::runtime_error {
 public:
  explicit request_error(problem why) : std::runtime_error(why.message), why_(std::move(why)) {}

  const problem& why() const noexcept { return why_; }

 private:
  problem why_;
};

class conversation;

struct answer {
  answer() = default;
  explicit answer(int with_status, const nlohmann::ordered_json& value);

  int status = 204;
  /// Without it there is no body.
  std::string content_type{};
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  /// Sent instead of `body`, in pieces.
  std::shared_ptr<byte_source> stream{};
  /// Takes the connection over instead of a body: server-sent events, a WebSocket.
  std::shared_ptr<conversation> goes_on{};
};

/// {"error": {"code", "message", "request_id", "retryable"}}
answer error_answer(const problem& why, const std::string& request_id);

/// The body of a request as a JSON object that has no other members than these. Gives the problem
/// of one that is something else.
std::optional<problem> read_object(const request& asked, std::initializer_list<const char*> members,
                                   nlohmann::json& out);

/// A member of such an object that must be a text that PostgreSQL can store.
std::optional<problem> read_text(const nlohmann::json& object, const char* name, std::string& out);

}  // namespace rowrunner::api
