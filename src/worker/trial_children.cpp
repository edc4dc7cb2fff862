// Reads back from the effects of a trial which jobs they enqueue: the statement of enqueue_effect
// is db/queries/engine/enqueue.sql, with one parameter for each column, in the same order.

#include <rowrunner/testing.hpp>
#include <string_view>

#include "queries/engine.hpp"

namespace rowrunner::testing {

namespace {

/// The position of this text outside of quoted names.
std::size_t find_unquoted(std::string_view text, std::string_view wanted) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!quoted && text.substr(at).starts_with(wanted)) return at;
    if (text[at] == '"') quoted = !quoted;
  }
  return std::string_view::npos;
}

std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const auto at = find_unquoted(text, end);
  if (at == std::string_view::npos) return std::nullopt;
  const auto taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

std::string unquoted(std::string_view name) {
  std::string out;
  for (std::size_t at = 1; at + 1 < name.size(); ++at) {
    out += name[at];
    if (name[at] == '"') ++at;
  }
  return out;
}

/// The pieces of enqueue.sql around what is filled in: the table, the columns, the values, the key.
std::vector<std::string_view> pieces_of_enqueue() {
  std::vector<std::string_view> pieces;
  std::string_view rest = queries::enqueue.text;
  for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    pieces.push_back(rest.substr(0, open));
    rest.remove_prefix(rest.find('}') + 1);
  }
  pieces.push_back(rest);
  return pieces;
}

std::optional<recorded_child> child_of(const effect& one) {
  static const auto pieces = pieces_of_enqueue();
  std::string_view sql = one.sql;
  if (!sql.starts_with(pieces[0]) || !sql.ends_with(pieces[4])) return std::nullopt;
  sql.remove_prefix(pieces[0].size());
  const auto table = take_until(sql, pieces[1]);
  auto columns = take_until(sql, pieces[2]);
  if (!table || !columns || find_unquoted(sql, pieces[3]) == std::string_view::npos) {
    return std::nullopt;
  }
  recorded_child child{std::string(*table), {}, {}};
  for (const auto& param : one.params) {
    const auto quoted = take_until(*columns, ", ").value_or(*columns);
    const auto name = unquoted(quoted);
    if (name == "id") {
      child.id = param.value_or("");
    } else {
      child.columns[name] = param;
    }
  }
  return child;
}

}  // namespace

std::vector<recorded_child> trial_run::children() const {
  std::vector<recorded_child> all;
  for (const auto& one : effects()) {
    if (auto child = child_of(one)) all.push_back(std::move(*child));
  }
  return all;
}

}  // namespace rowrunner::testing
