// Draws what the simulator sees, and prints the table of docs/limits.md:
//   limits_chart FOLDER [rule=value ...]   writes FOLDER/*.svg; scripts/limits-chart calls it
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "simulator/simulation.hpp"

namespace rowrunner::limits::testing {
namespace {

constexpr int seeds = 20;
constexpr double width = 760, left = 46, right = 12;

/// As in calm=8: to see what other rules would do.
bool set_rule(rate_rules& rules, const std::string& text) {
  const std::map<std::string, double rate_rules::*> numbers{
      {"after_cut", &rate_rules::after_cut},      {"steady", &rate_rules::steady},
      {"regrowth", &rate_rules::regrowth},        {"slow_start", &rate_rules::slow_start},
      {"first_cut", &rate_rules::first_cut},      {"first_step", &rate_rules::first_step},
      {"largest_step", &rate_rules::largest_step}};
  const std::map<std::string, epoch rate_rules::*> seconds{
      {"calm", &rate_rules::calm}, {"step_length", &rate_rules::step_length}};
  const auto equals = text.find('=');
  if (equals == std::string::npos) return false;
  const auto name = text.substr(0, equals);
  const double value = std::strtod(text.c_str() + equals + 1, nullptr);
  if (const auto found = numbers.find(name); found != numbers.end()) {
    rules.*found->second = value;
  } else if (const auto other = seconds.find(name); other != seconds.end()) {
    rules.*other->second = static_cast<epoch>(value);
  } else {
    return false;
  }
  return true;
}

struct named_scenario {
  const char* file;
  const char* title;
  scenario of;
};

double changing(double t) { return t < 100 ? 100.0 : t < 200 ? 50.0 : 150.0; }

std::vector<named_scenario> scenarios() {
  std::vector<named_scenario> all;
  for (const bool headers : {false, true}) {
    for (const int replicas : {1, 10, 30}) {
      scenario of;
      of.replicas = replicas;
      of.headers = headers;
      all.push_back({nullptr, "10/s, burst 10", of});
      if (replicas == 10) all.back().file = headers ? "headers-10" : "blind-10";
      if (replicas == 30 && !headers) all.back().file = "blind-30";
      of.rate = changing;
      of.burst = 100;
      all.push_back({nullptr, "100 → 50 → 150/s, burst 100", of});
      if (replicas == 10) all.back().file = headers ? "headers-changing" : "blind-changing";
    }
  }
  return all;
}

/// Seconds to the right, a quantity up to `most` upwards, between `top` and `bottom`.
struct panel {
  double top, bottom, most;
  std::size_t seconds;

