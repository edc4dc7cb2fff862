#include "common/foreign_json.hpp"

#include <cstdint>

#include "common/text.hpp"

namespace rowrunner {

using nlohmann::json;

namespace {

/// Reads along without keeping anything, and says stop at the first value beyond a limit.
class limit_check : public json::json_sax_t {
 public:
  explicit limit_check(const json_limits& allowed) : allowed_(allowed) {}

  const std::string& complaint() const { return complaint_; }

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(std::int64_t) override { return count(); }
  bool number_unsigned(std::uint64_t) override { return count(); }
  bool number_float(double, const std::string&) override { return count(); }
  bool string(std::string&) override { return count(); }
  bool binary(json::binary_t&) override { return count(); }
  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override { return enter(); }
  bool key(std::string&) override { return true; }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }

  bool parse_error(std::size_t, const std::string&, const json::exception& why) override {
    const std::string_view what = why.what();
    const auto start = what.find("parse error");
    return refuse("is not JSON: " + printable(what.substr(start == what.npos ? 0 : start), 300));
  }

 private:
  bool refuse(std::string why) {
    complaint_ = std::move(why);
    return false;
  }
  bool count() {
    if (++elements_ <= allowed_.elements) return true;
    return refuse("has more than " + std::to_string(allowed_.elements) + " values");
  }
  bool enter() {
    if (++depth_ <= allowed_.depth) return count();
    return refuse("is nested deeper than " + std::to_string(allowed_.depth));
  }
  bool leave() {
    --depth_;
    return true;
  }

  const json_limits allowed_;
  std::size_t depth_ = 0;
  std::size_t elements_ = 0;
  std::string complaint_{};
};

}  // namespace

// Read twice: the callback that json::parse offers costs the square of the length of an array of
// objects.
json parse_foreign_json(std::string_view text, const json_limits& allowed) {
  if (text.size() > allowed.bytes) {
    throw foreign_json_error("is larger than " + std::to_string(allowed.bytes) + " bytes");
  }
  limit_check check(allowed);
  if (!json::sax_parse(text, &check)) throw foreign_json_error(check.complaint());
  return json::parse(text);
}

json foreign_json_or_null(std::string_view text, const json_limits& allowed) {
  try {
    return parse_foreign_json(text, allowed);
  } catch (const foreign_json_error&) {
    return nullptr;
  }
}

std::string text_member(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace rowrunner
