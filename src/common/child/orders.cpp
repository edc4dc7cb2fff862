#include "common/child/orders.hpp"

namespace rowrunner::child {

void to_json(nlohmann::json& out, const orders& from) {
  std::vector<std::string> readable;
  for (const auto& each : from.readable) readable.push_back(each.string());
  out = {{"parent", from.parent},
         {"memory_bytes", from.allowed.memory_bytes},
         {"cpu_seconds", from.allowed.cpu.count()},
         {"output_bytes", from.allowed.output_bytes},
         {"file_bytes", from.allowed.file_bytes},
         {"readable", readable},
         {"idle_ms", from.idle_ms}};
}

void from_json(const nlohmann::json& from, orders& out) {
  from.at("parent").get_to(out.parent);
  from.at("memory_bytes").get_to(out.allowed.memory_bytes);
  out.allowed.cpu = std::chrono::seconds(from.at("cpu_seconds").get<long>());
  from.at("output_bytes").get_to(out.allowed.output_bytes);
  from.at("file_bytes").get_to(out.allowed.file_bytes);
  for (const auto& each : from.at("readable")) out.readable.emplace_back(each.get<std::string>());
  from.at("idle_ms").get_to(out.idle_ms);
}

}  // namespace rowrunner::child
