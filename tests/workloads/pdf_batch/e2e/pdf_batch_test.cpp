// PDF batches as they are run: real workers with real children, files, and a real database.
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "api/server_fixture.hpp"
#include "workloads/pdf_batch/support/pdf_fixture.hpp"
#include "workloads/pdf_batch/support/pubsub_stand_in.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class pdf_batch_e2e : public pdf_fixture {};

TEST_F(pdf_batch_e2e, an_inserted_row_becomes_a_result) {
  add("test-1", make_pdf(7));
  const auto worker = start_worker();
  ASSERT_TRUE(db_.reaches("test-1", "succeeded")) << db_.error("test-1") << worker->err();
  const auto out = result("test-1");
  EXPECT_EQ(out["pages"], 7);
  EXPECT_EQ(out["page_details"][6]["text"].get<std::string>().substr(0, 21),
            "Page 7 has five words");
  EXPECT_EQ(out["page_details"][6]["words"], 5);
  EXPECT_NEAR(out["page_details"][6]["width_pt"].get<double>(), 595, 0.5);
  EXPECT_THAT(worker->err(), HasSubstr("PDF has 7 pages"));
}

/// One that is not listened on now.
std::string free_port() {
  boost::asio::io_context io;
  const boost::asio::ip::tcp::acceptor taken(io, {boost::asio::ip::address_v4::loopback(), 0});
  return std::to_string(taken.local_endpoint().port());
}

