#include "common/schema/kind_info.hpp"

#include <gtest/gtest.h>

#include "queries/engine.hpp"

namespace rowrunner {
namespace {

TEST(fill, replaces_every_mark_in_one_pass) {
  EXPECT_EQ(fill("", {{"a", "x"}}), "");
  EXPECT_EQ(fill("no marks {b} {", {{"a", "x"}}), "no marks {b} {");
  EXPECT_EQ(fill("{a}{a} and {b}", {{"a", "1"}, {"b", "2"}}), "11 and 2");
  EXPECT_EQ(fill("{{a}}", {{"a", "1"}}), "{1}");
  EXPECT_EQ(fill("{a} {b}", {{"a", "{b}"}, {"b", "{a}"}}), "{b} {a}");
  EXPECT_EQ(fill("'{}'::text[] {a", {{"a", "1"}}), "'{}'::text[] {a");
}

TEST(quote_name, doubles_quotes) {
  EXPECT_EQ(quote_name("plain"), "\"plain\"");
  EXPECT_EQ(quote_name("My \"Table\""), "\"My \"\"Table\"\"\"");
}

TEST(quote_literal, doubles_quotes_and_backslashes) {
  EXPECT_EQ(quote_literal("plain"), "E'plain'");
  EXPECT_EQ(quote_literal("it's a \\"), "E'it''s a \\\\'");
}

TEST(kind_info, binds_table_and_columns) {
  kind_info kind;
  kind.table = "public.\"my {columns}\"";
  const query statement{"example", "SELECT id{columns} FROM {jobs} j JOIN {jobs} k USING (id)"};
  EXPECT_EQ(kind.bind(statement, ", j.\"{jobs}\""),
            "SELECT id, j.\"{jobs}\" FROM public.\"my {columns}\" j JOIN public.\"my {columns}\" k "
            "USING (id)");
  EXPECT_EQ(kind.bind({"plain", "SELECT 1"}), "SELECT 1");
}

TEST(kind_info, leaves_no_mark_in_the_statements_of_the_worker) {
  kind_info kind;
  kind.table = "public.jobs";
  for (const auto& statement :
       {queries::claim, queries::claimed_jobs, queries::succeed, queries::fail}) {
    EXPECT_EQ(kind.bind(statement).find('{'), std::string::npos) << statement.name;
  }
}

}  // namespace
}  // namespace rowrunner
