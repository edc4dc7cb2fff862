// From the upload to the text: real PDF files, children, tesseract and workers.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "common/descriptor.hpp"
#include "workloads/documents/settings.hpp"
#include "workloads/documents/support/document_server.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class document_reading : public document_server {
 protected:
  std::string job_of(const json& answer) { return answer.at("job_id").get<std::string>(); }
  std::string id_of(const json& answer) { return answer.at("document_id").get<std::string>(); }
  std::string pages_done() {
    return db_.value("SELECT count(*) FROM document_pages WHERE error IS NULL");
  }
  /// The child of a process, whichever of its threads has started it; it must have one.
  static descriptor child_of(pid_t parent) {
    pid_t child = 0;
    const auto threads = "/proc/" + std::to_string(parent) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator(threads)) {
      std::ifstream list(thread.path() / "children");
      if (list >> child) break;
    }
    return descriptor(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  }
  /// Many pages that take a while, and at one time only one of them.
  json long_document(int pages) {
    std::vector<std::string> lines;
    for (int i = 1; i <= pages; ++i) lines.push_back("Invoice number " + std::to_string(1000 + i));
    return uploaded(lines);
  }
};

TEST_F(document_reading, the_text_of_every_page_is_stored_and_shown) {
  const auto answer = uploaded({"Hello invoice", "Second page"});
  work();
  const auto status = get("/documents/jobs/" + job_of(answer));
  EXPECT_EQ(status.at("status"), "completed") << status;
  EXPECT_EQ(status.at("progress"), 100);
  EXPECT_EQ(status.at("total_pages"), 2);
  EXPECT_EQ(status.at("processed_pages"), 2);
  EXPECT_EQ(status.at("current_page"), 2);
  const auto pages = get("/documents/" + id_of(answer) + "/pages");
  ASSERT_EQ(pages.at("items").size(), 2u);
  EXPECT_EQ(pages.at("items")[0].at("page"), 1);
  EXPECT_THAT(pages.at("items")[0].at("text").get<std::string>(), HasSubstr("invoice"));
  EXPECT_THAT(pages.at("items")[1].at("text").get<std::string>(), HasSubstr("Second"));
  EXPECT_GT(pages.at("items")[0].at("confidence").get<double>(), 50);
  EXPECT_EQ(pages.at("items")[0].at("meta").at("provider"), "tesseract");
  const auto words = get("/documents/" + id_of(answer) + "/pages/1/words").at("words");
  ASSERT_TRUE(words.is_array());
  EXPECT_GT(words.size(), 1u);
  const auto document = get("/documents/" + id_of(answer));
  EXPECT_EQ(document.at("read_pages"), 2);
  EXPECT_EQ(document.at("job_status"), "succeeded");
  EXPECT_EQ(get("/documents").at("items").size(), 1u);
  EXPECT_EQ(get("/documents", "other").at("items").size(), 0u);
  EXPECT_EQ(get("/documents", "admin").at("items").size(), 1u);
}

