#include "workloads/scoring/run_config.hpp"

#include <cmath>
#include <cstdio>
#include <rowrunner/bad_input.hpp>

#include "common/text.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

void check_number(const char* name, double value, double least, double most) {
  if (std::isfinite(value) && value >= least && value <= most) return;
  char text[160];
  std::snprintf(text, sizeof text, "%s is %g: it must be from %g to %g", name, value, least, most);
  throw bad_input(text);
}

int whole(const json& from, const char* name) {
  // A number beyond int is out of every limit; it must not wrap around into them.
  if (!from.is_number_integer()) throw bad_input(std::string(name) + " must be a whole number");
  const double wide = from.get<double>();
  if (std::abs(wide) > 1e9) check_number(name, wide, 0, 1e9);
  return from.get<int>();
}

bool truth(const json& from, const char* name) {
  if (!from.is_boolean()) throw bad_input(std::string(name) + " must be true or false");
  return from.get<bool>();
}

}  // namespace

void check(const run_config& config) {
  check_number("chunk_retry_limit", config.chunk_retry_limit, 1, 100);
  check_number("max_retries", config.max_retries, 0, 100);
  check_number("flush_batch_size", config.flush_batch_size, 1, 1'000);
  check_number("flush_interval", config.flush_interval, 0.01, 3'600);
  check_number("concurrency", config.concurrency, 1, 1'000);
  check_text("system_prompt", config.system_prompt);
  if (config.system_prompt.size() > 100'000) {
    throw bad_input("system_prompt is longer than 100000 bytes");
  }
}

json to_json(const run_config& config) {
  return {{"chunk_retry_limit", config.chunk_retry_limit},
          {"max_retries", config.max_retries},
          {"flush_batch_size", config.flush_batch_size},
          {"flush_interval", config.flush_interval},
          {"concurrency", config.concurrency},
          {"keep_going", config.keep_going},
          {"fallback", config.fallback},
          {"system_prompt", config.system_prompt}};
}

run_config read_config(const json& from) {
  if (!from.is_object()) throw bad_input("config must be an object");
  run_config out;
  for (const auto& [name, value] : from.items()) {
    if (name == "chunk_retry_limit") {
      out.chunk_retry_limit = whole(value, "chunk_retry_limit");
    } else if (name == "max_retries") {
      out.max_retries = whole(value, "max_retries");
    } else if (name == "flush_batch_size") {
      out.flush_batch_size = whole(value, "flush_batch_size");
    } else if (name == "flush_interval") {
      if (!value.is_number()) throw bad_input("flush_interval must be a number of seconds");
      out.flush_interval = value.get<double>();
    } else if (name == "concurrency") {
      out.concurrency = whole(value, "concurrency");
    } else if (name == "keep_going") {
      out.keep_going = truth(value, "keep_going");
    } else if (name == "fallback") {
      out.fallback = truth(value, "fallback");
    } else if (name == "system_prompt") {
      if (!value.is_string()) throw bad_input("system_prompt must be a text");
      out.system_prompt = value.get<std::string>();
    } else {
      throw bad_input("config has an unknown member '" + printable(name, 100) + "'");
    }
  }
  check(out);
  return out;
}

std::chrono::seconds chunk_back_off(int retry_count) {
  return std::chrono::seconds(retry_count >= 6 ? 60 : 1 << std::max(retry_count, 0));
}

std::string chunk_id(int number) {
  char text[24];
  std::snprintf(text, sizeof text, "chunk-%04d", number);
  return text;
}

}  // namespace rowrunner::scoring
