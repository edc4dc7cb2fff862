#include "workloads/spot_images/gallery.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command/enqueue_transaction.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/http/client.hpp"
#include "common/storage/make_store.hpp"
#include "workloads/spot_images/commands/commands.hpp"

namespace rowrunner::spot_images {
namespace {

namespace asio = boost::asio;
using nlohmann::ordered_json;

constexpr std::size_t max_picture = 64u << 20;

struct gallery_options {
  std::string plan;
  std::string folder;
};

/// The pictures of the storage, read one after the other.
class picture_source {
 public:
  explicit picture_source(const environment& settings)
      : http_(io_.get_executor()), store_(storage::make_store(settings, http_)) {}

  /// Nothing if the address is not one of this storage.
  std::optional<std::string> key_of(const std::string& url) const { return store_->key_of(url); }

  std::optional<std::string> get(const std::string& key) {
    auto answer = asio::co_spawn(io_, store_->get(key, max_picture), asio::use_future);
    io_.restart();
    io_.run();
    return answer.get();
  }

 private:
  asio::io_context io_;
  http::client http_;
  std::unique_ptr<storage::store> store_;
};

std::string file_name(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits + ".png";
}

bool is_web_address(const std::string& url) {
  return url.starts_with("https://") || url.starts_with("http://");
}

void write_file(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + one_line(file.string(), 300));
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem || !std::filesystem::is_directory(folder, problem)) {
    throw std::runtime_error("cannot make the folder " + one_line(folder.string(), 300) +
                             (problem ? ": " + problem.message() : ": it is a file"));
  }
}

// Puts the picture into the folder, unless it lies somewhere on the web where a page can show it.
gallery_picture fetch(picture_source& source, const std::string& url, const std::string& name,
                      const std::filesystem::path& folder) {
  const auto key = source.key_of(url);
  if (!key) {
    if (is_web_address(url)) return {url, ""};
    return {"", "its address is not one of this storage: " + url};
  }
  std::optional<std::string> bytes;
  try {
    bytes = source.get(*key);
  } catch (const storage::error& error) {
    return {"", error.what()};
  }
  if (!bytes) return {"", "the file is missing in the storage: " + *key};
  write_file(folder / name, *bytes);
  return {name, ""};
}

void make_gallery(const command_context& context, const gallery_options& options) {
  if (options.folder.empty()) throw usage_error("--out is empty");
  picture_source source(context.env);
  plan_state plan;
  in_enqueue_transaction(context,
                         [&](pqxx::dbtransaction& tx) { plan = read_plan(tx, options.plan); });

  const std::filesystem::path folder(options.folder);
  make_folder(folder);
  std::map<std::string, gallery_picture> pictures;
  int copied = 0;
  for (std::size_t i = 0; i < plan.spots.size(); ++i) {
    const auto& spot = plan.spots[i].spot;
    if (!spot.image_url || spot.image_url->empty()) continue;
    const auto& made = pictures[spot.name] =
        fetch(source, *spot.image_url, file_name(i + 1), folder);
    copied += made.problem.empty() && !is_web_address(made.link) ? 1 : 0;
  }
  const std::string page = (folder / "gallery.html").string();
  write_file(page, gallery_html(plan, pictures));
  if (context.json) {
    std::cout << ordered_json{{"gallery", page}, {"spots", plan.spots.size()}, {"pictures", copied}}
              << '\n';
  } else {
    std::cout << page << " shows " << copied << " of " << plan.spots.size() << " pictures\n";
  }
}

}  // namespace

void add_gallery_command(CLI::App& app, command_context& context) {
  auto* command = app.add_subcommand("gallery", "Write a page with the pictures of a plan");
  auto options = std::make_shared<gallery_options>();
  command->add_option("--plan", options->plan, "The plan's id")->required();
  command->add_option("--out", options->folder, "The folder to write gallery.html and pictures to")
      ->required();
  command->footer("Example:\n  rowrunner gallery --plan kyoto --out gallery");
  command->callback([&context, options] {
    context.action = [&context, options] { make_gallery(context, *options); };
  });
}

}  // namespace rowrunner::spot_images
