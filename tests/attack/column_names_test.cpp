// A job table may have any columns beside the engine's: none can be mistaken for a name that a
// statement of the engine uses. The table here has a column for every word of all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

class column_names : public ::testing::Test {
 protected:
  column_names() {
    // Also the table has the name of something in the statements.
    db_.exec("CREATE TABLE public.entry (LIKE public.letter_jobs INCLUDING ALL)");
    db_.exec(
        "ALTER TABLE public.entry ALTER batch_id DROP NOT NULL, ALTER recipient DROP NOT NULL");
    std::string columns;
    for (const auto& word : words()) columns += ", ADD COLUMN \"" + word + "\" text";
    db_.exec("ALTER TABLE public.entry " + columns.substr(2));
    db_.exec("SELECT rowrunner.attach('public.entry', kind => 'entry')");
  }

  std::set<std::string> words() {
    std::string text;
    // Those of the engine, and what workloads ask of the table of any kind.
    const std::set<std::string> engine{"admin", "api", "engine", "session"};
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(source_dir() + "/db/queries")) {
      if (!file.is_regular_file()) continue;
      const auto statement = read(file.path());
      const bool of_any_kind = statement.find("{jobs}") != std::string::npos;
      const auto component = file.path().parent_path().filename().string();
      if (of_any_kind || engine.count(component) > 0) text += statement;
    }
    text += db_.value(
        "SELECT string_agg(pg_get_functiondef(p.oid), ' ') FROM pg_proc p"
        " WHERE p.pronamespace = 'rowrunner'::regnamespace");
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // A table has at most 1,600 columns, so not those of comments.
    text = std::regex_replace(text, std::regex("--[^\n]*"), "");
    std::set<std::string> found;
    const std::regex word("[a-z_][a-z0-9_]*");
    for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at)
      if (at->str().size() < 64) found.insert(at->str());
    // Those that it has, and those that no table may have.
    const auto taken =
        db_.rows("SELECT attname FROM pg_attribute WHERE attrelid = 'public.entry'::regclass");
    for (const auto& row : taken) found.erase(row[0].as<std::string>());
    EXPECT_GT(found.size(), 300u);
    for (const auto* alias : {"j", "taken", "my_kind", "tg_argv"})
      EXPECT_EQ(found.count(alias), 1u);
    return found;
  }

  static std::string read(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  std::string add(const std::string& more = "run_at", const std::string& values = "now()") {
    return db_.value("INSERT INTO public.entry (j, taken, " + more +
                     ") VALUES ('of j', 'of taken', " + values + ") RETURNING id");
  }

  std::string listed(const std::vector<std::string>& what) {
    std::vector<std::string> argv{rowrunner_binary(), "jobs"};
    argv.insert(argv.end(), what.begin(), what.end());
    for (const auto* last : {"--json", "--database-url"}) argv.emplace_back(last);
    argv.push_back(db_.url());
    const auto result = run_process(argv);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }

  test_database db_;
};

TEST_F(column_names, of_every_kind_are_listed) {
  const auto waiting = add();
  const auto later = add("run_at", "now() + interval '1 hour'");
  const auto dead = add("status", "'failed'");
  for (const auto& [status, id] :
       {std::pair{"queued", waiting}, {"delayed", later}, {"failed", dead}})
    EXPECT_THAT(listed({"list", "--kind", "entry", "--status", status}), ::testing::HasSubstr(id));
  EXPECT_THAT(listed({"list", "--kind", "entry"}), ::testing::HasSubstr("of taken"));
  EXPECT_THAT(listed({"show", waiting}), ::testing::HasSubstr("of j"));
  db_.exec("SELECT rowrunner.claim('entry', 'w')");
  EXPECT_THAT(listed({"list", "--kind", "entry", "--status", "processing"}),
              ::testing::HasSubstr(waiting));
}

TEST_F(column_names, of_every_kind_come_with_a_claim_in_sql) {
  const auto id = add();
  const auto job = nlohmann::json::parse(db_.value("SELECT rowrunner.claim('entry', 'w')"));
  EXPECT_EQ(job["id"], id);
  EXPECT_EQ(job["j"], "of j");
  EXPECT_EQ(job["taken"], "of taken");
  const auto which = "'entry', '" + id + "', " + job["lease"].get<std::string>();
  EXPECT_EQ(db_.value("SELECT rowrunner.fail(" + which + ", 'no', '0')"), "queued");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('entry', 'w', 1, '1 us') ->> 'taken'"), "of taken");
  EXPECT_EQ(db_.value("SELECT r.status FROM rowrunner.kinds k, rowrunner.rescue(k.id) r"
                      " WHERE k.kind = 'entry'"),
            "queued");
  EXPECT_EQ(db_.value("SELECT rowrunner.cancel('entry', '" + id + "')"), "cancelled");
  EXPECT_EQ(db_.value("SELECT rowrunner.requeue('entry', '" + id + "')"), "t");
  db_.exec("DELETE FROM public.entry");
  db_.exec("TRUNCATE public.entry");
}

TEST_F(column_names, of_every_kind_are_read_by_a_worker) {
  add();
  auto failing = add("max_attempts", "1");
  auto options = worker_thread::options_for(db_);
  options.drain = true;
  kind_options kind;
  kind.kind = "entry";
  kind.columns = {"j", "taken", "id"};
  worker_thread one(options, [&](worker& w) {
    w.add_blocking(kind, [failing](blocking_job& self) -> outcome {
      if (self.text("id") == failing) throw std::runtime_error("no");
      EXPECT_EQ(self.text("j"), "of j");
      return succeeded{};
    });
  });
  one.join();
  EXPECT_EQ(db_.value("SELECT string_agg(status, ' ' ORDER BY status) FROM public.entry"),
            "failed succeeded");
}

}  // namespace
}  // namespace rowrunner::testing