  double x(double second) const {
    return left + (width - left - right) * second / static_cast<double>(seconds);
  }
  double y(double value) const { return bottom - (bottom - top) * std::min(1.0, value / most); }
};

template <typename Value>
std::string line(const panel& in, const std::vector<second>& of, const char* style, Value value) {
  std::ostringstream out;
  out.precision(5);
  out << "<polyline fill=\"none\" " << style << " points=\"";
  for (std::size_t i = 0; i < of.size(); ++i) {
    out << in.x(static_cast<double>(i) + 0.5) << ',' << in.y(value(i)) << ' ';
  }
  out << "\"/>\n";
  return out.str();
}

std::string axis(const panel& in, const std::string& unit) {
  std::ostringstream out;
  out.precision(5);
  for (const double part : {0.0, 0.5, 1.0}) {
    const double y = in.y(part * in.most);
    out << "<line x1=\"" << left << "\" x2=\"" << width - right << "\" y1=\"" << y << "\" y2=\""
        << y << "\" stroke=\"#ddd\"/><text x=\"" << left - 6 << "\" y=\"" << y + 4
        << "\" text-anchor=\"end\">" << part * in.most << unit << "</text>\n";
  }
  return out.str();
}

std::string draw(const named_scenario& what, const outcome& seen) {
  const auto& all = seen.seconds;
  double most = 0;
  for (const auto& each : all) most = std::max(most, each.capacity);
  const panel rates{52, 250, std::ceil(most * 1.4), all.size()};
  const panel shares{282, 352, 50, all.size()};
  std::ostringstream out;
  out.precision(5);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width
      << " 390\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
         "height=\"100%\" fill=\"#fff\"/>\n<text x=\""
      << left << "\" y=\"20\" font-size=\"14\">" << what.of.replicas << " replicas, "
      << (what.of.headers ? "with headers" : "blind") << ", " << what.title << "</text>\n<text x=\""
      << left
      << "\" y=\"40\"><tspan fill=\"#888\">limit of the service</tspan>  <tspan "
         "fill=\"#c60\">planned rate</tspan>  <tspan fill=\"#06c\">accepted calls a second (mean "
         "of 3)</tspan></text>\n";
  out << axis(rates, "") << axis(shares, " %");
  out << line(rates, all, "stroke=\"#888\" stroke-width=\"3\"",
              [&](std::size_t i) { return all[i].capacity; });
  out << line(rates, all, "stroke=\"#06c\" stroke-width=\"1.2\"", [&](std::size_t i) {
    double sum = 0;
    const auto from = i >= 2 ? i - 2 : 0;
    for (auto j = from; j <= i; ++j) sum += all[j].sent - all[j].rejected;
    return sum / static_cast<double>(i - from + 1);
  });
  out << line(rates, all, "stroke=\"#c60\"", [&](std::size_t i) { return all[i].planned; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].rejected == 0) continue;
    const double y = shares.y(100.0 * all[i].rejected / all[i].sent);
    out << "<rect fill=\"#c00\" x=\"" << shares.x(static_cast<double>(i)) << "\" width=\"2\" y=\""
        << y << "\" height=\"" << shares.bottom - y << "\"/>\n";
  }
  out << "<text x=\"" << left << "\" y=\"274\" fill=\"#c00\">429, share of the second's calls"
      << "</text>\n";
  for (std::size_t s = 0; s <= all.size(); s += 50) {
    out << "<text text-anchor=\"middle\" x=\"" << shares.x(static_cast<double>(s))
        << "\" y=\"372\">" << s << " s</text>\n";
  }
  out << "</svg>\n";
  return out.str();
}

struct summary {
  double rejected = 0, worst_rejected = 0, use = 0, worst_use = 1e9, reached = 0;
  int statements = 0;

  void add(const outcome& seen) {
    rejected += seen.rejected_share() / seeds;
    worst_rejected = std::max(worst_rejected, seen.rejected_share());
    use += seen.use() / seeds;
    worst_use = std::min(worst_use, seen.use());
    reached = std::max(reached, seen.reached());
    statements = std::max(statements, seen.most_statements);
  }
};

void run(const named_scenario& what, const std::string& folder) {
  summary sum;
  for (int seed = 1; seed <= seeds; ++seed) {
    auto of = what.of;
    of.seed = static_cast<std::uint64_t>(seed);
    const auto seen = simulate(of);
    sum.add(seen);
    if (seed == 1 && what.file != nullptr) {
      std::ofstream(folder + "/" + what.file + ".svg") << draw(what, seen);
    }
  }
  std::printf("| %s, %d, %s | %.2f %% (%.2f %%) | %.1f %% (%.1f %%) | %.0f s | %d |\n", what.title,
              what.of.replicas, what.of.headers ? "headers" : "blind", 100 * sum.rejected,
              100 * sum.worst_rejected, 100 * sum.use, 100 * sum.worst_use, sum.reached,
              sum.statements);
}

}  // namespace
}  // namespace rowrunner::limits::testing

int main(int argc, char** argv) {
  using namespace rowrunner::limits;
  rate_rules rules;
  bool fine = argc >= 2;
  for (int i = 2; i < argc; ++i) fine = testing::set_rule(rules, argv[i]) && fine;
  if (!fine) {
    std::fprintf(stderr, "usage: limits_chart FOLDER [rule=value ...]\n");
    return 2;
  }
  std::printf(
      "| limit, replicas | 429 (worst seed) | use (worst seed) | 90 %% after | statements a second "
      "|\n|---|---|---|---|---|\n");
  for (auto each : testing::scenarios()) {
    each.of.rules = rules;
    testing::run(each, argv[1]);
  }
}
