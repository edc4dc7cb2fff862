// The tables of documents, and who may do what with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/command.hpp"
#include "support/migrate.hpp"
#include "support/permissions.hpp"
#include "workloads/documents/support/sample_pdf.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string kept_file(const std::string& name) {
  return read_file(source_dir() + "/tests/workloads/documents/" + name);
}

TEST(documents_component, has_the_schema_that_is_kept) {
  const test_database db(test_database::contents::empty);
  command(db).out({"migrate", "--only", "engine"});
  command(db).out({"migrate", "--only", "documents"});
  auto kept = kept_file("schema.sql");
  kept.erase(0, kept.find('\n') + 1);  // the line that says where it comes from
  const auto dump =
      run_process({source_dir() + "/scripts/dump-schema", db.url(), "--exclude-schema=rowrunner"});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("CREATE TABLE public.document_pages"));
  EXPECT_TRUE(kept == dump.out) << "schema.sql is out of date: run scripts/dump-schema";
}

class document_permissions : public ::testing::Test {
 protected:
  std::string listed() {
    std::istringstream all(permissions_in(db_.connection()));
    std::string line, out;
    while (std::getline(all, line)) {
      const auto place = line.find(" public.");
      const bool ours =
          place != std::string::npos && (line.find("document", place) != std::string::npos ||
                                         line.find("folded_text", place) != std::string::npos ||
                                         line.find("text_bigrams", place) != std::string::npos);
      const bool of_role = place == std::string::npos && line.starts_with("rowrunner_documents:");
      if (ours || of_role) out += line + '\n';
    }
    return out;
  }

  test_database db_{test_database::contents::workloads};
};

TEST_F(document_permissions, of_every_role_are_those_of_the_list) {
  const auto now = listed();
  const auto kept = kept_file("permissions.txt");
  if (now != kept) write_file("document_permissions.txt.new", now);
  EXPECT_EQ(now, kept) << "permissions changed: if that is meant, update permissions.txt "
                          "(document_permissions.txt.new has what is true)";
}

TEST_F(document_permissions, are_set_again_by_a_migrate_that_has_nothing_else_to_do) {
  db_.exec("GRANT ALL ON documents, document_pages TO rowrunner_worker, PUBLIC");
  ASSERT_NE(listed(), kept_file("permissions.txt"));
  EXPECT_TRUE(migrate(db_.url()).applied.empty());
  EXPECT_EQ(listed(), kept_file("permissions.txt"));
}

// A database in another encoding has no normal forms, but the texts of its pages are stored.
TEST(documents_component, serves_a_database_in_another_encoding) {
  test_database server(test_database::contents::empty);
  const std::string name = server.name() + "_ascii";
  const auto on_server = [&](const std::string& sql) {
    pqxx::nontransaction(server.connection()).exec(sql);
  };
  on_server("CREATE DATABASE " + name + " ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
  auto url = server.url();
  url.replace(url.rfind('/') + 1, server.name().size(), name);
  const auto done = run_process({rowrunner_binary(), "migrate", "--database-url", url});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  {
    pqxx::connection connection(url);
    pqxx::nontransaction tx(connection);
    EXPECT_EQ(tx.exec("SELECT public.folded_text('A  b')")[0][0].as<std::string>(), "a b");
  }
  on_server("DROP DATABASE " + name + " WITH (FORCE)");
}

}  // namespace
}  // namespace rowrunner::testing
