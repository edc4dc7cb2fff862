// bench_pdf analyse [PAGES] | read [PAGES] | accuracy [PAGES]
//   analyse, read: pages a second through child processes, against the same libraries without.
//   accuracy: character error rates of OCR, by language, data and page segmentation mode.
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <thread>

#include "pdf/bare.hpp"
#include "workloads/pdf/pdf.hpp"
#include "workloads/pdf/sample.hpp"

namespace {

using namespace rowrunner;
namespace asio = boost::asio;
using rowrunner::testing::page_lines;
using std::filesystem::path;

const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));

struct workspace {
  workspace() {
    std::string pattern = std::filesystem::temp_directory_path() / "rowrunner-bench-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    how = child::options_from(environment::load("/dev/null"));
  }
  ~workspace() { std::filesystem::remove_all(folder); }
  workspace(const workspace&) = delete;
  workspace& operator=(const workspace&) = delete;

  path folder;
  child::options how;
};

std::vector<page_lines> letters(int pages) {
  std::vector<page_lines> out;
  for (int i = 0; i < pages; ++i) out.push_back(rowrunner::testing::letter(i));
  return out;
}

/// Pages with as much text as a printed one has, about 1,600 characters.
std::vector<page_lines> full_pages(int pages) {
  std::vector<page_lines> out;
  for (int i = 0; i < pages; ++i) {
    page_lines lines;
    for (int k = 0; k < 4; ++k) {
      for (const auto& line : rowrunner::testing::letter(i + k)) {
        lines.push_back(line + " " + line + " " + line);
      }
    }
    out.push_back(lines);
  }
  return out;
}

using page_call = asio::awaitable<void> (*)(child::pool& children, path file, int page);

asio::awaitable<void> analyse(child::pool& children, path file, int page) {
  co_await pdf::analyse_page(children, std::move(file), page);
}

asio::awaitable<void> read(child::pool& children, path file, int page) {
  pdf::read_options how;
  co_await pdf::read_page(children, std::move(file), page, how);
}

/// As a handler does: the next page when the last one is done.
asio::awaitable<void> take_pages(child::pool& children, path file, int& next, int pages,
                                 page_call call) {
  while (next <= pages) {
    const int page = next++;
    co_await call(children, file, page);
  }
}

double through_children(const workspace& with, const path& file, int pages, page_call call) {
  asio::io_context io;
  child::pool children(io.get_executor(), with.how);
  int next = 1;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::future<void>> all;
  for (int i = 0; i < cores; ++i) {
    all.push_back(
        asio::co_spawn(io, take_pages(children, file, next, pages, call), asio::use_future));
  }
  io.run();
  for (auto& each : all) each.get();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

/// Seconds of processor time of this process and those that it has waited for.
double processor_time() {
  double out = 0;
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    for (const auto& each : {used.ru_utime, used.ru_stime}) {
      out += static_cast<double>(each.tv_sec) + static_cast<double>(each.tv_usec) / 1e6;
    }
  }
  return out;
}