class pdf_batch_client : public pdf_fixture {
 protected:
  std::string token() {
    const auto made = run({"tokens", "add", "--user", "page", "--role", "viewer", "--json"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return json::parse(made.out)["token"].get<std::string>();
  }

  /// The message goes to Pub/Sub, the client knows the document alone.
  void follow_the_document(const process_environment& settings, const std::string& redis_port) {
    pubsub_stand_in google;
    auto for_server = settings;
    for_server.emplace("LOCAL_STORAGE_PATH", folder_ + "/store");
    const served server(db_.url(), for_server);
    const auto worker = start_worker(settings);
    const auto pull = start({"pubsub"}, google.settings());
    const std::string job_id = "f47ac10b-58cc-4372-a567-0e02b2c3d479";
    store("uploads/" + job_id + "/document.pdf", make_pdf(40));
    std::vector<std::string> words{
        "/usr/bin/python3",
        source_dir() + "/tests/workloads/pdf_batch/e2e/from_the_document.py",
        "127.0.0.1:" + std::to_string(google.server().port()),
        "http://127.0.0.1:" + std::to_string(server.port()),
        token(),
        folder_ + "/store",
        job_id,
        "40"};
    if (!redis_port.empty()) words.push_back(redis_port);
    const auto client = run_process(words);
    EXPECT_EQ(client.exit_code, 0) << client.err << worker->err() << pull->err();
    EXPECT_EQ(client.out, "as the document says\n");
    EXPECT_EQ(google.left(), 0u);
  }
};

TEST_F(pdf_batch_client, written_from_the_document_alone_gets_its_json) {
  follow_the_document({}, "");
}

TEST_F(pdf_batch_client, written_from_the_document_alone_finds_the_status_in_redis) {
  const auto port = free_port();
  child_process redis({"redis-server", "--port", port, "--bind", "127.0.0.1", "--save", ""}, {},
                      folder_);
  ASSERT_TRUE(redis.wait_for_output_line("Ready to accept connections")) << redis.out();
  const process_environment settings{{"REDIS_HOST", "127.0.0.1"}, {"REDIS_PORT", port}};
  ASSERT_EQ(run({"migrate"}, settings).exit_code, 0);
  follow_the_document(settings, port);
}

TEST_F(pdf_batch_e2e, three_workers_run_five_files_all_at_once) {
  for (int i = 1; i <= 5; ++i) add("test-" + std::to_string(i), make_pdf(60));
  // Until all are run, by all workers, none gets on.
  db_.exec(
      "CREATE FUNCTION public.wait_for_all() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS "
      "$$"
      " BEGIN"
      "  IF (SELECT count(*) <> 5 OR count(DISTINCT locked_by) <> 3 FROM public.pdf_batch_jobs"
      "      WHERE status = 'processing') AND NOT EXISTS (SELECT FROM rowrunner.steps) THEN"
      "   RAISE 'others wait' USING ERRCODE = 'deadlock_detected'; END IF;"
      "  RETURN NEW; END $$;"
      "CREATE TRIGGER wait_for_all BEFORE INSERT ON rowrunner.steps FOR EACH ROW"
      " EXECUTE FUNCTION public.wait_for_all()");
  std::vector<std::unique_ptr<child_process>> workers;
  for (int i = 0; i < 3; ++i) {
    workers.push_back(
        start({"worker", "--kind", "pdf_batch:2", "--name", "w" + std::to_string(i)}));
  }
  EXPECT_TRUE(db_.becomes("SELECT count(*) FROM pdf_batch_jobs WHERE status = 'succeeded'", "5"))
      << workers[0]->err();
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(result("test-" + std::to_string(i))["pages"], 60) << i;
  EXPECT_EQ(db_.value("SELECT count(DISTINCT locked_by) FROM pdf_batch_jobs"), "3");
  EXPECT_EQ(db_.value("SELECT max(locked_at) < min(updated_at) FROM pdf_batch_jobs"), "t");
}

/// Every step that is about to be stored is noted, also one that would be stored twice.
void note_steps(pdf_database& db) {
  db.exec(
      "CREATE TABLE public.noted (step text, at timestamptz DEFAULT clock_timestamp());"
      "CREATE FUNCTION public.note_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$"
      " BEGIN INSERT INTO public.noted VALUES (NEW.step); RETURN NEW; END $$;"
      "CREATE TRIGGER note_step BEFORE INSERT ON rowrunner.steps FOR EACH ROW"
      " EXECUTE FUNCTION public.note_step()");
}

TEST_F(pdf_batch_e2e, another_worker_goes_on_when_one_was_killed) {
  db_.exec(
      "CREATE TABLE public.reports (n serial, done bigint);"
      "CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$"
      " BEGIN INSERT INTO public.reports (done) VALUES (NEW.done); RETURN NULL; END $$;"
      "CREATE TRIGGER note AFTER INSERT OR UPDATE ON rowrunner.progress FOR EACH ROW"
      " EXECUTE FUNCTION public.note()");
  note_steps(db_);
  db_.watch("rowrunner.steps");
  add("test-1", make_pdf(400));
  auto first = start_worker();
  ASSERT_TRUE(db_.becomes("SELECT count(*) >= 20 FROM rowrunner.steps", "t")) << first->err();
  first->kill(SIGKILL);
  first->wait();
  ASSERT_EQ(db_.status("test-1"), "processing");
  const auto second = start_worker();
  ASSERT_TRUE(db_.reaches("test-1", "succeeded")) << db_.error("test-1") << second->err();
  // Each page once, and the file and its result.
  EXPECT_EQ(db_.value("SELECT string_agg(step, ' ') FROM"
                      " (SELECT step FROM public.noted GROUP BY step HAVING count(*) > 1) twice"),
            "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM public.noted"), "402");
  EXPECT_EQ(result("test-1")["pages"], 400);
  EXPECT_EQ(db_.value("SELECT count(*) FROM (SELECT done < lag(done) OVER (ORDER BY n) AS fell"
                      " FROM public.reports) r WHERE fell"),
            "0");
  EXPECT_EQ(db_.value("SELECT attempts FROM pdf_batch_jobs"), "0") << "pages were stored";
}

TEST_F(pdf_batch_e2e, files_that_are_no_pdf_end_failed_with_a_reason) {
  const auto good = make_pdf(3);
  add("empty", "");
  add("text", "This is no PDF file at all.\n");
  add("truncated", good.substr(0, good.size() / 3));
  store("plain.pdf", good);
  const auto encrypted = run_process({"qpdf", "--encrypt", "secret", "owner", "256", "--",
                                      folder_ + "/store/plain.pdf", folder_ + "/store/locked.pdf"});
  ASSERT_EQ(encrypted.exit_code, 0) << encrypted.err;
  db_.add("locked", "locked.pdf");
  db_.add("missing", "nothing.pdf");
  db_.add("outside", "../../../etc/passwd");
  std::filesystem::create_symlink("/etc/hostname", folder_ + "/store/link.pdf");
  db_.add("link", "link.pdf");
  add("good", good);
  const auto worker = start_worker();
  ASSERT_TRUE(db_.reaches("good", "succeeded")) << worker->err();
  for (const char* id : {"empty", "text", "locked", "missing", "outside", "link"}) {
    ASSERT_TRUE(db_.reaches(id, "failed")) << id << worker->err();
    EXPECT_THAT(db_.error(id), HasSubstr("\nTrace:\n")) << id;
    EXPECT_EQ(stored("results/" + std::string(id) + "/result.json"), "") << id;
  }
  EXPECT_THAT(db_.error("locked"), AnyOf(HasSubstr("encrypted"), HasSubstr("password")));
  EXPECT_THAT(db_.error("missing"), HasSubstr("no file nothing.pdf"));
  // qpdf repairs what it can: a result or a reason.
  EXPECT_TRUE(
      db_.becomes("SELECT status IN ('failed', 'succeeded') FROM pdf_batch_jobs"
                  " WHERE job_id = 'truncated'",
                  "t"));
  EXPECT_THAT(worker->err(), HasSubstr("the job failed and will not be retried"));
}

TEST_F(pdf_batch_e2e, a_message_is_enqueued_from_the_command_line) {
  store("message.json", R"({"job_id":"test-1","pdf_path":"test.pdf"})");
  const auto file = folder_ + "/store/message.json";
  EXPECT_EQ(run({"enqueue", "pdf-batch", file}).out, "job test-1 is enqueued\n");
  EXPECT_EQ(run({"enqueue", "pdf-batch", file}).out, "job test-1 exists already\n");
  EXPECT_EQ(json::parse(run({"enqueue", "pdf-batch", file, "--json"}).out)["result"], "unchanged");
  store("bad.json", R"({"job_id":"x","pdf_path":"../../etc/passwd"})");
  const auto bad = run({"enqueue", "pdf-batch", folder_ + "/store/bad.json"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("pdf_path '../../etc/passwd' is no path of a file"));
  const auto other = run({"enqueue", "pdf-batch", file, "--user", "ann"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("another user's"));
}

}  // namespace
}  // namespace rowrunner::testing
