#include "workloads/pdf_batch/pubsub_message.hpp"

#include "common/foreign_json.hpp"
#include "common/http/base64.hpp"

namespace rowrunner::pdf_batch {
namespace {

/// A message has 10 MB at most, and in base64 a third more.
constexpr json_limits allowed{16 * 1024 * 1024, 8, 2000};

}  // namespace

pubsub_message read_pubsub_message(const nlohmann::json& object) {
  pubsub_message out;
  if (!object.is_object()) {
    out.wrong = "there is no message";
    return out;
  }
  out.id = text_member(object, "messageId");
  const auto data = object.find("data");
  if (data == object.end() || !data->is_string()) {
    out.wrong = "the message has no data";
    return out;
  }
  auto decoded = http::base64_decoded(data->get_ref<const std::string&>());
  if (!decoded) {
    out.wrong = "the data of the message is not base64";
    return out;
  }
  out.data = std::move(*decoded);
  return out;
}

pubsub_message read_push_body(std::string_view body) {
  pubsub_message out;
  try {
    const auto envelope = parse_foreign_json(body, allowed);
    const auto found = envelope.is_object() ? envelope.find("message") : envelope.end();
    if (envelope.is_object() && found != envelope.end())
      out = read_pubsub_message(*found);
    else
      out.wrong = "the body is no message of Pub/Sub";
  } catch (const foreign_json_error& error) {
    out.wrong = std::string("the body ") + error.what();
  }
  if (!out.wrong.empty()) out.data = body;
  return out;
}

}  // namespace rowrunner::pdf_batch
