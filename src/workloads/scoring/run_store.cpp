#include "workloads/scoring/run_store.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <regex>
#include <rowrunner/bad_input.hpp>
#include <rowrunner/column_value.hpp>

#include "common/pg/array.hpp"
#include "common/text.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/csv.hpp"
#include "workloads/scoring/models/make_model.hpp"
#include "workloads/scoring/sha256.hpp"
#include "workloads/scoring/sheets/sheets_client.hpp"
#include "workloads/scoring/system_prompt.hpp"

namespace rowrunner::scoring {

using admin::transaction;
using nlohmann::json;

namespace {

constexpr std::size_t rows_at_once = 500;
constexpr std::size_t bytes_at_once = 4 * 1024 * 1024;

/// Reads the sheet as far as it is asked for, so that a few hundred rows are in memory at a time.
class sheet_reader {
 public:
  explicit sheet_reader(sheet_source from)
      : from_(std::move(from)), csv_([this](std::size_t number, std::vector<std::string>& cells) {
          if (number == 0) {
            header_ = std::move(cells);
          } else {
            rows_.push_back(pg::array(cells));
            bytes_ += rows_.back().size();
          }
          for (const auto& cell : number == 0 ? header_ : cells) hash_.add_field(cell);
        }) {}

  /// Reads until there are many rows, or the header, or the end.
  void read_on(bool only_header = false) {
    while (!ended_ && rows_.size() < rows_at_once && bytes_ < bytes_at_once &&
           !(only_header && !header_.empty())) {
      const auto piece = from_();
      if (piece.empty()) {
        csv_.end();
        ended_ = true;
      } else {
        csv_.add(piece);
      }
    }
  }

  std::vector<std::string> take_rows() {
    bytes_ = 0;
    return std::exchange(rows_, {});
  }
  bool ended() const noexcept { return ended_; }
  const std::vector<std::string>& header() const noexcept { return header_; }
  sha256& hash() noexcept { return hash_; }
  bool had_bom() const noexcept { return csv_.had_bom(); }

 private:
  const sheet_source from_;
  csv_reader csv_;
  std::vector<std::string> header_;
  std::vector<std::string> rows_;
  std::size_t bytes_ = 0;
  bool ended_ = false;
  sha256 hash_;
};

int column_of(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found != header.end()) return static_cast<int>(found - header.begin());
  std::string has;
  for (const auto& each : header) has += (has.empty() ? "'" : ", '") + printable(each, 60) + "'";
  throw bad_input("the sheet has no column '" + printable(name, 100) + "': it has " +
                  printable(has, 500));
}

std::optional<std::string> text_of(const std::optional<std::int64_t>& number) {
  if (!number) return std::nullopt;
  return std::to_string(*number);
}

std::optional<std::string> text_of(const std::optional<double>& number) {
  if (!number) return std::nullopt;
  return csv_number(*number);
}

/// The limit as it is stored and as it is wanted now. `scoring resume` may have raised it since.
void check_limit(const new_run& wanted, const char* name, const pg::result& stored, int column,
                 const std::optional<double>& now) {
  const auto has =
      stored.is_null(0, column) ? std::nullopt : detail::read_number(stored.get(0, column));
  if (has == now || (has && now && *has > *now)) return;
  throw bad_input("run '" + wanted.name + "' exists " +
                  (has ? "with " + std::string(name) + " " + csv_number(*has)
                       : "without " + std::string(name)) +
                  "; nothing was changed (rowrunner scoring resume takes a larger budget)");
}

/// What is not part of the content must not be ignored in silence either.
asio::awaitable<void> compare_settings(transaction& tx, const new_run& wanted, std::int64_t run) {
  const auto stored = co_await tx.run(queries::run_settings, run);
  const auto had = json::parse(stored.get(0, 0));
  const auto now = to_json(wanted.config);
  for (const auto& [name, value] : now.items()) {
    // The prompt is content; an empty one is stored as such, too.
    if (name == "system_prompt" || had.value(name, json()) == value) continue;
    throw bad_input("run '" + wanted.name + "' exists with " + name + " " +
                    had.value(name, json()).dump() + ", not " + value.dump() +
                    "; nothing was changed");
  }
  const auto calls =
      wanted.max_calls ? std::optional(static_cast<double>(*wanted.max_calls)) : std::nullopt;
  check_limit(wanted, "max_calls", stored, 1, calls);
  check_limit(wanted, "max_cost", stored, 2, wanted.max_cost);
  const std::string book(stored.get(0, 3)), tab(stored.get(0, 4));
  if (book != wanted.spreadsheet || (!book.empty() && tab != wanted.tab)) {
    throw bad_input("run '" + wanted.name + "' exists " +
                    (book.empty() ? "without a spreadsheet"
                                  : "with the spreadsheet " + book + ", tab '" + tab + "'") +
                    "; nothing was changed");
  }
}

/// Throws if the stored run is not the same.
asio::awaitable<made_run> compare(transaction& tx, const new_run& wanted, const std::string& hash) {
  const auto found = co_await tx.run(queries::run_named, wanted.name);
  if (found.rows() == 0 || found.get(0, 1) != hash) {
    throw bad_input("run '" + wanted.name +
                    "' exists with other content (sheet, categories or model differ); nothing was "
                    "changed");
  }
  co_await compare_settings(tx, wanted, found.get_int(0, 0));
  co_return made_run{found.get_int(0, 0), false, static_cast<int>(found.get_int(0, 8))};
}

asio::awaitable<int> import_rows(transaction& tx, sheet_reader& sheet, std::int64_t run) {
  int next = 1;
  for (;;) {
    sheet.read_on();
    const auto rows = sheet.take_rows();
    if (rows.empty()) co_return next - 1;
    co_await tx.run(queries::run_rows_add, run, next, pg::array(rows));
    next += static_cast<int>(rows.size());
  }
}

asio::awaitable<void> enqueue_chunks(transaction& tx, std::int64_t run) {
  co_await tx.run(queries::run_chunks_enqueue, run, chunk_rows);
  const auto ending = co_await tx.run(queries::run_end_enqueue, run);
  co_await tx.run(queries::run_end_waits, run, std::string(ending.get(0, 0)));
}

/// The whole sheet is read before its hash is known, so a run that exists is found out last; the
/// transaction takes everything back then.
asio::awaitable<made_run> import_run(transaction& tx, const new_run& wanted, sheet_source from) {
  sheet_reader sheet(std::move(from));
  sheet.read_on(true);
  const int column = column_of(sheet.header(), wanted.column);
  const auto blocks = read_blocks(wanted.blocks, static_cast<int>(sheet.header().size()));
  const auto prompt =
      wanted.config.system_prompt.empty() ? default_system_prompt() : wanted.config.system_prompt;
  const auto stored = to_json(blocks).dump();
  const auto created = co_await tx.run(
      queries::run_create, wanted.name, std::string("-"), wanted.provider, wanted.model, prompt,
      pg::array(sheet.header()), column, stored, to_json(wanted.config).dump());
  const std::int64_t id = created.rows() == 0 ? 0 : created.get_int(0, 0);
  int rows = 0;
  if (id != 0) {
    rows = co_await import_rows(tx, sheet, id);
  } else {
    for (; !sheet.ended(); sheet.take_rows()) sheet.read_on();
  }
  for (const auto& part : {stored, wanted.provider, wanted.model, prompt, wanted.column}) {
    sheet.hash().add_field(part);
  }
  const auto hash = sheet.hash().hex();
  if (id == 0) co_return co_await compare(tx, wanted, hash);
  if (rows == 0) throw bad_input("the sheet has no rows below its header");
  co_await tx.run(queries::run_sheet_ended, id, rows, hash, sheet.had_bom());
  co_await tx.run(queries::run_budget_create, id, text_of(wanted.max_calls),
                  text_of(wanted.max_cost));
  if (!wanted.spreadsheet.empty()) {
    co_await tx.run(queries::sheet_job_create, id, wanted.spreadsheet, wanted.tab);
  }
  co_await enqueue_chunks(tx, id);
  co_return made_run{id, true, rows};
}

}  // namespace

