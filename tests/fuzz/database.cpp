#include "common/pg/array.hpp"
#include "common/pg/binary_array.hpp"
#include "common/pg/error.hpp"
#include "common/pg/result.hpp"
#include "common/text.hpp"
#include "common/uuid.hpp"
#include "parsers.hpp"

namespace rowrunner::fuzz {
namespace {

void read_numbers(std::string_view bytes) {
  std::vector<std::int64_t> numbers;
  try {
    numbers = pg::read_int_array(bytes);
  } catch (const pg::error&) {
    return;
  }
  require(pg::read_int_array(pg::array(numbers)) == numbers, "numbers are themselves again");
}

/// A row with one column of these bytes, in binary or as text.
pg::result answer_of(std::string_view bytes, int format) {
  PGresult* raw = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
  std::string name = "value";
  PGresAttDesc column{name.data(), 0, 0, format, 0, -1, -1};
  require(PQsetResultAttrs(raw, 1, &column) == 1, "libpq takes the column");
  std::string copy(bytes);
  require(PQsetvalue(raw, 0, 0, copy.data(), static_cast<int>(copy.size())) == 1,
          "libpq takes the value");
  return pg::result(raw);
}

void read_answer(const pg::result& answer, std::string_view bytes) {
  require(answer.get(0, 0) == bytes, "a value is as it came");
  try {
    answer.get_int(0, 0);
  } catch (const pg::error&) {
  }
  try {
    answer.get_bool(0, 0);
  } catch (const pg::error&) {
  }
  try {
    const auto id = answer.get_uuid(0, 0);
    require(is_uuid(id), "16 bytes are a uuid");
    char again[uuid_size];
    uuid_bytes(id, again);
    require(std::string_view(again, uuid_size) == bytes, "a uuid is itself again");
  } catch (const pg::error&) {
  }
}

}  // namespace

void read_database_values(std::string_view bytes) {
  read_numbers(bytes);
  for (const int format : {0, 1}) read_answer(answer_of(bytes, format), bytes);
  const auto quoted = pg::array(std::vector<std::string>{std::string(bytes), "second"});
  require(quoted.front() == '{' && quoted.back() == '}', "an array is in braces");
  try {
    pg::uuid_array({bytes});
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace rowrunner::fuzz