TEST_F(document_reading, images_and_a_searchable_pdf_can_be_downloaded) {
  const auto answer = uploaded({"Hello invoice"});
  work();
  const auto picture = call("GET", "/documents/" + id_of(answer) + "/pages/1/image?dpi=50");
  EXPECT_EQ(picture.status, 200) << picture.body;
  EXPECT_EQ(picture.header("content-type"), "image/png");
  EXPECT_THAT(picture.body, StartsWith("\x89PNG\r\n\x1a\n"));
  const auto made = call("GET", "/documents/" + id_of(answer) + "/searchable.pdf");
  ASSERT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(made.header("content-type"), "application/pdf");
  EXPECT_THAT(made.header("content-disposition"), HasSubstr("a.searchable.pdf"));
  const auto path = folder_.path() / "searchable.pdf";
  write_file(path, made.body);
  const auto text = run_process({"pdftotext", path.string(), "-"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("invoice"));
  for (const char* rest :
       {"/pages/2/image", "/pages/0/image", "/pages/x/image", "/pages/2/words"}) {
    EXPECT_EQ(refusal(call("GET", "/documents/" + id_of(answer) + rest)), "404 Page not found");
  }
}

TEST_F(document_reading, the_file_is_fetched_once_for_all_images) {
  const auto answer = uploaded({"one", "two"});
  const auto path = "/documents/" + id_of(answer) + "/pages/";
  EXPECT_EQ(call("GET", path + "1/image?dpi=50").status, 200);
  std::filesystem::remove_all(folder_.path() / "store/documents" / id_of(answer));
  EXPECT_EQ(call("GET", path + "2/image?dpi=50").status, 200) << "from the copy";
}

TEST_F(document_reading, a_document_is_for_its_owner_and_admins) {
  const auto answer = uploaded({"secret"});
  const auto path = "/documents/" + id_of(answer);
  for (const char* rest : {"", "/pages", "/pages/1/words", "/pages/1/image", "/searchable.pdf"}) {
    EXPECT_EQ(refusal(call("GET", path + rest, "other")), "403 Not authorized") << rest;
    EXPECT_EQ(refusal(call("GET", path + rest, "operator")), "403 Not authorized") << rest;
    EXPECT_EQ(
        refusal(call("GET", "/documents/550e8400-e29b-41d4-a716-446655440000" + std::string(rest))),
        "404 Document not found")
        << rest;
    EXPECT_EQ(refusal(call("GET", std::string("/documents/none") + rest)), "404 Document not found")
        << rest;
  }
  EXPECT_EQ(call("GET", path, "admin").status, 200);
  EXPECT_EQ(refusal(call("POST", "/documents/jobs/" + job_of(answer) + "/cancel", "other")),
            "403 Not authorized");
  EXPECT_EQ(refusal(call("POST", "/documents/jobs/" + job_of(answer) + "/retry", "other")),
            "403 Not authorized");
}

TEST_F(document_reading, after_a_killed_worker_another_reads_only_the_missing_pages) {
  const auto answer = long_document(6);
  auto first = start_worker({"--lease", "1"});
  ASSERT_TRUE(db_.becomes("SELECT count(*) >= 2 FROM document_pages", "t")) << first->err();
  first->kill(SIGKILL);
  first->wait();
  const auto kept = db_.value(
      "SELECT json_agg(p.updated_at ORDER BY p.page) FROM document_pages p"
      " WHERE p.page <= 2");
  // Not one that drains: until the lease is over there is nothing to do.
  const auto second = start_worker();
  ASSERT_TRUE(db_.becomes("SELECT status FROM document_jobs", "succeeded")) << second->err();
  EXPECT_EQ(pages_done(), "6");
  EXPECT_EQ(db_.value("SELECT json_agg(p.updated_at ORDER BY p.page) FROM document_pages p"
                      " WHERE p.page <= 2"),
            kept)
      << "a page was read twice";
  EXPECT_EQ(get("/documents/jobs/" + job_of(answer)).at("processed_pages"), 6);
}

TEST_F(document_reading, a_running_job_is_cancelled_in_the_middle_and_keeps_its_pages) {
  constexpr int pages = 300;
  const auto answer = long_document(pages);
  auto worker = start_worker();
  ASSERT_TRUE(db_.becomes("SELECT count(*) >= 1 FROM document_pages", "t")) << worker->err();
  const auto child = child_of(worker->pid());
  ASSERT_TRUE(child) << "it reads a page";
  const auto reply = call("POST", "/documents/jobs/" + job_of(answer) + "/cancel");
  EXPECT_EQ(reply.status, 202) << reply.body;
  EXPECT_EQ(json::parse(reply.body).at("message"), "Cancellation requested");
  // What docs/documents.md promises.
  const std::chrono::seconds promised(3);
  ASSERT_TRUE(db_.becomes("SELECT status FROM document_jobs", "cancelled", promised));
  pollfd ended{child.get(), POLLIN, 0};
  EXPECT_EQ(poll(&ended, 1, 3'000), 1) << "the child reads on";
  const auto kept = std::stoi(pages_done());
  EXPECT_GE(kept, 1);
  EXPECT_LT(kept, pages);
  const auto status = get("/documents/jobs/" + job_of(answer));
  EXPECT_EQ(status.at("status"), "cancelled");
  // A page that is being stored when the job is told to stop is kept, and no longer reported.
  const int reported = status.at("processed_pages");
  EXPECT_LE(reported, kept);
  EXPECT_GE(reported, kept - documents::pages_at_once(environment({})));
  EXPECT_EQ(refusal(call("POST", "/documents/jobs/" + job_of(answer) + "/cancel")),
            "409 The job has ended already");
}

TEST_F(document_reading, a_waiting_job_is_cancelled_at_once) {
  const auto answer = uploaded({"one"});
  const auto reply = call("POST", "/documents/jobs/" + job_of(answer) + "/cancel");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(
      json::parse(reply.body),
      json({{"message", "Job cancelled"}, {"job_id", job_of(answer)}, {"status", "cancelled"}}));
  EXPECT_EQ(get("/documents/jobs/" + job_of(answer)).at("status"), "cancelled");
}

TEST_F(document_reading, a_page_that_cannot_be_read_fails_the_job_and_the_others_stay) {
  const auto answer = uploaded({"one", "two", "three"});
  // Fewer pages than were counted: the third cannot be read.
  const auto file = folder_.path() / "store/documents" / id_of(answer) / "original.pdf";
  write_file(file, text_pdf({"one", "two"}));
  work();
  const auto status = get("/documents/jobs/" + job_of(answer));
  EXPECT_EQ(status.at("status"), "failed");
  EXPECT_THAT(status.at("error").get<std::string>(), StartsWith("page 3: "));
  EXPECT_EQ(status.at("processed_pages"), 2);
  const auto pages = get("/documents/" + id_of(answer) + "/pages").at("items");
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_TRUE(pages[0].at("error").is_null());
  EXPECT_TRUE(pages[2].at("error").is_string());
  // With the page back, a retry reads it and no other.
  write_file(file, text_pdf({"one", "two", "three"}));
  const auto before = db_.value("SELECT updated_at FROM document_pages WHERE page = 1");
  const auto again = call("POST", "/documents/jobs/" + job_of(answer) + "/retry");
  EXPECT_EQ(json::parse(again.body), json({{"message", "Job retried"},
                                           {"job_id", job_of(answer)},
                                           {"retry_count", 1},
                                           {"status", "pending"}}));
  work();
  const auto read = get("/documents/jobs/" + job_of(answer));
  EXPECT_EQ(read.at("status"), "completed");
  EXPECT_EQ(read.at("retry_count"), 1);
  EXPECT_EQ(db_.value("SELECT updated_at FROM document_pages WHERE page = 1"), before);
}

}  // namespace
}  // namespace rowrunner::testing
