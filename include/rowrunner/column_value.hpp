#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace rowrunner {

/// A column of a job was asked for as a type that its value does not have. The message names
/// column, type and value.
struct bad_column : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {

template <typename>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Each reads what PostgreSQL writes for such a value; nothing if `text` is something else.
std::optional<std::int64_t> read_integer(std::string_view text);
std::optional<double> read_number(std::string_view text);
std::optional<bool> read_bool(std::string_view text);
/// date, timestamp (taken as UTC) and timestamptz, in the ISO style.
std::optional<std::chrono::system_clock::time_point> read_time(std::string_view text);
std::optional<nlohmann::json> read_json(std::string_view text);

[[noreturn]] void refuse_column(std::string_view name, std::string_view type,
                                const std::optional<std::string>& value);

template <typename T>
std::optional<T> read_column(std::string_view text) {
  if constexpr (std::same_as<T, bool>) {
    return read_bool(text);
  } else if constexpr (std::integral<T>) {
    const auto wide = read_integer(text);
    if (!wide || !std::in_range<T>(*wide)) return std::nullopt;
    return static_cast<T>(*wide);
  } else if constexpr (std::same_as<T, double>) {
    return read_number(text);
  } else if constexpr (std::same_as<T, std::chrono::system_clock::time_point>) {
    return read_time(text);
  } else if constexpr (std::same_as<T, nlohmann::json>) {
    return read_json(text);
  } else {
    static_assert(std::same_as<T, std::string>, "no column can be read as this type");
    return std::string{text};
  }
}

template <typename T>
constexpr std::string_view type_name() {
  if constexpr (std::same_as<T, bool>) {
    return "a boolean";
  } else if constexpr (std::integral<T>) {
    return sizeof(T) == 8 ? "a 64-bit integer" : sizeof(T) == 4 ? "a 32-bit integer" : "an integer";
  } else if constexpr (std::same_as<T, double>) {
    return "a number";
  } else if constexpr (std::same_as<T, std::chrono::system_clock::time_point>) {
    return "a time";
  } else if constexpr (std::same_as<T, nlohmann::json>) {
    return "JSON";
  } else {
    return "text";
  }
}

/// The value of column `name` as a T; std::optional<T> for columns that may be NULL.
template <typename T>
T column_as(std::string_view name, const std::optional<std::string>& value) {
  if constexpr (is_optional<T>) {
    if (!value) return std::nullopt;
    return column_as<typename T::value_type>(name, value);
  } else {
    auto read = value ? read_column<T>(*value) : std::nullopt;
    if (!read) refuse_column(name, type_name<T>(), value);
    return std::move(*read);
  }
}

}  // namespace detail
}  // namespace rowrunner
