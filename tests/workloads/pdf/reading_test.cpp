#include <cstdio>
#include <nlohmann/json.hpp>

#include "workloads/pdf/fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

std::string joined(const page_lines& lines) {
  std::string out;
  for (const auto& each : lines) out += each + '\n';
  return out;
}

class pdf_reading : public pdf_files {
 protected:
  path scan() {
    write_scanned_pdf(folder / "scan.pdf", {letter(0), letter(1)});
    return folder / "scan.pdf";
  }
  pdf::page_reading read(const path& from, int page) {
    return wait_for(pdf::read_page(children(), from, page, options));
  }

  pdf::read_options options;
};

TEST_F(pdf_reading, of_a_scanned_page_has_95_of_100_characters_right) {
  const auto found = read(scan(), 1);
  EXPECT_LE(character_error_rate(joined(letter(0)), found.text), 0.05) << found.text;
  EXPECT_GT(found.confidence, 70);
  EXPECT_GT(found.words.size(), 10U);
  EXPECT_FALSE(found.blank);
  for (const auto& each : found.words) {
    EXPECT_LT(each.left, each.right);
    EXPECT_LE(each.right, found.width);
    EXPECT_LE(each.bottom, found.height);
  }
}

TEST_F(pdf_reading, of_an_empty_page_is_blank) {
  write_empty_page_pdf(folder / "empty.pdf", 595, 842);
  const auto found = read(folder / "empty.pdf", 1);
  EXPECT_TRUE(found.blank);
  EXPECT_EQ(found.text, "");
}

TEST_F(pdf_reading, in_an_unknown_language_is_refused) {
  options.languages = "xxx";
  const auto error = error_of(pdf::read_page(children(), scan(), 1, options));
  EXPECT_EQ(error.why, failure::refused);
  EXPECT_THAT(error.what(), HasSubstr("xxx"));
}

TEST_F(pdf_reading, becomes_text_over_the_page_where_it_is_seen) {
  const auto from = scan();
  const auto found = read(from, 2);
  write_all(folder / "readings.json", nlohmann::json({nullptr, found}).dump());
  const auto out = folder / "searchable.pdf";
  wait_for(pdf::searchable_pdf(children(), from, folder / "readings.json", out));
  EXPECT_EQ(wait_for(pdf::count_pages(children(), out)), 2);
  EXPECT_EQ(wait_for(pdf::analyse_page(children(), out, 1)).text, "");
  const auto layer = wait_for(pdf::analyse_page(children(), out, 2));
  EXPECT_LE(character_error_rate(joined(letter(1)), layer.text), 0.05) << layer.text;
  EXPECT_EQ(layer.images, 1);

  // The page looks as before.
  const auto same = read(out, 2);
  EXPECT_EQ(same.text, found.text);

  // pdftotext -bbox says where the words are, in points from the upper left.
  const auto command = "pdftotext -f 2 -bbox " + out.string() + " - | grep '>Monday.<'";
  auto* lines = ::popen(command.c_str(), "r");
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
  EXPECT_EQ(std::fscanf(lines, " <word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\"", &left,
                        &top, &right, &bottom),
            4);
  ::pclose(lines);
  const auto word = std::find_if(found.words.begin(), found.words.end(),
                                 [](const pdf::word& each) { return each.text == "Monday."; });
  ASSERT_NE(word, found.words.end());
  EXPECT_NEAR(left, word->left * 72.0 / found.dpi, 2);
  EXPECT_NEAR(right, word->right * 72.0 / found.dpi, 2);
  EXPECT_NEAR(bottom, word->bottom * 72.0 / found.dpi, 4);
}

}  // namespace
}  // namespace rowrunner::testing