asio::awaitable<made_run> make_run(pg::session& session, const new_run& wanted,
                                   sheet_source sheet) {
  check_run_name(wanted.name);
  check_model(wanted.provider, wanted.model);
  if (!wanted.spreadsheet.empty()) check_spreadsheet_id(wanted.spreadsheet);
  check(wanted.config);
  read_blocks(wanted.blocks, 0);
  const auto work = [&](transaction& tx) { return import_run(tx, wanted, sheet); };
  co_return co_await admin::in_transaction(session, work);
}

void check_run_name(const std::string& name) {
  static const std::regex allowed("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  if (!std::regex_match(name, allowed)) {
    throw bad_input("a run's name is 1 to 100 letters, digits and . _ -, not '" +
                    printable(name, 120) + "'");
  }
}

std::string generated_run_name() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[40];
  const auto size = std::strftime(text, sizeof text, "run-%Y%m%d-%H%M%S-", &parts);
  std::random_device random;
  char tail[8];
  std::snprintf(tail, sizeof tail, "%04x", random() & 0xffffu);
  return std::string(text, size) + tail;
}

asio::awaitable<std::optional<stored_run>> find_run(pg::session& session, std::string name) {
  const auto read = [&](transaction& tx) { return tx.run(queries::run_named, name); };
  const auto found = co_await admin::read_jobs(session, read);
  if (found.rows() == 0) co_return std::nullopt;
  stored_run out;
  out.id = found.get(0, 0);
  out.hash = found.get(0, 1);
  for (const auto& each : json::parse(found.get(0, 4))) out.header.push_back(each);
  out.blocks = stored_blocks(found.get(0, 5));
  out.config = read_config(json::parse(found.get(0, 6)));
  out.row_start = static_cast<int>(found.get_int(0, 7));
  out.row_count = static_cast<int>(found.get_int(0, 8));
  out.status = found.get(0, 9);
  out.reason = found.get(0, 10);
  out.bom = found.get(0, 13) == "t";
  co_return out;
}

}  // namespace rowrunner::scoring
