#include "workloads/webhooks/enqueue.hpp"

#include "common/errors.hpp"
#include "common/pg/exec.hpp"
#include "common/text.hpp"
#include "queries/webhooks.hpp"

namespace rowrunner::webhooks {
namespace {

constexpr std::size_t longest_url = 4096;

std::vector<std::optional<std::string>> parameters_of(const new_delivery& wanted) {
  check_address(wanted.url, "url");
  if (!wanted.payload.is_object()) throw bad_input("payload must be an object");
  if (wanted.token) check_text("token", *wanted.token);
  if (wanted.id && !is_uuid(*wanted.id)) throw bad_input("id must be a uuid");
  using nlohmann::json;
  return {wanted.url,
          wanted.payload.dump(-1, ' ', false, json::error_handler_t::replace),
          wanted.event,
          wanted.token,
          wanted.token_member,
          wanted.by == success::by_body ? "body" : "status",
          wanted.source,
          wanted.event_key,
          wanted.id};
}

}  // namespace

effect enqueue_effect(const new_delivery& wanted) {
  return {std::string(queries::webhook_enqueue.text), parameters_of(wanted)};
}

std::string enqueue(pqxx::dbtransaction& tx, const new_delivery& wanted) {
  return pg::exec_each(tx, queries::webhook_enqueue.text, parameters_of(wanted))[0][0]
      .as<std::string>();
}

std::string event_id(const std::string& delivery) { return "msg_" + delivery; }

void check_address(const std::string& url, const std::string& what) {
  check_text(what, url);
  if (url.size() > longest_url) {
    throw bad_input(what + " is longer than " + std::to_string(longest_url) + " bytes");
  }
  try {
    http::parse_url(url);
  } catch (const http::error&) {
    throw bad_input(what + " must be an http or https address without credentials");
  }
}

}  // namespace rowrunner::webhooks
