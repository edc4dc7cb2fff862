// An image API that fails in every way, asked by the real binary: every place ends with a picture
// or with a reason, and nothing that is stored is paid for again.

#include <csignal>
#include <future>
#include <nlohmann/json.hpp>

#include "common/http/base64.hpp"
#include "support/bucket_stand_in.hpp"
#include "workloads/spot_images/support/image_api_stand_in.hpp"
#include "workloads/spot_images/support/spot_images_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string generations = "POST /v1/images/generations";
const std::string left =
    "SELECT count(*) FROM spot_image_jobs WHERE status NOT IN"
    " ('succeeded', 'failed')";
constexpr std::size_t megabyte = 1'000'000;

http_stand_in::route answering(int status, const std::string& body,
                               const http_exchange::fields& headers = {}) {
  return [=](http_exchange& x) { x.answer(status, body, headers); };
}

/// Says that more comes than does.
void cut_off(http_exchange& x) {
  x.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\":[{\"b64_json\":\"iVBO");
  x.close();
}

/// Never says how long it is; the bound only keeps a failure from hurting the machine.
void without_an_end(http_exchange& x) {
  x.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"data\":[{\"b64_json\":\"");
  const std::string part(megabyte, 'A');
  for (int i = 0; i < 300 && x.write(part); ++i) {
  }
  x.close();
}

/// The most memory that a process has used so far, in megabytes.
std::size_t peak_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes / 1000;
  }
  throw std::runtime_error("no VmHWM of " + std::to_string(process));
}

class image_api_faults : public spot_images_fixture {
 protected:
  process_environment settings(process_environment more = {}) const {
    more.merge(api.settings());
    return more;
  }

  image_api_stand_in api;
};

TEST_F(image_api_faults, every_place_ends_with_a_picture_or_a_reason) {
  const std::map<std::string, http_stand_in::route> faults{
      {"busy", answering(429, R"({"error":{"message":"slow down"}})", {{"Retry-After", "1"}})},
      {"broken", answering(500, R"({"error":{"message":"out of paint"}})")},
      {"cut off", cut_off},
      {"garbage", answering(200, "\x01\x02\xff garbage")},
      {"half a PNG", answering(200, image_answer_body(tiny_png("half").substr(0, 50)))},
      {"HTML", answering(200, "<html><body>Welcome</body></html>")},
      {"lost", answering(200, R"({"data":[{"url":")" + api.server().url("/gone.png") + "\"}]}")}};
  std::vector<std::string> places{"good", "refused", "50 MB"};
  for (const auto& [name, fault] : faults) {
    api.answer_about(name + " for ever", fault);
    api.answer_about(name + " once", fault, 1);
    places.push_back(name + " for ever");
    places.push_back(name + " once");
  }
  api.answer_about("refused", answering(400, R"({"error":{"code":"content_policy_violation",)"
                                             R"("message":"not this place"}})"));
  api.answer_about("50 MB", answering(200, std::string(50 * megabyte, 'A')));
  enqueue_plan(places);
  auto worker = start({"worker", "--concurrency", "20"}, settings());
  ASSERT_TRUE(db.becomes(left, "0"));
  worker->kill(SIGTERM);
  EXPECT_EQ(worker->wait(), 0);

  const std::string said = "failed 3 the image API answered ";
  EXPECT_EQ(job_of("busy for ever"), said + "429: slow down");
  EXPECT_EQ(job_of("broken for ever"), said + "500: out of paint");
  EXPECT_THAT(
      job_of("cut off for ever"),
      AllOf(StartsWith("failed 3 "), HasSubstr("was closed before the answer was complete")));
  const std::string no_json = said + "200 without a picture: its answer is not JSON";
  EXPECT_THAT(job_of("garbage for ever"), StartsWith(no_json));
  EXPECT_EQ(job_of("half a PNG for ever"), "failed 3 the picture is cut off");
  EXPECT_THAT(job_of("HTML for ever"), StartsWith(no_json));
  EXPECT_EQ(job_of("lost for ever"), "failed 3 the picture's address answered 404");
  EXPECT_EQ(job_of("refused"), "failed 1 the image API answered 400: not this place");
  EXPECT_EQ(api.asked("refused"), 1);
  EXPECT_THAT(job_of("50 MB"), AllOf(StartsWith("failed 1 "), HasSubstr("larger than")));
  EXPECT_EQ(picture_of("good"), tiny_png("good"));
  for (const auto& [name, fault] : faults) {
    const auto once = name + " once";
    EXPECT_THAT(job_of(once), StartsWith("succeeded 1"));
    EXPECT_EQ(picture_of(once), tiny_png(once));
    EXPECT_EQ(api.asked(once), 2);
    EXPECT_EQ(api.asked(name + " for ever"), 3);
  }
  EXPECT_EQ(
      db.value("SELECT count(*) FROM spots s JOIN spot_image_jobs j USING (plan_id, spot_name)"
               " WHERE s.image_status <> j.status"
               " OR (s.image_status = 'succeeded') <> (s.image_url IS NOT NULL)"),
      "0");
  EXPECT_THAT(worker->err() + worker->out(), Not(HasSubstr("sk-hush")));
}

