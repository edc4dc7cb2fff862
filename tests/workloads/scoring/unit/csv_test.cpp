#include "workloads/scoring/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/bad_input.hpp>

namespace rowrunner::scoring {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using table = std::vector<std::vector<std::string>>;

table read(const std::string& text, std::size_t piece = 1, csv_limits limits = {}) {
  table out;
  csv_reader reader([&](std::size_t, std::vector<std::string>& cells) { out.push_back(cells); },
                    limits);
  for (std::size_t i = 0; i < text.size(); i += piece) reader.add(text.substr(i, piece));
  reader.end();
  return out;
}

std::string refusal(const std::string& text, csv_limits limits = {}) {
  try {
    read(text, 1000, limits);
  } catch (const bad_input& error) {
    return error.what();
  }
  return "no error";
}

TEST(scoring_csv, reads_quotes_line_breaks_and_every_line_end) {
  const table wanted{{"a", "b"}, {"x, \"y\"", "1\r\n2"}, {" blank ", ""}};
  for (const std::string end : {"\r\n", "\n", "\r"}) {
    const auto text = "a,b" + end + "\"x, \"\"y\"\"\",\"1\r\n2\"" + end + " blank ," + end;
    for (const std::size_t piece : {1, 3, 1000}) EXPECT_EQ(read(text, piece), wanted);
  }
}

TEST(scoring_csv, leaves_out_a_bom_also_before_a_quote) {
  EXPECT_EQ(read("\xef\xbb\xbf\"a\"\n1"), (table{{"a"}, {"1"}}));
}

TEST(scoring_csv, knows_the_delimiter_that_excel_names) {
  EXPECT_EQ(read("sep=;\r\na;b\r\n1,5;2\r\n"), (table{{"a", "b"}, {"1,5", "2"}}));
  EXPECT_EQ(read("\xef\xbb\xbfsep=\t\na\tb\n1\t2"), (table{{"a", "b"}, {"1", "2"}}));
}

TEST(scoring_csv, blank_lines_are_rows_but_not_at_the_end) {
  EXPECT_EQ(read("a,b\n\n1,2\n\n\n"), (table{{"a", "b"}, {"", ""}, {"1", "2"}}));
  EXPECT_EQ(read("a\r\n\r\n1\r\n\r\n"), (table{{"a"}, {""}, {"1"}}));
}

TEST(scoring_csv, a_small_file_is_read_to_its_end) {
  EXPECT_EQ(read("a"), (table{{"a"}}));
  EXPECT_EQ(read("a\n1"), (table{{"a"}, {"1"}}));
}

TEST(scoring_csv, ragged_rows_are_refused_by_number) {
  EXPECT_EQ(refusal("a,b\n1,2\n1,2,3\n"), "row 3 has 3 cells, but the header has 2");
  EXPECT_EQ(refusal("a,b\n1\n"), "row 2 has 1 cells, but the header has 2");
}

TEST(scoring_csv, an_unclosed_quote_is_refused) {
  EXPECT_EQ(refusal("a,b\n1,\"2\n3,4\n"), "row 2 has a quote that is not closed");
}

TEST(scoring_csv, a_quote_inside_of_a_plain_cell_is_refused) {
  EXPECT_THAT(refusal("a,b\n1,x\"y\"\n"), HasSubstr("row 2 is no CSV"));
}

TEST(scoring_csv, nul_and_broken_utf8_are_refused_with_their_place) {
  EXPECT_EQ(refusal(std::string("a,b\n1,x\0y\n", 10)), "row 2 has a NUL character in column 2");
  EXPECT_EQ(refusal("a,b\n\xff,2\n"), "row 2 is not UTF-8 in column 1");
  EXPECT_THAT(refusal("\xff\xfe"
                      "a\0b\0"),
              HasSubstr("UTF-16"));
}

TEST(scoring_csv, sixteen_thousand_columns_are_refused) {
  std::string header = "a";
  for (int i = 1; i < 16'000; ++i) header += ",a";
  EXPECT_EQ(refusal(header + "\n"), "row 1 has more than 1000 columns");
}

TEST(scoring_csv, a_huge_cell_is_refused_before_it_is_in_memory) {
  std::size_t fed = 0;
  csv_reader reader([](std::size_t, std::vector<std::string>&) {});
  reader.add("a\n\"");
  const std::string piece(64 * 1024, 'x');
  try {
    for (; fed < 100u << 20; fed += piece.size()) reader.add(piece);
    FAIL() << "it was taken";
  } catch (const bad_input& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 2 has a cell of more than 256 KiB"));
  }
  EXPECT_LE(fed, 512u * 1024);
}

TEST(scoring_csv, an_empty_sheet_and_a_blank_header_are_refused) {
  EXPECT_THAT(refusal(""), HasSubstr("the sheet is empty"));
  EXPECT_THAT(refusal("\xef\xbb\xbf"), HasSubstr("the sheet is empty"));
  EXPECT_THAT(refusal("\n\na\n"), HasSubstr("is blank"));
}

TEST(scoring_csv, too_many_rows_are_refused) {
  csv_limits limits;
  limits.rows = 2;
  EXPECT_EQ(refusal("a\n1\n2\n3\n", limits), "the sheet has more than 2 rows");
}

TEST(scoring_csv, what_a_spreadsheet_would_run_is_defused) {
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("-2+3"), "'-2+3");
  EXPECT_EQ(csv_cell("\tx"), "\"'\tx\"");
  EXPECT_EQ(csv_cell("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(csv_cell("=\"a\",\"b\""), "\"'=\"\"a\"\",\"\"b\"\"\"");
}

TEST(scoring_csv, what_any_spreadsheet_takes_for_a_delimiter_is_quoted) {
  EXPECT_EQ(csv_cell("a;=1+1"), "\"a;=1+1\"");
  EXPECT_EQ(csv_cell("a\t=1+1"), "\"a\t=1+1\"");
}

TEST(scoring_csv, numbers_stay_numbers) {
  EXPECT_EQ(csv_cell("-5"), "-5");
  EXPECT_EQ(csv_cell("+3.5e2"), "+3.5e2");
  EXPECT_EQ(csv_cell("-inf"), "'-inf");
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(-0.25), "-0.25");
  EXPECT_EQ(csv_number(1), "1");
}

TEST(scoring_csv, what_is_written_is_read_the_same) {
  const std::vector<std::string> cells{"plain", "a,b", "say \"x\"", "two\r\nlines", "", " z "};
  EXPECT_EQ(read("1,2,3,4,5,6\r\n" + csv_row(cells)).at(1), cells);
}

}  // namespace
}  // namespace rowrunner::scoring
