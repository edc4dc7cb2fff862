// Messages of Pub/Sub become jobs: pulled from a stand-in, committed to a real database.
#include "workloads/pdf_batch/puller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <thread>

#include "common/errors.hpp"
#include "support/log_lines.hpp"
#include "workloads/pdf_batch/support/pdf_database.hpp"
#include "workloads/pdf_batch/support/pubsub_stand_in.hpp"

namespace rowrunner::pdf_batch {
namespace {

using namespace std::chrono_literals;
using rowrunner::testing::http_exchange;
using rowrunner::testing::log_lines;
using rowrunner::testing::pdf_database;
using rowrunner::testing::pubsub_stand_in;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string message_of(const std::string& job_id) {
  return R"({"job_id":")" + job_id + R"(","pdf_path":"test.pdf"})";
}

class pdf_batch_puller : public ::testing::Test {
 protected:
  ~pdf_batch_puller() override {
    if (thread_.joinable()) end();
  }

  void start(bool drain, const std::string& url = "") {
    pg::settings settings;
    settings.url = url.empty() ? db_.url() : url;
    settings.system_names_only = true;
    settings.connect_timeout = 2s;
    settings.answer_timeout = 5s;
    database_ = std::make_unique<pg::session>(io_.get_executor(), settings);
    puller_options options;
    options.drain = drain;
    options.extend_every = 1ms;
    options.pause = 1ms;
    puller_ = std::make_unique<puller>(io_.get_executor(), from_, *database_, *logger_, options);
    over_ = asio::co_spawn(io_, puller_->run(), asio::use_future);
    thread_ = std::thread([this] { io_.run(); });
  }
  void drain() {
    start(true);
    EXPECT_EQ(over_.wait_for(30s), std::future_status::ready);
    thread_.join();
  }
  void end() {
    asio::post(io_, [this] { puller_->stop(); });
    EXPECT_EQ(over_.wait_for(30s), std::future_status::ready);
    thread_.join();
  }
  std::string jobs() {
    return db_.value("SELECT string_agg(job_id, ' ' ORDER BY job_id) FROM pdf_batch_jobs");
  }

