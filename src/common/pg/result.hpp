#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace rowrunner::pg {

/// The answer to one call. It owns its rows and does not need the connection any more; the views
/// that get() hands out live as long as the result.
class result {
 public:
  result() = default;
  explicit result(PGresult* raw) : raw_(raw) {}

  explicit operator bool() const noexcept { return raw_ != nullptr; }
  const PGresult* raw() const noexcept { return raw_.get(); }
  ExecStatusType status() const noexcept { return PQresultStatus(raw_.get()); }

  int rows() const noexcept { return PQntuples(raw_.get()); }
  int columns() const noexcept { return PQnfields(raw_.get()); }

  /// Throws std::out_of_range if there is no such field. NULL gives an empty view. In an answer in
  /// binary only text is readable so; everything else is bytes.
  std::string_view get(int row, int column) const;
  bool is_null(int row, int column) const;
  /// Throws pg::error if the field is NULL or no integer, be it text or binary.
  std::int64_t get_int(int row, int column) const;
  /// Of an answer in text. Throws pg::error if the field is NULL or no boolean.
  bool get_bool(int row, int column) const;
  /// Of an answer in binary, as the server would write it. Throws pg::error if it is no uuid.
  std::string get_uuid(int row, int column) const;

  /// The rows that an INSERT, UPDATE, DELETE or SELECT touched; 0 for other commands.
  int affected() const;

  /// The command tag, such as "UPDATE 3".
  std::string_view tag() const;
  /// A field of an error report (PG_DIAG_...), empty if absent.
  std::string_view error_field(int code) const;

 private:
  struct clear {
    void operator()(PGresult* raw) const noexcept { PQclear(raw); }
  };

  void require(int row, int column) const;

  std::unique_ptr<PGresult, clear> raw_;
};

}  // namespace rowrunner::pg
