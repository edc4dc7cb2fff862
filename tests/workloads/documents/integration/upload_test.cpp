// Uploads: what is taken, and what every wrong body gets.
#include "workloads/documents/support/document_server.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class document_upload : public document_server {
 protected:
  int stored_files() const {
    int count = 0;
    if (!fs::exists(folder_.path() / "store")) return 0;
    for (const auto& each : fs::recursive_directory_iterator(folder_.path() / "store")) {
      count += each.path().filename() == "original.pdf" ? 1 : 0;
    }
    return count;
  }
  std::string counts() {
    return db_.value(
        "SELECT (SELECT count(*) FROM documents) || ' ' ||"
        " (SELECT count(*) FROM document_jobs)");
  }
};

TEST_F(document_upload, is_answered_in_the_words_of_the_document) {
  const auto answer = uploaded({"one", "two"});
  const auto document = answer.at("document_id").get<std::string>();
  const auto job = answer.at("job_id").get<std::string>();
  EXPECT_EQ(answer.size(), 4u);
  EXPECT_EQ(answer.at("message"), "Document uploaded successfully");
  EXPECT_EQ(answer.at("status"), "pending");
  EXPECT_THAT(job, ::testing::MatchesRegex("document_ocr-[0-9a-f-]{36}"));
  EXPECT_EQ(db_.value("SELECT title || ' ' || user_id || ' ' || total_pages FROM documents"
                      " WHERE document_id = '" +
                      document + "'"),
            "a.pdf user 2");
  EXPECT_TRUE(fs::exists(folder_.path() / "store/documents" / document / "original.pdf"));
  const auto status = get("/documents/jobs/" + job);
  EXPECT_EQ(status.at("job_id"), job);
  EXPECT_EQ(status.at("job_type"), "document_ocr");
  EXPECT_EQ(status.at("status"), "pending");
  EXPECT_EQ(status.at("progress"), 0);
  EXPECT_EQ(status.at("total_pages"), 2);
  EXPECT_EQ(status.at("processed_pages"), 0);
  EXPECT_EQ(status.at("current_page"), 0);
  EXPECT_TRUE(status.at("estimated_completion").is_null());
  EXPECT_EQ(status.at("document_id"), document);
  EXPECT_EQ(status.at("user_id"), "user");
  EXPECT_TRUE(status.at("error").is_null());
  EXPECT_EQ(status.at("retry_count"), 0);
}

TEST_F(document_upload, other_fields_are_passed_over_and_names_are_kept) {
  const auto body =
      part("note", "", "x") +
      part("file", "; filename=\"../../請求書 \\\"2026\\\".pdf\"", text_pdf({"one"})) +
      part("after", "", "y") + "--bound--\r\n";
  EXPECT_EQ(post_body(body).status, 200);
  EXPECT_EQ(db_.value("SELECT title FROM documents"), "請求書 \"2026\".pdf");
  EXPECT_EQ(upload(text_pdf({"one"}), std::string(600, 'a')).status, 200);
  EXPECT_EQ(db_.value("SELECT max(char_length(title)) FROM documents"), "500");
}

TEST_F(document_upload, a_wrong_file_field_is_refused_by_name) {
  const std::string end = "--bound--\r\n";
  const std::string named = "; filename=\"a.pdf\"";
  EXPECT_EQ(refusal(post_body(end)), "422 file is required");
  EXPECT_EQ(refusal(post_body(part("other", named, "x") + end)), "422 file is required");
  EXPECT_EQ(refusal(post_body(part("file", "", "text") + end)),
            "422 file must be a file, not a text");
  EXPECT_EQ(refusal(post_body(part("file", "; filename=\"\"", "x") + end)), "422 file has no name");
  EXPECT_EQ(refusal(post_body(part("file", named, "") + end)), "422 file is empty");
  const auto twice = part("file", named, "x");
  EXPECT_EQ(refusal(post_body(twice + twice + end)), "422 file is given twice");
  for (const std::string& broken :
       {std::string("nothing"), part("file", named, "x"), std::string("--bound\r\n\r\nx\r\n") + end,
        part("file", "; filename=\"a\xff.pdf\"", "x") + end,
        part("file", std::string("; filename=\"a\0.pdf\"", 19), "x") + end}) {
    EXPECT_THAT(refusal(post_body(broken)), StartsWith("422 file is required: ")) << broken;
  }
  for (const char* type : {"application/json", "multipart/form-data", "text/plain"}) {
    EXPECT_THAT(refusal(post_body("{}", "user", type)), StartsWith("422 file is required: "));
  }
  EXPECT_EQ(counts(), "0 0");
  EXPECT_EQ(stored_files(), 0);
}

TEST_F(document_upload, files_that_are_no_pdf_to_read_are_refused_and_nothing_stays) {
  const auto good = text_pdf({"one"});
  const auto plain = folder_.path() / "plain.pdf";
  const auto encrypted = folder_.path() / "encrypted.pdf";
  write_file(plain, good);
  ASSERT_EQ(run_process({"qpdf", "--encrypt", "secret", "owner", "256", "--", plain.string(),
                         encrypted.string()})
                .exit_code,
            0);
  const auto empty =
      pdf_of({"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"});
  for (const std::string& bad : {std::string("not a pdf"), std::string("%PDF-1.7\n"),
                                 good.substr(0, good.size() / 3), read_file(encrypted), empty}) {
    EXPECT_THAT(refusal(upload(bad)), StartsWith("422 file cannot be read: "));
  }
  EXPECT_EQ(counts(), "0 0");
  EXPECT_EQ(stored_files(), 0);
}

TEST_F(document_upload, a_file_that_is_too_large_is_refused) {
  const std::string large(1024 * 1024 + 1, 'x');
  EXPECT_EQ(refusal(upload(large)), "413 file is larger than 1 MB");
  EXPECT_EQ(upload(std::string(3 * 1024 * 1024, 'x')).status, 413);
  EXPECT_EQ(counts(), "0 0");
}

TEST_F(document_upload, needs_a_role_that_may_change_something) {
  EXPECT_EQ(upload(text_pdf({"one"}), "a.pdf", "viewer").status, 403);
  EXPECT_EQ(ask(server_.port(), "POST", "/documents/upload").status, 401);
  EXPECT_EQ(upload(text_pdf({"one"}), "a.pdf", "operator").status, 200);
}

}  // namespace
}  // namespace rowrunner::testing
