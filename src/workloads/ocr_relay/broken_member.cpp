#include "workloads/ocr_relay/broken_member.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "common/text.hpp"

namespace rowrunner::ocr_relay {
namespace {

using nlohmann::json;

/// Knows the members that lead to what is being read, and keeps no values.
class member_trail : public nlohmann::json_sax<json> {
 public:
  std::string text() const {
    std::string out;
    for (const auto& each : frames_) {
      if (!each.empty()) out += (out.empty() ? "" : ".") + each;
    }
    return out;
  }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    frames_.back() = printable(name, 100);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

 private:
  static constexpr std::size_t deepest = 64;

  bool value() {
    if (!frames_.empty()) frames_.back().clear();
    return true;
  }
  bool enter() {
    frames_.emplace_back();
    return frames_.size() < deepest;
  }
  bool leave() {
    frames_.pop_back();
    return value();
  }

  /// One for each open object and array: the member whose value is being read.
  std::vector<std::string> frames_;
};

}  // namespace

std::string broken_member(std::string_view text) {
  member_trail trail;
  if (json::sax_parse(text.begin(), text.end(), &trail)) return {};
  return trail.text();
}

}  // namespace rowrunner::ocr_relay
