#include "workloads/documents/settings.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <thread>

#include "common/errors.hpp"

namespace rowrunner::documents {

namespace {

int number(const environment& env, const std::string& name, int otherwise, int least, int most) {
  const auto text = env.get(name);
  if (!text) return otherwise;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() || value < least || value > most) {
    throw usage_error(name + " must be a number from " + std::to_string(least) + " to " +
                      std::to_string(most));
  }
  return value;
}

}  // namespace

std::uint64_t largest_document(const environment& env) {
  return static_cast<std::uint64_t>(number(env, "DOCUMENT_MAX_MB", 200, 1, 10'000)) << 20;
}

int reading_dpi(const environment& env) { return number(env, "OCR_DPI", 300, 50, 600); }

int pages_at_once(const environment& env) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return number(env, "OCR_PAGES_AT_ONCE", cores, 1, 256);
}

}  // namespace rowrunner::documents
