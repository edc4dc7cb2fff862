#include "api/message.hpp"
#include "common/foreign_json.hpp"
#include "parsers.hpp"

namespace rowrunner::fuzz {
namespace {

struct extent {
  std::size_t depth = 0;
  std::size_t elements = 0;
};

void measure(const nlohmann::json& value, std::size_t depth, extent& out) {
  ++out.elements;
  if (!value.is_structured()) return;
  out.depth = std::max(out.depth, depth);
  for (const auto& each : value) measure(each, depth + 1, out);
}

void read_as_body(std::string_view bytes) {
  api::request asked;
  asked.head.set(api::http::field::content_type, "application/json");
  asked.body = bytes;
  nlohmann::json object;
  std::string text;
  const auto why = api::read_object(asked, {"kind", "fingerprint"}, object);
  if (why) {
    require(why->status >= 400 && why->status < 500, "the caller's mistake");
    return;
  }
  require(object.is_object(), "a body is an object");
  if (const auto wrong = api::read_text(object, "kind", text)) {
    require(wrong->status == 400 || wrong->status == 422, "the caller's mistake");
  }
}

}  // namespace

/// What is read is JSON, within the limits, and can be written again.
void read_json(std::string_view bytes) {
  const json_limits limits{.bytes = 1000, .depth = 5, .elements = 50};
  read_as_body(bytes);
  nlohmann::json value;
  try {
    value = parse_foreign_json(bytes, limits);
  } catch (const foreign_json_error&) {
    require(foreign_json_or_null(bytes, limits).is_null(), "both refuse the same");
    return;
  }
  require(bytes.size() <= limits.bytes, "it is within the limit of bytes");
  extent found;
  measure(value, 1, found);
  require(found.depth <= limits.depth, "it is within the limit of depth");
  require(found.elements <= limits.elements, "it is within the limit of elements");
  require(nlohmann::json::accept(bytes), "it is JSON");
  require(nlohmann::json::parse(value.dump()) == value, "it can be written and read again");
  text_member(value, "error");
}

}  // namespace rowrunner::fuzz
