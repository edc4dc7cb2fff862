// Twenty enqueue the same places at once, eight workers make the pictures, one is killed every
// second, and an observer reads all the time.

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "support/worker_pool.hpp"
#include "workloads/spot_images/support/image_api_stand_in.hpp"
#include "workloads/spot_images/support/spot_images_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;

/// Reads places and jobs in one statement, so in one snapshot, as often as it can.
class onlooker {
 public:
  explicit onlooker(const std::string& url)
      : connection_(url), thread_([this](const std::stop_token& stop) { look_on(stop); }) {}

  /// What was wrong in any snapshot.
  std::vector<std::string> stop() {
    thread_.request_stop();
    thread_.join();
    return {wrong_.begin(), wrong_.end()};
  }
  int snapshots() const noexcept { return snapshots_; }
  /// In how many of them some places were done and some not.
  int halfway() const noexcept { return halfway_; }

 private:
  static constexpr const char* snapshot = R"sql(
    SELECT s.spot_name, s.image_status, coalesce(s.image_url, '') AS image_url,
           coalesce(j.status, 'no job') AS status, coalesce(j.attempts, 0) AS attempts
    FROM spots s LEFT JOIN spot_image_jobs j USING (plan_id, spot_name))sql";

  static std::string word_for(const std::string& status, int attempts) {
    if (status == "no job") return "not_started";
    if (status == "queued") return attempts == 0 ? "not_started" : "processing";
    return status;
  }

  void look_on(const std::stop_token& stop) {
    while (!stop.stop_requested()) look();
    look();
  }

  void look() {
    pqxx::nontransaction tx(connection_);
    const auto rows = tx.exec(snapshot);
    std::size_t done = 0;
    for (const auto& row : rows) {
      const auto name = row["spot_name"].as<std::string>();
      const auto seen = row["image_status"].as<std::string>();
      const auto url = row["image_url"].as<std::string>();
      const auto status = row["status"].as<std::string>();
      if (seen != word_for(status, row["attempts"].as<int>())) {
        complain(name, "is " + seen, status);
      }
      if ((status == "succeeded") == url.empty()) {
        complain(name, "has the address '" + url + "'", status);
      }
      if (url.empty()) continue;
      ++done;
      if (file_of(url) != tiny_png(name)) complain(name, "has no whole picture of its own", status);
    }
    ++snapshots_;
    if (done > 0 && done < static_cast<std::size_t>(rows.size())) ++halfway_;
  }

  void complain(std::string name, const std::string& what, const std::string& status) {
    name.append(" ").append(what).append(" while its job is ").append(status);
    wrong_.insert(std::move(name));
  }

  static std::string file_of(const std::string& url) {
    std::ifstream file(url.substr(std::string_view("file://").size()), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  pqxx::connection connection_;
  std::set<std::string> wrong_;
  int snapshots_ = 0;
  int halfway_ = 0;
  std::jthread thread_;
};

class spot_images_kill : public spot_images_fixture {};

TEST_F(spot_images_kill, five_hundred_places_twenty_enqueuers_eight_workers_one_killed_a_second) {
  constexpr int places = 500, enqueuers = 20, workers = 8;
  const std::string all = std::to_string(places);
  // Long enough that a worker which is killed has jobs running.
  image_api_stand_in api(std::chrono::milliseconds{300});
  add_plan({});
  db.exec(
      "INSERT INTO spots (plan_id, spot_name, position) SELECT 'p', 'place ' || i, i"
      " FROM generate_series(1, " +
      all + ") i");
  // Who is unlucky loses more than three workers in a row; that is not what is tested here.
  db.exec("ALTER TABLE spot_image_jobs ALTER max_attempts SET DEFAULT 100");
  onlooker reader(db.url());

  auto pool =
      std::make_optional<worker_pool>(workers, [&] { return start({"worker"}, api.settings()); });
  std::vector<std::unique_ptr<child_process>> enqueuing;
  enqueuing.reserve(enqueuers);
  for (int i = 0; i < enqueuers; ++i) {
    enqueuing.push_back(start({"enqueue", "spot-images", "--plan", "p", "--json"}));
  }
  const std::string done =
      "SELECT count(*) FROM spots WHERE image_status = 'succeeded' AND image_url <> ''";
  const int kills = pool->kill_until(db, done, all);
  pool.reset();

  EXPECT_THAT(reader.stop(), IsEmpty());
  EXPECT_GE(reader.halfway(), 10) << "too few looks while the work went on";
  int enqueued = 0;
  for (auto& one : enqueuing) {
    ASSERT_EQ(one->wait(), 0) << one->err();
    const auto answer = nlohmann::json::parse(one->out());
    enqueued += answer["enqueued"].get<int>();
    EXPECT_EQ(answer["requeued"], 0);
  }
  EXPECT_EQ(enqueued, places);
  EXPECT_GE(kills, 3);
  EXPECT_EQ(db.value(done), all);
  EXPECT_EQ(db.value("SELECT count(DISTINCT image_url) FROM spots"), all);
  EXPECT_EQ(db.value("SELECT count(*) FROM spot_image_jobs WHERE status = 'succeeded'"), all);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.attempts"
                     " WHERE error NOT LIKE 'worker % was lost'"),
            "0");
  // Each lost worker is noted; a job that had stored a step since its claim was not charged.
  EXPECT_EQ(db.value("SELECT sum(attempts) <= (SELECT count(*) FROM rowrunner.attempts)"
                     " FROM spot_image_jobs"),
            "t");
  EXPECT_EQ(lost_jobs(db, "spot_image_jobs"), "0 0");
  const auto lost = std::stoi(db.value("SELECT count(*) FROM rowrunner.attempts"));
  EXPECT_GE(lost, 1) << "no worker that was killed had a job";
  RecordProperty("kills", kills);
  RecordProperty("snapshots", reader.snapshots());
  RecordProperty("lost", lost);
}

}  // namespace
}  // namespace rowrunner::testing