  pdf_database db_;
  pubsub_stand_in google_;
  asio::io_context io_;
  log_lines log_;
  const std::shared_ptr<logger> logger_ = log_.target();
  http::client http_{io_.get_executor()};
  subscription from_{http_, [this] {
                       subscription_options out;
                       out.base_url = google_.server().url("");
                       out.path = pubsub_stand_in::path;
                       return out;
                     }()};
  std::unique_ptr<pg::session> database_;
  std::unique_ptr<puller> puller_;
  std::future<void> over_;
  std::thread thread_;
};

TEST_F(pdf_batch_puller, a_message_is_acknowledged_after_its_job_is_committed) {
  std::string seen;
  google_.on_acknowledge([&](const std::string&) { seen += jobs() + ";"; });
  google_.publish(message_of("test-1"));
  drain();
  EXPECT_EQ(jobs(), "test-1");
  EXPECT_EQ(seen, "test-1;");
  EXPECT_EQ(google_.left(), 0u);
  EXPECT_THAT(google_.wrong(), IsEmpty());
}

TEST_F(pdf_batch_puller, the_same_message_twice_is_one_job) {
  for (int i = 0; i < 25; ++i) google_.publish(message_of("test-" + std::to_string(i % 5)));
  drain();
  EXPECT_EQ(jobs(), "test-0 test-1 test-2 test-3 test-4");
  EXPECT_EQ(google_.left(), 0u);
  EXPECT_EQ(db_.value("SELECT count(*) FROM pdf_batch_rejected"), "0");
}

TEST_F(pdf_batch_puller, a_message_that_is_no_job_is_kept_and_acknowledged) {
  google_.publish("no json");
  google_.publish(R"({"job_id":"a","pdf_path":"../../etc/passwd"})");
  google_.publish(std::string("\xff\0", 2));
  google_.publish(message_of("good"));
  google_.publish(R"({"job_id":"good","pdf_path":"other.pdf"})");
  drain();
  EXPECT_EQ(jobs(), "good");
  EXPECT_EQ(google_.left(), 0u);
  EXPECT_EQ(db_.value("SELECT count(*) FROM pdf_batch_rejected WHERE source = 'pull'"), "4");
  EXPECT_THAT(db_.value("SELECT string_agg(reason, '; ' ORDER BY id) FROM pdf_batch_rejected"),
              ::testing::AllOf(HasSubstr("is no path of a file"), HasSubstr("another pdf_path")));
}

// The table is away for a while, as a database is.
TEST_F(pdf_batch_puller, the_deadline_is_extended_while_it_waits_for_the_database) {
  db_.exec("ALTER TABLE pdf_batch_jobs RENAME TO elsewhere");
  google_.publish(message_of("test-1"));
  google_.publish(message_of("test-2"));
  start(true);
  ASSERT_TRUE(google_.server().wait_for_calls(6));
  EXPECT_THAT(google_.deadlines(), Each(600));
  EXPECT_GE(google_.deadlines().size(), 4u);
  EXPECT_EQ(google_.left(), 2u);
  db_.exec("ALTER TABLE elsewhere RENAME TO pdf_batch_jobs");
  EXPECT_EQ(over_.wait_for(30s), std::future_status::ready);
  thread_.join();
  EXPECT_EQ(jobs(), "test-1 test-2");
  EXPECT_EQ(google_.left(), 0u);
  EXPECT_THAT(google_.wrong(), IsEmpty());
}

TEST_F(pdf_batch_puller, the_deadline_is_set_before_the_first_message_is_committed) {
  google_.publish(message_of("test-1"));
  drain();
  EXPECT_THAT(google_.deadlines(), ::testing::ElementsAre(600));
  const auto calls = google_.server().calls();
  ASSERT_GE(calls.size(), 3u);
  EXPECT_THAT(calls[1].raw, HasSubstr(":modifyAckDeadline"));
  EXPECT_THAT(calls[2].raw, HasSubstr(":acknowledge"));
}

TEST_F(pdf_batch_puller, what_is_committed_is_acknowledged_while_the_rest_waits) {
  db_.exec(
      "CREATE FUNCTION public.wait_for_it() RETURNS trigger LANGUAGE plpgsql AS $$"
      " BEGIN IF NEW.job_id = 'test-2' AND NOT EXISTS (SELECT FROM public.go_on) THEN"
      "  RAISE 'not yet'; END IF; RETURN NEW; END $$;"
      "CREATE TABLE public.go_on (n int);"
      "CREATE TRIGGER wait_for_it BEFORE INSERT ON pdf_batch_jobs FOR EACH ROW"
      " EXECUTE FUNCTION public.wait_for_it()");
  std::promise<void> acknowledged;
  google_.on_acknowledge([&, first = true](const std::string&) mutable {
    if (std::exchange(first, false)) acknowledged.set_value();
  });
  for (int i = 1; i <= 3; ++i) google_.publish(message_of("test-" + std::to_string(i)));
  start(true);
  EXPECT_EQ(acknowledged.get_future().wait_for(30s), std::future_status::ready);
  EXPECT_EQ(jobs(), "test-1");
  db_.exec("INSERT INTO public.go_on VALUES (1)");
  EXPECT_EQ(over_.wait_for(30s), std::future_status::ready);
  thread_.join();
  EXPECT_EQ(jobs(), "test-1 test-2 test-3");
  EXPECT_THAT(google_.wrong(), IsEmpty());
}

TEST_F(pdf_batch_puller, what_is_not_committed_when_it_stops_is_given_back) {
  google_.publish(message_of("test-1"));
  google_.hang_when_empty();
  start(false, "postgresql://nobody@127.0.0.1:1/none");
  ASSERT_TRUE(google_.server().wait_for_calls(2));
  end();
  EXPECT_THAT(google_.deadlines(), Contains(0));
  EXPECT_EQ(google_.left(), 1u);
  EXPECT_EQ(google_.outstanding(), 0u);
}

TEST_F(pdf_batch_puller, stops_at_once_while_it_waits_for_messages) {
  google_.hang_when_empty();
  start(false);
  ASSERT_TRUE(google_.server().wait_for_calls(1));
  end();
}

TEST_F(pdf_batch_puller, goes_on_when_pubsub_was_away) {
  google_.fail_next("pull", 503, 3);
  google_.fail_next("acknowledge", 503, 1);
  google_.publish(message_of("test-1"));
  google_.hang_when_empty();
  start(false);
  // Three that failed, the pull, the deadline, the acknowledgement that failed, and the pull that
  // hangs.
  ASSERT_TRUE(google_.server().wait_for_calls(7));
  end();
  EXPECT_EQ(jobs(), "test-1");
  EXPECT_THAT(log_.text(), HasSubstr("Pub/Sub answered 503: try later"));
  EXPECT_THAT(log_.text(), HasSubstr("messages were not acknowledged"));
}

TEST_F(pdf_batch_puller, asks_google_with_a_token) {
  rowrunner::testing::http_stand_in metadata;
  metadata.on(
      "GET /computeMetadata/v1/instance/service-accounts/default/token",
      [](http_exchange& x) { x.answer(200, R"({"access_token":"abc","expires_in":3599})"); });
  subscription_options options;
  options.base_url = google_.server().url("");
  options.path = pubsub_stand_in::path;
  options.credentials = http::metadata_server{metadata.url("")};
  subscription with_token(http_, options);
  auto got = asio::co_spawn(io_, with_token.pull(1), asio::use_future);
  io_.run();
  EXPECT_THAT(got.get(), IsEmpty());
  EXPECT_EQ(google_.server().calls()[0].header("Authorization"), "Bearer abc");
}

std::string path_from(std::map<std::string, std::string> settings) {
  settings.emplace("PUBSUB_EMULATOR_HOST", "localhost:8085");
  return subscription_from(environment(std::move(settings))).path;
}

TEST(pdf_batch_subscription, is_a_name_or_a_full_path) {
  EXPECT_EQ(path_from({{"GCP_PROJECT_ID", "p"}}),
            "projects/p/subscriptions/pdf-processing-subscription");
  EXPECT_EQ(path_from({{"GCP_PROJECT_ID", "p"}, {"PUBSUB_SUBSCRIPTION", "mine"}}),
            "projects/p/subscriptions/mine");
  EXPECT_EQ(path_from({{"PUBSUB_SUBSCRIPTION", "projects/q/subscriptions/s"}}),
            "projects/q/subscriptions/s");
  EXPECT_THROW(path_from({}), usage_error);
  EXPECT_THROW(path_from({{"PUBSUB_SUBSCRIPTION", "a/b"}}), usage_error);
  EXPECT_THROW(path_from({{"PUBSUB_SUBSCRIPTION", "x:y z"}, {"GCP_PROJECT_ID", "p"}}), usage_error);
}

TEST(pdf_batch_subscription, asks_the_emulator_or_google) {
  const environment local({{"PUBSUB_EMULATOR_HOST", "pubsub:8085"}, {"GCP_PROJECT_ID", "p"}});
  EXPECT_EQ(subscription_from(local).base_url, "http://pubsub:8085");
  const environment real(std::map<std::string, std::string>{{"GCP_PROJECT_ID", "p"}});
  EXPECT_EQ(subscription_from(real).base_url, "https://pubsub.googleapis.com");
  EXPECT_FALSE(std::holds_alternative<http::no_credentials>(subscription_from(real).credentials));
  const environment wrong({{"PUBSUB_EMULATOR_HOST", "http://a b"}, {"GCP_PROJECT_ID", "p"}});
  EXPECT_THROW(subscription_from(wrong), usage_error);
}

}  // namespace
}  // namespace rowrunner::pdf_batch
