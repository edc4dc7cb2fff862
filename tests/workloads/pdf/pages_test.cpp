#include <fcntl.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "workloads/pdf/fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class pdf_pages : public pdf_files {
 protected:
  path three_pages() {
    write_text_pdf(folder / "three.pdf", {letter(0), letter(1), letter(2)});
    return folder / "three.pdf";
  }
};

TEST_F(pdf_pages, are_counted) {
  EXPECT_EQ(wait_for(pdf::count_pages(children(), three_pages())), 3);
}

TEST_F(pdf_pages, are_analysed_one_by_one_in_one_child) {
  const auto from = three_pages();
  for (int page = 1; page <= 3; ++page) {
    const auto found = wait_for(pdf::analyse_page(children(), from, page));
    EXPECT_EQ(found.page, page);
    EXPECT_NEAR(found.width_pt, 595, 1);
    EXPECT_NEAR(found.height_pt, 842, 1);
    EXPECT_EQ(found.rotation, 0);
    EXPECT_EQ(found.images, 0);
    for (const auto& line : letter(static_cast<std::size_t>(page) - 1)) {
      EXPECT_THAT(found.text, HasSubstr(line));
    }
    EXPECT_GT(found.words, 10);
    EXPECT_GT(found.characters, 80);
  }
  EXPECT_EQ(children().started(), 1U);
}

TEST_F(pdf_pages, a_result_has_nothing_of_a_child_that_died_while_it_wrote) {
  const auto made = [this](const char* name) {
    descriptor out(::open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    std::vector<descriptor> files;
    files.push_back(std::move(out));
    wait_for(children().call("crash_while_writing", nlohmann::json::object(), std::move(files)));
    return read_all(folder / name);
  };
  EXPECT_EQ(made("first"), "whole");
  EXPECT_EQ(made("second"), "whole");
  EXPECT_EQ(children().started(), 2U);
}

TEST_F(pdf_pages, are_analysed_several_at_a_time) {
  const auto found = wait_for(pdf::analyse_pages(children(), three_pages(), 2, 3));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].page, 2);
  EXPECT_EQ(found[1].page, 3);
}

TEST_F(pdf_pages, a_file_that_changed_is_read_again) {
  const auto from = three_pages();
  EXPECT_EQ(wait_for(pdf::count_pages(children(), from)), 3);
  write_text_pdf(from, {letter(0)});
  EXPECT_EQ(wait_for(pdf::count_pages(children(), from)), 1);
}

TEST_F(pdf_pages, pictures_are_counted_and_their_text_is_not_there) {
  write_scanned_pdf(folder / "scan.pdf", {letter(0)});
  const auto found = wait_for(pdf::analyse_page(children(), folder / "scan.pdf", 1));
  EXPECT_EQ(found.images, 1);
  EXPECT_EQ(found.text, "");
  EXPECT_EQ(found.words, 0);
}

TEST_F(pdf_pages, a_turned_page_is_measured_as_it_is_seen) {
  const auto from = file("turned.pdf", pdf_of({"<< /Type /Catalog /Pages 2 0 R >>",
                                               "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                                               "<< /Type /Page /Parent 2 0 R /Rotate 90 "
                                               "/MediaBox [0 0 100 200] >>"}));
  const auto found = wait_for(pdf::analyse_page(children(), from, 1));
  EXPECT_EQ(found.rotation, 90);
  EXPECT_EQ(found.width_pt, 200);
  EXPECT_EQ(found.height_pt, 100);
}

TEST_F(pdf_pages, one_is_taken_out) {
  wait_for(pdf::extract_page(children(), three_pages(), 2, folder / "second.pdf"));
  EXPECT_EQ(wait_for(pdf::count_pages(children(), folder / "second.pdf")), 1);
  const auto found = wait_for(pdf::analyse_page(children(), folder / "second.pdf", 1));
  EXPECT_THAT(found.text, HasSubstr(letter(1).front()));
}

TEST_F(pdf_pages, one_is_drawn) {
  wait_for(pdf::render_page(children(), three_pages(), 1, 100, folder / "first.png"));
  const auto png = read_all(folder / "first.png");
  ASSERT_THAT(png, StartsWith("\x89PNG"));
  // 595 × 842 points at 100 dpi.
  EXPECT_NEAR((static_cast<unsigned char>(png[18]) << 8) + static_cast<unsigned char>(png[19]), 827,
              1);
}

TEST_F(pdf_pages, one_that_is_not_there_is_refused_and_nothing_is_written) {
  const auto from = three_pages();
  for (const int page : {0, -1, 4}) {
    const auto error = error_of(pdf::extract_page(children(), from, page, folder / "none.pdf"));
    EXPECT_EQ(error.why, failure::refused);
    EXPECT_THAT(error.what(), HasSubstr("the PDF has 3"));
  }
  const std::filesystem::directory_iterator all(folder);
  EXPECT_EQ(std::distance(begin(all), end(all)), 1);
}

TEST_F(pdf_pages, a_file_that_is_not_there_is_the_callers_error) {
  EXPECT_THROW(wait_for(pdf::count_pages(children(), folder / "none.pdf")), std::system_error);
}

}  // namespace
}  // namespace rowrunner::testing
