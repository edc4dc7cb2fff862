#include "api/target.hpp"

#include "common/text.hpp"
#include "parsers.hpp"

namespace rowrunner::fuzz {
namespace {

void require_text(const std::string& text) {
  require(valid_utf8(text), "decoded text is UTF-8");
  for (const char c : text) {
    require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "no control character");
  }
}

}  // namespace

void read_target(std::string_view bytes) {
  const auto found = api::parse_target(bytes);
  if (!found) return;
  require(found->path.starts_with('/'), "a path begins with a slash");
  require(bytes.starts_with('/') || bytes.starts_with("http://"), "a target is a path or a URL");
  if (bytes.starts_with('/')) require(bytes.starts_with(found->path), "the path is as it came");
  for (const auto& each : found->segments) require_text(each);
  for (const auto& [name, value] : found->query) {
    require_text(name);
    require_text(value);
  }
  for (const char* pattern : {"/", "/api/jobs/{kind}/{id}", "/{all}", "/ws/jobs/{job_id}"}) {
    const auto match = api::match_path(pattern, found->segments);
    if (!match) continue;
    for (const auto& [name, value] : *match) require(!value.empty(), "a name stands for something");
  }
}

}  // namespace rowrunner::fuzz
