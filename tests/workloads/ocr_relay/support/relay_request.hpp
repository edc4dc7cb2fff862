#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rowrunner::testing {

/// The body of POST /jobs with every field of the document.
inline nlohmann::json full_request() {
  return {{"orderId", "abc123"},
          {"fileId", "1AbCdEf"},
          {"prompt", "Read the order."},
          {"pattern", "all"},
          {"masters", {{"shipCsv", "id,name\n1,大阪"}, {"itemCsv", "id,name\n7,Bolt"}}},
          {"webhook", {{"url", "https://script.google.com/macros/s/x/exec"}, {"token", "t0ken"}}},
          {"gemini",
           {{"model", "gemini-2.5-flash"},
            {"temperature", 0.1},
            {"topP", 0.9},
            {"topK", 32},
            {"maxOutputTokens", 65536}}},
          {"options", {{"splitMode", "pdf"}, {"dpi", 300}, {"concurrency", 3}}},
          {"idempotencyKey", "key"}};
}

/// Where a field of the document is in the body: "masters.shipCsv" is /masters/shipCsv.
inline nlohmann::json::json_pointer pointer_to(std::string field) {
  for (auto& each : field) each = each == '.' ? '/' : each;
  return nlohmann::json::json_pointer("/" + field);
}

/// The body without that field.
inline nlohmann::json request_without(const std::string& field) {
  auto out = full_request();
  const auto where = pointer_to(field);
  out[where.parent_pointer()].erase(where.back());
  return out;
}

inline nlohmann::json request_with(const std::string& field, nlohmann::json value) {
  auto out = full_request();
  out[pointer_to(field)] = std::move(value);
  return out;
}

}  // namespace rowrunner::testing
