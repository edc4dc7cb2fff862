#include "pdf/bare.hpp"

#include <poppler-document.h>
#include <poppler-page-renderer.h>
#include <poppler-page.h>
#include <sys/wait.h>
#include <tesseract/baseapi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace rowrunner::bench {
namespace {

using document_ptr = std::unique_ptr<poppler::document>;

document_ptr open(const std::filesystem::path& file) {
  return document_ptr(poppler::document::load_from_file(file));
}

void analyse_pages(const std::filesystem::path& file, int first, int pages, int step) {
  const auto document = open(file);
  for (int page = first; page < pages; page += step) {
    const std::unique_ptr<poppler::page> each(document->create_page(page));
    const auto text =
        each->text(poppler::rectf(), poppler::page::non_raw_non_physical_layout).to_utf8();
    const auto box = each->page_rect();
    if (text.empty() || box.width() <= 0) std::puts("a page is empty");
  }
}

void read_pages(const std::filesystem::path& file, int first, int pages, int step) {
  const auto document = open(file);
  tesseract::TessBaseAPI reader;
  if (reader.Init(nullptr, "jpn+eng", tesseract::OEM_LSTM_ONLY) != 0) ::_exit(1);
  reader.SetPageSegMode(tesseract::PSM_AUTO);
  for (int page = first; page < pages; page += step) {
    const std::unique_ptr<poppler::page> each(document->create_page(page));
    poppler::page_renderer renderer;
    renderer.set_render_hint(poppler::page_renderer::antialiasing);
    renderer.set_render_hint(poppler::page_renderer::text_antialiasing);
    renderer.set_image_format(poppler::image::format_gray8);
    const auto grey = renderer.render_page(each.get(), 300, 300);
    reader.SetImage(reinterpret_cast<const unsigned char*>(grey.const_data()), grey.width(),
                    grey.height(), 1, grey.bytes_per_row());
    reader.SetSourceResolution(300);
    const std::unique_ptr<char[]> text(reader.GetUTF8Text());
    if (!text || text[0] == '\0') std::puts("a page is empty");
    reader.Clear();
  }
}

using share = void (*)(const std::filesystem::path& file, int first, int pages, int step);

double in_processes(share work, const std::filesystem::path& file, int pages, int processes) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<pid_t> all;
  for (int i = 0; i < processes; ++i) {
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("no process could be started");
    if (pid == 0) {
      work(file, i, pages, processes);
      ::_exit(0);
    }
    all.push_back(pid);
  }
  for (const auto pid : all) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (status != 0) throw std::runtime_error("a process failed");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

}  // namespace

double analyse_bare(const std::filesystem::path& file, int pages, int processes) {
  return in_processes(analyse_pages, file, pages, processes);
}

double read_bare(const std::filesystem::path& file, int pages, int processes) {
  return in_processes(read_pages, file, pages, processes);
}

}  // namespace rowrunner::bench
