#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rowrunner::pg {

/// SQL text and the name under which a connection prepares it. An empty name means that it is
/// parsed every time. One name must always stand for one text.
struct statement {
  std::string name;
  std::string text;
  /// Whether its answer comes in binary: for long answers, numbers and uuids are cheaper so.
  bool binary_answer = false;
};

/// A parameter; nothing means NULL. It is text, unless binary_array.hpp made it.
struct param : std::optional<std::string> {
  using optional::optional;
  param(std::optional<std::string> text) : optional(std::move(text)) {}

  bool binary = false;
};

/// One execution of a statement, which must outlive the call. It has constructors because g++ 12
/// destroys an aggregate twice that is made inside of a co_await.
struct call {
  explicit call(const statement& s, std::vector<param> p = {}) : stmt(&s), params(std::move(p)) {}

  const statement* stmt;
  std::vector<param> params;
};

/// `with(claim, id, worker)` is a call; `together(a, b)` is several in one round trip. They stand
/// where a braced list would, which g++ 12 refuses inside of a co_await.
template <typename... Params>
call with(const statement& stmt, Params&&... params) {
  call made(stmt);
  made.params.reserve(sizeof...(params));
  (made.params.emplace_back(std::forward<Params>(params)), ...);
  return made;
}

template <typename... Calls>
std::vector<call> together(Calls&&... calls) {
  std::vector<call> list;
  list.reserve(sizeof...(calls));
  (list.push_back(std::forward<Calls>(calls)), ...);
  return list;
}

}  // namespace rowrunner::pg
