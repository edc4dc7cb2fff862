// A worker for a table of your own (thumbnails.sql). Enqueue with a plain INSERT:
//   INSERT INTO thumbnails (picture) VALUES ('a.png') ON CONFLICT DO NOTHING;
// and run:  DATABASE_URL=postgresql://… own_table_worker [--drain]; --help lists all flags.

#include <rowrunner/run_worker.hpp>
#include <string>

namespace {

// Runs once per job and attempt. Whatever it awaits is cancelled when the job should stop.
boost::asio::awaitable<rowrunner::outcome> make_thumbnail(rowrunner::job& job) {
  const std::string picture = job.text("picture");
  if (picture.empty()) co_return rowrunner::final_failure("the picture has no name");

  // A step is paid for once: a later attempt gets the stored result. The lambda has a name because
  // g++ 12 destroys captures twice if it stands inside of the co_await.
  const auto shrink = [folder = "small/" + job.text("width"),
                       picture]() -> boost::asio::awaitable<nlohmann::json> {
    co_return folder + "/" + picture;
  };
  const auto result = co_await job.step("shrink", shrink);
  co_await job.progress(1, 1, "shrunk");

  // The effect commits together with the end of the job, or not at all. A job that is enqueued
  // again after its success finds the row of the first time.
  rowrunner::succeeded end;
  end.effects.push_back(
      {"INSERT INTO thumbnails_made (picture, file) VALUES ($1, $2)"
       " ON CONFLICT (picture) DO UPDATE SET file = excluded.file",
       {picture, result.get<std::string>()}});
  co_return end;
}

}  // namespace

int main(int argc, char** argv) {
  rowrunner::kind_options thumbnails;
  thumbnails.kind = "thumbnail";
  thumbnails.max_concurrent = 4;
  thumbnails.timeout = std::chrono::minutes{1};
  thumbnails.columns = {"picture", "width"};
  return rowrunner::run_worker(argc, argv, {{thumbnails, make_thumbnail}});
}
