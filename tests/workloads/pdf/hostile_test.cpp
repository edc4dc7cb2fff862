#include "workloads/pdf/hostile.hpp"

#include <boost/asio/detached.hpp>
#include <chrono>
#include <cstdlib>
#include <map>

#include "workloads/pdf/fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class hostile_pdf : public pdf_files {
 protected:
  /// Why it is refused when its pages are counted.
  std::string refusal(const std::string& text) {
    const auto error = error_of(pdf::count_pages(children(), file("bad.pdf", text)));
    EXPECT_EQ(error.why, failure::refused) << error.what();
    return error.what();
  }
};

TEST_F(hostile_pdf, is_refused_with_a_reason) {
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal("a text"), HasSubstr("not a PDF"));
  EXPECT_THAT(refusal(encrypted_pdf()), HasSubstr("encrypted"));
  EXPECT_THAT(refusal(pdf_that_claims(1'000'000)), HasSubstr("1000000 pages; at most"));
  EXPECT_THAT(refusal(pdf_of_many_pages(20'000)), HasSubstr("20000 pages; at most"));
  EXPECT_THAT(refusal("%PDF-1.7\nnothing"), HasSubstr("damaged"));
  EXPECT_EQ(children().started(), 1U);
}

TEST_F(hostile_pdf, a_truncated_file_is_read_or_refused) {
  write_text_pdf(folder / "good.pdf", {letter(0)});
  const auto good = read_all(folder / "good.pdf");
  EXPECT_THAT(refusal(good.substr(0, 60)), HasSubstr("damaged"));
}

TEST_F(hostile_pdf, a_page_that_is_too_large_is_not_drawn) {
  const auto from = file("huge.pdf", pdf_of_a_huge_page());
  EXPECT_EQ(wait_for(pdf::analyse_page(children(), from, 1)).width_pt, 600'000);
  const pdf::read_options how_to_read;
  for (const auto& error :
       {error_of(pdf::render_page(children(), from, 1, 300, folder / "huge.png")),
        error_of(pdf::read_page(children(), from, 1, how_to_read))}) {
    EXPECT_EQ(error.why, failure::refused);
    EXPECT_THAT(error.what(), HasSubstr("6250000 megapixels"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "huge.png"));
}

/// How each file ended: "read", or the reason.
struct tally {
  std::map<std::string, int> ends;
  std::chrono::steady_clock::duration longest{};
  std::string slowest;
};

asio::awaitable<void> read_all_pages(child::pool& children, path from) {
  const int pages = co_await pdf::count_pages(children, from);
  for (int page = 1; page <= std::min(pages, 3); ++page) {
    co_await pdf::analyse_page(children, from, page);
  }
}

asio::awaitable<void> try_file(child::pool& children, path from, tally& to) {
  const auto start = std::chrono::steady_clock::now();
  std::string end = "read";
  try {
    co_await read_all_pages(children, from);
  } catch (const child::error& error) {
    end = child::name_of(error.why);
    if (std::string_view(error.what()).empty()) end = "no reason";
  }
  ++to.ends[end];
  const auto took = std::chrono::steady_clock::now() - start;
  if (took <= to.longest) co_return;
  to.longest = took;
  to.slowest = from.filename();
}

/// ROWRUNNER_HOSTILE_FILES makes it larger, ROWRUNNER_HOSTILE_SEED another one.
std::size_t number_of(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoul(text, nullptr, 10);
}

TEST_F(hostile_pdf, two_hundred_files_end_with_a_result_or_a_reason) {
  how.size = 2;
  how.each.memory_bytes = std::size_t{512} << 20;
  how.each.cpu = std::chrono::seconds(2);
  how.each.wall = std::chrono::seconds(20);
  write_text_pdf(folder / "good.pdf", {letter(0), letter(1)});
  write_empty_page_pdf(folder / "plain.pdf", 100, 100);
  const auto seed = number_of("ROWRUNNER_HOSTILE_SEED", 1);
  const auto all =
      hostile_files({read_all(folder / "good.pdf"), read_all(folder / "plain.pdf")},
                    number_of("ROWRUNNER_HOSTILE_FILES", 200), static_cast<std::uint32_t>(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  tally ends;
  for (const auto& each : all) {
    const auto from = file(each.name + ".pdf", each.text);
    wait_for(try_file(children(), from, ends));
    std::filesystem::remove(from);
  }
  int sum = 0;
  for (const auto& [end, count] : ends.ends) {
    RecordProperty(end, count);
    std::cout << end << ": " << count << '\n';
    sum += count;
  }
  std::cout << "slowest: " << ends.slowest << ", "
            << std::chrono::duration<double>(ends.longest).count() << " s\n";
  EXPECT_EQ(static_cast<std::size_t>(sum), all.size());
  EXPECT_EQ(ends.ends["unavailable"], 0);
  EXPECT_EQ(ends.ends["no reason"], 0);
  EXPECT_LT(ends.longest, 3 * how.each.wall);

  // And a good one is read as ever.
  EXPECT_EQ(wait_for(pdf::count_pages(children(), folder / "good.pdf")), 2);
}

}  // namespace
}  // namespace rowrunner::testing
