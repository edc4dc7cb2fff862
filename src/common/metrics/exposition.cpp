#include "common/metrics/exposition.hpp"

#include <prometheus/text_serializer.h>

#include <limits>

#include "common/text.hpp"

namespace rowrunner {
namespace {

constexpr std::size_t longest_label = 1000;

}  // namespace

void exposition::begin(std::string_view name, std::string_view help, prometheus::MetricType type) {
  families_.push_back({std::string(name), std::string(help), type, {}});
}

void exposition::gauge(std::string_view name, std::string_view help) {
  begin(name, help, prometheus::MetricType::Gauge);
}

void exposition::counter(std::string_view name, std::string_view help) {
  begin(name, help, prometheus::MetricType::Counter);
}

void exposition::histogram(std::string_view name, std::string_view help) {
  begin(name, help, prometheus::MetricType::Histogram);
}

prometheus::ClientMetric& exposition::add(const labels& of) {
  auto& metric = families_.back().metric.emplace_back();
  for (const auto& [name, value] : of) {
    metric.label.push_back({std::string(name), printable(value, longest_label)});
  }
  return metric;
}

void exposition::sample(const labels& of, double value) {
  auto& metric = add(of);
  metric.gauge.value = metric.counter.value = value;
}

void exposition::sample(const labels& of, const rowrunner::histogram& values) {
  auto& out = add(of).histogram;
  const auto bounds = values.bounds();
  const auto counts = values.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    out.sample_count += counts[i];
    const double bound = i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity();
    out.bucket.push_back({out.sample_count, bound});
  }
  out.sample_sum = values.sum();
}

std::string exposition::text() const { return prometheus::TextSerializer().Serialize(families_); }

}  // namespace rowrunner
