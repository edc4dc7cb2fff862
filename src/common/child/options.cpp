#include "common/child/options.hpp"

#include <charconv>

#include "common/errors.hpp"
#include "common/text.hpp"

namespace rowrunner::child {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// What the variable says, or `otherwise`.
std::size_t number(const environment& env, const std::string& variable, std::size_t least,
                   std::size_t most, std::size_t otherwise) {
  const auto text = env.get(variable);
  if (!text) return otherwise;
  std::size_t value = 0;
  const auto* end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || stopped != end || value < least || value > most) {
    throw usage_error(variable + " must be a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most) + ", not '" + printable(*text, 40) + "'");
  }
  return value;
}

limits limits_from(const environment& env) {
  limits out;
  out.memory_bytes =
      mebibyte * number(env, "CHILD_MEMORY_MB", 256, 1 << 20, out.memory_bytes / mebibyte);
  const auto cpu = static_cast<std::size_t>(out.cpu.count());
  out.cpu = std::chrono::seconds(number(env, "CHILD_CPU_SECONDS", 1, 86'400, cpu));
  const auto wall = static_cast<std::size_t>(out.wall.count()) / 1000;
  out.wall = std::chrono::seconds(number(env, "CHILD_WALL_SECONDS", 1, 86'400, wall));
  out.file_bytes = mebibyte * number(env, "CHILD_FILE_MB", 1, 1 << 20, out.file_bytes / mebibyte);
  return out;
}

bool confinement_required(const environment& env) {
  const auto text = env.get("CHILD_CONFINEMENT").value_or("available");
  if (text == "required") return true;
  if (text == "available") return false;
  throw usage_error("CHILD_CONFINEMENT must be available or required, not '" + printable(text, 40) +
                    "'");
}

}  // namespace

options options_from(const environment& env, std::optional<event_log> log) {
  options out;
  if (const auto program = env.get("CHILD_PROGRAM")) out.program = *program;
  out.size = number(env, "CHILD_PROCESSES", 1, 1024, 0);
  out.each = limits_from(env);
  out.confinement_required = confinement_required(env);
  // Threads of tesseract only compete with the other children.
  out.variables = {"OMP_THREAD_LIMIT=1", "LANG=C.UTF-8"};
  if (const auto data = env.get("TESSDATA_PREFIX")) {
    out.variables.push_back("TESSDATA_PREFIX=" + *data);
    out.readable.emplace_back(*data);
  }
  out.log = std::move(log);
  return out;
}

}  // namespace rowrunner::child
