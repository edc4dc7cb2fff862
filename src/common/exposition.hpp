#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowrunner {

/// Metrics as Prometheus reads them: its text format 0.0.4.
class exposition {
 public:
  using labels = std::vector<std::pair<std::string_view, std::string>>;

  /// Begins a metric; the samples that follow belong to it.
  void gauge(std::string_view name, std::string_view help);
  void sample(const labels& of, double value);

  const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

}  // namespace rowrunner
