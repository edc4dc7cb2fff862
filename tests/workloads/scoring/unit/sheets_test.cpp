#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/scoring/sheets/a1.hpp"
#include "workloads/scoring/sheets/import.hpp"
#include "workloads/scoring/sheets/sheet_update.hpp"

namespace rowrunner::scoring {
namespace {

using nlohmann::json;

TEST(sheet_ranges, name_columns_as_spreadsheets_do) {
  EXPECT_EQ(column_name(0), "A");
  EXPECT_EQ(column_name(25), "Z");
  EXPECT_EQ(column_name(26), "AA");
  EXPECT_EQ(column_name(701), "ZZ");
  EXPECT_EQ(column_name(702), "AAA");
  EXPECT_EQ(a1_range("It's", 4, 1, 8, 3), "'It''s'!B5:D9");
}

sheet_cells cells(int row, int block, std::vector<std::optional<double>> scores) {
  return {row, block, 3 + 2 * block, std::move(scores)};
}

TEST(sheet_update, joins_rows_below_each_other_into_one_absolute_range) {
  const auto made = make_update("T", {cells(1, 0, {0.5, 1}), cells(2, 0, {0, std::nullopt}),
                                      cells(4, 0, {1, 1}), cells(1, 1, {0.25, 0.75})});
  EXPECT_EQ(made.count, 4u);
  EXPECT_EQ(json::parse(made.body), json::parse(R"({"valueInputOption": "RAW", "data": [
    {"range": "'T'!D2:E3", "majorDimension": "ROWS", "values": [[0.5, 1.0], [0.0, ""]]},
    {"range": "'T'!D5:E5", "majorDimension": "ROWS", "values": [[1.0, 1.0]]},
    {"range": "'T'!F2:G2", "majorDimension": "ROWS", "values": [[0.25, 0.75]]}]})"));
}

TEST(sheet_update, takes_no_more_than_fits_into_a_request) {
  std::vector<sheet_cells> many;
  for (int row = 1; row <= 30'000; ++row) many.push_back(cells(row, 0, {0.123456789, 1}));
  const auto made = make_update("T", many);
  EXPECT_LT(made.count, many.size());
  EXPECT_GT(made.count, 1'000u);
  EXPECT_LE(made.body.size(), largest_update);
  EXPECT_EQ(make_update("T", many, 1).count, 1u);
  EXPECT_EQ(make_update("T", {}).count, 0u);
}

TEST(sheet_update, sees_what_differs) {
  EXPECT_TRUE(same_scores(json::parse("[0.5, 1]"), {0.5, 1}));
  EXPECT_TRUE(same_scores(json::parse("[0.5]"), {0.5, std::nullopt}));
  EXPECT_TRUE(same_scores(json::parse("[]"), {std::nullopt}));
  EXPECT_FALSE(same_scores(json::parse("[0.5]"), {0.5, 1}));
  EXPECT_FALSE(same_scores(json::parse("[\"0.5\"]"), {0.5}));
  EXPECT_FALSE(same_scores(json::parse("[0.5, 3]"), {0.5, std::nullopt}));
}

TEST(sheet_import, reads_every_cell_as_the_text_that_it_is_compared_with) {
  EXPECT_EQ(cell_text(json("7")), "7");
  EXPECT_EQ(cell_text(json(7)), "7");
  EXPECT_EQ(cell_text(json(7.5)), "7.5");
  EXPECT_EQ(cell_text(json(false)), "FALSE");
  EXPECT_EQ(cell_text(json()), "");
}

TEST(sheet_import, fills_up_the_rows_that_sheets_cuts) {
  EXPECT_EQ(values_as_csv(json::parse(R"([["a", "b"], [1], [], [true, "x\"y"]])")),
            "\"a\",\"b\"\r\n\"1\",\"\"\r\n\"\",\"\"\r\n\"TRUE\",\"x\"\"y\"\r\n");
}

}  // namespace
}  // namespace rowrunner::scoring
