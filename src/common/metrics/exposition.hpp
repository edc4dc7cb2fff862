#pragma once

#include <prometheus/metric_family.h>

#include <rowrunner/measures.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowrunner {

/// Metrics as Prometheus reads them: its text format 0.0.4. They are values that were counted
/// elsewhere, so no registry is kept between two scrapes.
class exposition {
 public:
  static constexpr std::string_view content_type = "text/plain; version=0.0.4; charset=utf-8";

  using labels = std::vector<std::pair<std::string_view, std::string>>;

  /// Each begins a metric; the samples that follow belong to it.
  void gauge(std::string_view name, std::string_view help);
  void counter(std::string_view name, std::string_view help);
  void histogram(std::string_view name, std::string_view help);

  void sample(const labels& of, double value);
  void sample(const labels& of, const rowrunner::histogram& values);

  std::string text() const;

 private:
  void begin(std::string_view name, std::string_view help, prometheus::MetricType type);
  prometheus::ClientMetric& add(const labels& of);

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace rowrunner
