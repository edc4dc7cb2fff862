// Which jobs a transaction is about, by what the proxy saw of its statements.

#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

constexpr std::size_t uuid_length = 36;
constexpr const char* store_steps = "store_steps/";

std::vector<std::string> braced_lists(const std::string& text) {
  std::vector<std::string> found;
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const auto close = text.find('}', open);
    if (close == std::string::npos) break;
    found.push_back(text.substr(open + 1, close - open - 1));
  }
  return found;
}

/// The elements of an array in PostgreSQL's text format.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> found(1);
  for (const char c : list) {
    if (c == ',') {
      found.emplace_back();
    } else if (c != '"') {
      found.back() += c;
    }
  }
  return found;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// The texts of the statements that store steps; `rest` gets the others.
std::vector<std::string> cut_out_steps(const std::string& statements, std::string& rest) {
  std::vector<std::string> found;
  std::size_t from = 0;
  for (;;) {
    const auto begin = statements.find(store_steps, from);
    rest += statements.substr(from, begin == std::string::npos ? begin : begin - from);
    if (begin == std::string::npos) return found;
    from = std::min(statements.find("; ", begin), statements.size());
    found.push_back(statements.substr(begin, from - begin));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::int64_t>> claims_in(const std::string& statements) {
  std::string rest;
  cut_out_steps(statements, rest);
  std::vector<std::pair<std::string, std::int64_t>> found;
  const auto lists = braced_lists(rest);
  for (std::size_t i = 0; i + 1 < lists.size(); ++i) {
    const auto ids = split(lists[i]);
    const auto leases = split(lists[i + 1]);
    if (ids.size() != leases.size() || ids.front().size() != uuid_length) continue;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      if (is_number(leases[k])) found.emplace_back(ids[k], std::stoll(leases[k]));
    }
  }
  return found;
}

std::vector<named_step> steps_in(const std::string& statements) {
  std::string rest;
  std::vector<named_step> found;
  for (const auto& text : cut_out_steps(statements, rest)) {
    const auto lists = braced_lists(text);
    if (lists.size() < 3) continue;
    const auto ids = split(lists[0]), leases = split(lists[1]), names = split(lists[2]);
    if (ids.size() != leases.size() || ids.size() != names.size()) continue;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (is_number(leases[i])) found.push_back({ids[i], std::stoll(leases[i]), names[i]});
    }
  }
  return found;
}

}  // namespace rowrunner::chaos