TEST_F(image_api_faults, asks_as_it_is_told_to) {
  enqueue_plan({"a"});
  const auto drained = run({"worker", "--drain"},
                           settings({{"IMAGE_API_MODEL", "brush"}, {"IMAGE_API_SIZE", "9x9"}}));
  EXPECT_EQ(drained.exit_code, 0) << drained.err;
  const auto calls = api.server().calls(generations);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].header("Authorization"), "Bearer sk-hush");
  const auto asked = nlohmann::json::parse(calls[0].body);
  EXPECT_EQ(asked.at("model"), "brush");
  EXPECT_EQ(asked.at("size"), "9x9");
  EXPECT_THAT(asked.at("prompt").get<std::string>(), StartsWith("A travel poster of a."));
}

TEST_F(image_api_faults, a_server_that_hangs_is_given_up_in_time) {
  const http_stand_in::route hang = [](http_exchange& x) { x.hang(); };
  api.answer_about("for ever", hang);
  api.answer_about("once", hang, 1);
  enqueue_plan({"for ever", "once"});
  const auto worker = start({"worker"}, settings({{"IMAGE_API_TIMEOUT", "1"}}));
  ASSERT_TRUE(db.becomes(left, "0"));
  EXPECT_THAT(job_of("for ever"),
              AllOf(StartsWith("failed 3 "), HasSubstr("no complete answer in time")));
  EXPECT_THAT(job_of("once"), StartsWith("succeeded 1 "));
  EXPECT_EQ(picture_of("once"), tiny_png("once"));
}

TEST_F(image_api_faults, a_server_that_names_a_time_gets_it) {
  api.answer_about("a", answering(429, "", {{"Retry-After", "3600"}}), 1);
  enqueue_plan({"a"});
  const auto drained = run({"worker", "--drain"}, settings());
  EXPECT_EQ(drained.exit_code, 0) << drained.err;
  EXPECT_EQ(job_of("a"), "queued 1 the image API answered 429");
  EXPECT_EQ(db.value("SELECT round(extract(epoch FROM run_at - updated_at)) FROM spot_image_jobs"),
            "3600");
  EXPECT_EQ(db.value("SELECT image_status FROM spots"), "processing");
  EXPECT_EQ(api.asked("a"), 1);
}

TEST_F(image_api_faults, answers_without_an_end_do_not_fill_the_memory) {
  const std::vector<std::string> places{"large 0", "large 1", "large 2", "large 3"};
  for (const auto& name : places) api.answer_about(name, without_an_end);
  enqueue_plan(places);
  auto worker = start({"worker"}, settings());
  ASSERT_TRUE(db.becomes(left, "0"));
  // Four at a time, of 300 megabytes each, of which no more than the limit is kept.
  const auto peak = peak_of(worker->pid());
  RecordProperty("peak_megabytes", static_cast<int>(peak));
  EXPECT_LT(peak, 300u);
  EXPECT_THAT(job_of("large 0"), AllOf(StartsWith("failed 1 "), HasSubstr("larger than")));
  EXPECT_EQ(db.value("SELECT count(*) FROM spot_image_jobs WHERE attempts = 1"), "4");
}