/// In turns, so that what else the machine does hurts both. The processor time tells what a busy
/// machine hides.
int compare(const path& file, int pages, const workspace& with, page_call call,
            double (*bare)(const path&, int, int), double bar) {
  constexpr int rounds = 5;
  std::vector<double> ratios;
  std::printf("%d pages on %d cores, pages a second and milliseconds of processor time a page\n",
              pages, cores);
  std::printf("%10s %10s %7s %10s %10s\n", "children", "bare", "ratio", "children", "bare");
  for (int i = 0; i < rounds; ++i) {
    const double before = processor_time();
    const double ours = pages / through_children(with, file, pages, call);
    const double between = processor_time();
    const double theirs = pages / bare(file, pages, cores);
    const double after = processor_time();
    ratios.push_back(ours / theirs);
    std::printf("%10.1f %10.1f %7.3f %10.3f %10.3f\n", ours, theirs, ratios.back(),
                1000 * (between - before) / pages, 1000 * (after - between) / pages);
    std::fflush(stdout);
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = ratios[rounds / 2];
  std::printf("median %.3f, needed %.2f: %s\n", median, bar, median >= bar ? "ok" : "MISSED");
  return median >= bar ? 0 : 1;
}

std::string joined(const page_lines& lines, bool latin, bool other) {
  std::string out;
  for (const auto& each : lines) {
    const bool is_latin = static_cast<unsigned char>(each.front()) < 0x80;
    if (is_latin ? latin : other) out += each + '\n';
  }
  return out;
}

std::vector<page_lines> only(const std::vector<page_lines>& pages, bool latin) {
  auto out = pages;
  for (auto& page : out) {
    std::erase_if(page, [latin](const std::string& line) {
      return (static_cast<unsigned char>(line.front()) < 0x80) != latin;
    });
  }
  return out;
}

double error_rate(const workspace& with, const path& file, const std::vector<page_lines>& pages,
                  const pdf::read_options& how) {
  asio::io_context io;
  child::pool children(io.get_executor(), with.how);
  std::vector<std::future<pdf::page_reading>> all;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    all.push_back(asio::co_spawn(io, pdf::read_page(children, file, static_cast<int>(i) + 1, how),
                                 asio::use_future));
  }
  io.run();
  std::string truth;
  std::string found;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    truth += joined(pages[i], true, true);
    found += all[i].get().text;
  }
  return rowrunner::testing::character_error_rate(truth, found);
}

int accuracy(const workspace& with, int pages) {
  struct sample {
    const char* name;
    const char* languages;
    std::vector<page_lines> pages;
  };
  const auto mixed = letters(pages);
  const std::vector<sample> samples = {{"Japanese", "jpn", only(mixed, false)},
                                       {"English", "eng", only(mixed, true)},
                                       {"both", "jpn+eng", mixed}};
  const char* folder = std::getenv("TESSDATA_PREFIX");
  std::printf("%d scanned pages (200 dpi, turned by up to 0.7 degrees, noise), data: %s\n\n", pages,
              folder == nullptr ? "the system's" : folder);
  std::printf("| text | languages | segmentation | character error rate |\n|---|---|---|---|\n");
  bool good = true;
  for (const auto& each : samples) {
    const auto file = with.folder / (std::string(each.languages) + ".pdf");
    rowrunner::testing::write_scanned_pdf(file, each.pages);
    for (const int mode : {1, 3, 4, 6, 11}) {
      pdf::read_options how;
      how.languages = each.languages;
      how.segmentation = mode;
      try {
        const double rate = error_rate(with, file, each.pages, how);
        std::printf("| %s | %s | %d | %.2f %% |\n", each.name, each.languages, mode, 100 * rate);
        if (mode == pdf::read_options().segmentation) good = good && rate <= 0.05;
      } catch (const child::error& error) {
        std::printf("| %s | %s | %d | %s |\n", each.name, each.languages, mode, error.what());
      }
      std::fflush(stdout);
    }
  }
  return good ? 0 : 1;
}

int run(std::string_view what, int pages) {
  const workspace with;
  const auto file = with.folder / "pages.pdf";
  if (what == "accuracy") return accuracy(with, pages > 0 ? pages : 12);
  if (what == "analyse") {
    pages = pages > 0 ? pages : 400;
    rowrunner::testing::write_text_pdf(file, full_pages(pages));
    return compare(file, pages, with, analyse, bench::analyse_bare, 0.9);
  }
  if (what == "read") {
    pages = pages > 0 ? pages : 60;
    rowrunner::testing::write_scanned_pdf(file, letters(pages));
    return compare(file, pages, with, read, bench::read_bare, 0.95);
  }
  std::cerr << "bench_pdf analyse|read|accuracy [PAGES]\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "child-tools") return child::serve(pdf::tools());
  return run(what, argc > 2 ? std::atoi(argv[2]) : 0);
}