TEST_F(image_api_faults, no_server_is_a_reason_too) {
  db.exec("ALTER TABLE spot_image_jobs ALTER max_attempts SET DEFAULT 1");
  enqueue_plan({"a"});
  const auto drained =
      run({"worker", "--drain"}, settings({{"IMAGE_API_BASE_URL", "http://127.0.0.1:1/v1"}}));
  EXPECT_EQ(drained.exit_code, 0) << drained.err;
  EXPECT_THAT(job_of("a"), AllOf(StartsWith("failed 1 "), HasSubstr("127.0.0.1")));
}

/// Pictures go through a bucket that can be held up.
class image_storage_faults : public image_api_faults {
 protected:
  image_storage_faults() {
    enqueue_plan({"a"});
    const auto file = db.value("SELECT id FROM spot_image_jobs") + ".png";
    picture = "spot_images/" + file;
    draft = "spot_images/drafts/" + file;
  }
  std::unique_ptr<child_process> start_worker(const std::string& lease = "10") {
    return start({"worker", "--lease", lease}, settings(bucket.settings()));
  }
  /// Starts a worker and kills it while it uploads the file of that name.
  void kill_during_upload(const std::string& file) {
    std::promise<void> arrived;
    bucket.set_gate([&](const std::string& name, http_exchange& x) {
      if (name != file) return false;
      arrived.set_value();
      x.hang();
      return true;
    });
    auto worker = start_worker("2");
    const auto came = arrived.get_future().wait_for(std::chrono::minutes{1});
    EXPECT_EQ(came, std::future_status::ready);
    worker->kill(SIGKILL);
    EXPECT_EQ(worker->wait(), 128 + SIGKILL);
    bucket.set_gate({});
  }

  bucket_stand_in bucket;
  std::string picture, draft;
};

TEST_F(image_storage_faults, a_stored_generation_is_not_paid_for_again) {
  kill_during_upload(picture);
  EXPECT_EQ(db.value("SELECT string_agg(step, ' ' ORDER BY step) FROM rowrunner.steps"),
            "generate prompt");
  EXPECT_FALSE(bucket.object(picture));
  const auto next = start_worker();
  ASSERT_TRUE(db.becomes(left, "0"));
  EXPECT_EQ(api.server().calls(generations).size(), 1u) << "one generation over both workers";
  EXPECT_EQ(bucket.object(picture), tiny_png("a"));
  EXPECT_THAT(job_of("a"), AllOf(StartsWith("succeeded 0 worker "), HasSubstr(" was lost")));
  EXPECT_EQ(db.value("SELECT image_status || ' ' || image_url FROM spots"),
            "succeeded " + bucket.server().url("/pictures/" + picture));
  EXPECT_FALSE(bucket.object(draft)) << "what was only on the way is gone";
}

TEST_F(image_storage_faults, a_generation_that_was_not_stored_is_asked_for_under_the_same_key) {
  kill_during_upload(draft);
  const auto next = start_worker();
  ASSERT_TRUE(db.becomes(left, "0"));
  const auto calls = api.server().calls(generations);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].header("Idempotency-Key"), calls[1].header("Idempotency-Key"));
  EXPECT_NE(calls[0].header("Idempotency-Key"), "");
  EXPECT_EQ(bucket.object(picture), tiny_png("a"));
}

TEST_F(image_storage_faults, a_draft_that_is_gone_is_made_again) {
  kill_during_upload(picture);
  bucket.erase(draft);
  const auto next = start_worker();
  ASSERT_TRUE(db.becomes(left, "0"));
  EXPECT_THAT(job_of("a"), StartsWith("succeeded 0 worker "));
  EXPECT_EQ(api.paid("a"), 2);
  EXPECT_EQ(bucket.object(picture), tiny_png("a"));
}

TEST_F(image_storage_faults, a_draft_that_cannot_be_removed_does_not_cost_the_picture) {
  bucket.forbid_deletes();
  const auto worker = start_worker();
  ASSERT_TRUE(db.becomes(left, "0"));
  EXPECT_EQ(job_of("a"), "succeeded 0");
  EXPECT_EQ(bucket.object(picture), tiny_png("a"));
}

}  // namespace
}  // namespace rowrunner::testing
