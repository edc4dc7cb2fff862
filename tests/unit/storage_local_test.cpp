#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <rowrunner/bad_input.hpp>
#include <thread>

#include "common/storage/local_store.hpp"
#include "http_fixture.hpp"

namespace rowrunner::storage {
namespace {

namespace fs = std::filesystem;
using asio::awaitable;
using ::testing::HasSubstr;

constexpr std::size_t plenty = 100'000'000;

class storage_local : public http::http_fixture {
 protected:
  storage_local() {
    std::string name = (fs::temp_directory_path() / "rowrunner-store-XXXXXX").string();
    base_ = ::mkdtemp(name.data());
    root_ = base_ / "files";
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(base_, ignored);
  }

  local_store store() const { return local_store(root_.string()); }

  /// Without a thread of their own, so that several threads can call them.
  static void put_now(local_store& files, const std::string& key, std::string bytes) {
    asio::io_context io;
    auto done = asio::co_spawn(io, files.put(key, std::move(bytes), ""), asio::use_future);
    io.run();
    done.get();
  }
  static std::optional<std::string> get_now(local_store& files, const std::string& key,
                                            std::size_t max_bytes) {
    asio::io_context io;
    auto found = asio::co_spawn(io, files.get(key, max_bytes), asio::use_future);
    io.run();
    return found.get();
  }

  std::vector<std::string> temporary_files() const {
    std::vector<std::string> out;
    if (!fs::exists(root_ / ".tmp")) return out;
    for (const auto& each : fs::directory_iterator(root_ / ".tmp")) out.push_back(each.path());
    return out;
  }

  static void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  static std::string content(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static error failure(const std::function<void()>& doing) {
    try {
      doing();
    } catch (const error& why) {
      return why;
    }
    ADD_FAILURE() << "no error";
    return {"no error", false};
  }

  fs::path base_;
  fs::path root_;
};

TEST_F(storage_local, stores_reads_and_removes) {
  const std::string bytes("\x89PNG\r\n\0\xff", 8);
  play([&]() -> awaitable<void> {
    local_store files(root_.string());
    EXPECT_FALSE(co_await files.exists("plan/金閣寺.png"));
    EXPECT_EQ(co_await files.get("plan/金閣寺.png", plenty), std::nullopt);
    co_await files.remove("plan/金閣寺.png");
    co_await files.put("plan/金閣寺.png", bytes, "image/png");
    EXPECT_TRUE(co_await files.exists("plan/金閣寺.png"));
    EXPECT_EQ(co_await files.get("plan/金閣寺.png", plenty), bytes);
    co_await files.put("plan/金閣寺.png", "", "image/png");
    EXPECT_EQ(co_await files.get("plan/金閣寺.png", plenty), "");
    co_await files.remove("plan/金閣寺.png");
    EXPECT_FALSE(co_await files.exists("plan/金閣寺.png"));
  });
  EXPECT_TRUE(temporary_files().empty());
}

TEST_F(storage_local, has_addresses_that_lead_back_to_keys) {
  auto files = store();
  EXPECT_EQ(files.url("京/a b.png"), "file://" + root_.string() + "/%E4%BA%AC/a%20b.png");
  EXPECT_EQ(files.key_of(files.url("京/a b.png")), "京/a b.png");
  EXPECT_EQ(files.key_of("file:///etc/passwd"), std::nullopt);
  EXPECT_EQ(files.key_of("file://" + root_.string() + "/../x"), std::nullopt);
  EXPECT_EQ(files.key_of("file://" + root_.string() + "/%2e%2e/x"), std::nullopt);
  EXPECT_THROW(files.url("../x"), bad_input);
  const local_store relative("./local_storage");
  EXPECT_EQ(relative.url("a"), "file://" + fs::current_path().string() + "/local_storage/a");
}

TEST_F(storage_local, refuses_keys_that_lead_astray) {
  auto files = store();
  write(base_ / "secret", "secret");
  for (const char* key : {"../secret", "/etc/passwd", "a/../../secret", "", ".", "a//b", "a\\..\\b",
                          ".tmp/x", ".tmp"}) {
    EXPECT_THROW(get_now(files, key, plenty), bad_input) << key;
    EXPECT_THROW(put_now(files, key, "x"), bad_input) << key;
  }
  play([&]() -> awaitable<void> {
    local_store again(root_.string());
    try {
      co_await again.remove("../secret");
      ADD_FAILURE();
    } catch (const bad_input&) {
    }
  });
  EXPECT_TRUE(fs::exists(base_ / "secret"));
}

TEST_F(storage_local, follows_no_symbolic_link) {
  auto files = store();
  write(base_ / "outside/secret", "secret");
  fs::create_directories(root_ / "inside");
  fs::create_directory_symlink(base_ / "outside", root_ / "way_out");
  fs::create_symlink(base_ / "outside/secret", root_ / "inside/link");
  fs::create_symlink(base_ / "outside/new", root_ / "inside/dangling");
  EXPECT_THROW(get_now(files, "way_out/secret", plenty), error);
  EXPECT_THROW(put_now(files, "way_out/secret", "x"), error);
  EXPECT_THROW(put_now(files, "way_out/more/secret", "x"), error);
  EXPECT_THROW(get_now(files, "inside/link", plenty), error);
  // A link at the end of the way is replaced, not followed.
  put_now(files, "inside/link", "new");
  put_now(files, "inside/dangling", "new");
  EXPECT_EQ(get_now(files, "inside/link", plenty), "new");
  EXPECT_EQ(content(base_ / "outside/secret"), "secret");
  EXPECT_FALSE(fs::exists(base_ / "outside/new"));
  EXPECT_TRUE(temporary_files().empty());
}

TEST_F(storage_local, follows_no_link_in_the_place_of_its_own_folder) {
  fs::create_directories(base_ / "outside");
  fs::create_directories(root_);
  fs::create_directory_symlink(base_ / "outside", root_ / ".tmp");
  auto files = store();
  EXPECT_THROW(put_now(files, "a", "x"), error);
  EXPECT_TRUE(fs::is_empty(base_ / "outside"));
}

TEST_F(storage_local, does_not_read_more_than_allowed) {
  auto files = store();
  put_now(files, "a", "12345");
  EXPECT_EQ(get_now(files, "a", 5), "12345");
  EXPECT_THAT(failure([&] { get_now(files, "a", 4); }).what(), HasSubstr("larger than 4 bytes"));
}

TEST_F(storage_local, does_not_wait_for_a_pipe_and_reads_no_folder) {
  auto files = store();
  fs::create_directories(root_ / "folder");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(get_now(files, "pipe", plenty), error);
  EXPECT_THROW(get_now(files, "folder", plenty), error);
  EXPECT_THROW(put_now(files, "folder", "x"), error);
  EXPECT_THROW(put_now(files, "pipe/x", "x"), error);
  EXPECT_TRUE(temporary_files().empty());
}

TEST_F(storage_local, a_reader_sees_the_old_or_the_new_file) {
  auto files = store();
  const std::string old_one(300'000, 'a');
  const std::string new_one(200'000, 'b');
  put_now(files, "x/y", old_one);
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::atomic<int> reads = 0;
  std::thread reader([&] {
    while (!stop) {
      const auto seen = get_now(files, "x/y", plenty);
      if (seen != old_one && seen != new_one) ++wrong;
      ++reads;
    }
  });
  for (int i = 0; i < 50 || reads < 50; ++i) put_now(files, "x/y", i % 2 == 0 ? new_one : old_one);
  stop = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(storage_local, many_write_at_once) {
  auto files = store();
  std::vector<std::thread> writers;
  writers.reserve(8);
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&files, i] {
      for (int n = 0; n < 10; ++n) {
        put_now(files, "new/folder/" + std::to_string(n),
                std::string(1000, static_cast<char>('a' + i)));
      }
    });
  }
  for (auto& each : writers) each.join();
  for (int n = 0; n < 10; ++n) {
    EXPECT_EQ(get_now(files, "new/folder/" + std::to_string(n), plenty)->size(), 1000U);
  }
  EXPECT_TRUE(temporary_files().empty());
}

/// Files as another user sees them; only root can become one.
class as_nobody {
 public:
  as_nobody() : before_(::setfsuid(65534)) {}
  ~as_nobody() { ::setfsuid(static_cast<uid_t>(before_)); }
  as_nobody(const as_nobody&) = delete;
  as_nobody& operator=(const as_nobody&) = delete;

 private:
  int before_;
};

TEST_F(storage_local, a_folder_that_cannot_be_written_is_found_at_start) {
  fs::create_directories(root_);
  fs::permissions(base_, fs::perms::all);
  fs::permissions(root_, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                             fs::perms::others_exec);
  {
    const as_nobody now;
    auto files = store();
    const auto at_start = failure([&] { files.check_writable(); });
    EXPECT_THAT(at_start.what(), HasSubstr(root_.string()));
    EXPECT_THAT(at_start.what(), HasSubstr("Permission denied"));
    EXPECT_FALSE(at_start.temporary);
    EXPECT_THAT(failure([&] { put_now(files, "a", "x"); }).what(), HasSubstr("Permission denied"));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 0);
}

TEST_F(storage_local, a_file_in_the_place_of_the_folder_is_found_at_start) {
  write(root_, "not a folder");
  EXPECT_THAT(failure([&] { store().check_writable(); }).what(), HasSubstr(root_.string()));
}

TEST_F(storage_local, a_good_folder_is_made_at_start_and_cleared_of_what_a_crash_left) {
  store().check_writable();
  EXPECT_TRUE(fs::is_directory(root_));
  write(root_ / ".tmp/old", "half");
  write(root_ / ".tmp/recent", "half");
  fs::last_write_time(root_ / ".tmp/old",
                      fs::file_time_type::clock::now() - std::chrono::hours(48));
  store().check_writable();
  EXPECT_EQ(temporary_files(), std::vector<std::string>{(root_ / ".tmp/recent").string()});
}

/// A file system of 256 kB; only root can make one.
class small_disk {
 public:
  explicit small_disk(const fs::path& at) : at_(at) {
    mounted_ = ::mount("tmpfs", at_.c_str(), "tmpfs", 0, "size=256k") == 0;
  }
  ~small_disk() {
    if (mounted_) ::umount(at_.c_str());
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  fs::path at_;
  bool mounted_ = false;
};

TEST_F(storage_local, a_full_disk_leaves_no_half_file_on_a_small_tmpfs_if_root) {
  fs::create_directories(root_);
  const small_disk disk(root_);
  if (!disk.mounted()) GTEST_SKIP() << "mounting takes root; the next test does with a limit";
  auto files = store();
  put_now(files, "a", "old");
  const auto why = failure([&] { put_now(files, "a", std::string(1'000'000, 'x')); });
  EXPECT_THAT(why.what(), HasSubstr("No space left"));
  EXPECT_TRUE(why.temporary);
  EXPECT_EQ(get_now(files, "a", plenty), "old");
  EXPECT_TRUE(temporary_files().empty());
  put_now(files, "b", std::string(100'000, 'x'));
}

TEST_F(storage_local, a_file_beyond_the_limit_leaves_no_half_file) {
  auto files = store();
  put_now(files, "a", "old");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{10'000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto why = failure([&] { put_now(files, "a", std::string(1'000'000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(why.what(), HasSubstr("cannot be written"));
  EXPECT_EQ(get_now(files, "a", plenty), "old");
  EXPECT_TRUE(temporary_files().empty());
}

TEST_F(storage_local, works_elsewhere_if_told_so) {
  asio::thread_pool threads(1);
  const auto here = std::this_thread::get_id();
  std::thread::id there;
  offload to_threads = [&](std::function<void()> work) -> awaitable<void> {
    co_await asio::post(asio::bind_executor(threads, asio::use_awaitable));
    there = std::this_thread::get_id();
    work();
    co_await asio::post(asio::bind_executor(io_, asio::use_awaitable));
  };
  play([&]() -> awaitable<void> {
    local_store files(root_.string(), to_threads);
    co_await files.put("a", "x", "text/plain");
    EXPECT_EQ(co_await files.get("a", plenty), "x");
    try {
      co_await files.get("a", 0);
      ADD_FAILURE();
    } catch (const error&) {
    }
  });
  EXPECT_NE(there, here);
}

// A cancelled job leaves its thread behind; what that does must not touch what is gone.
TEST_F(storage_local, work_that_is_no_longer_waited_for_holds_what_it_needs) {
  std::function<void()> kept;
  {
    asio::io_context io;
    auto files = std::make_unique<local_store>(
        root_.string(), [&](std::function<void()> work) -> awaitable<void> {
          kept = std::move(work);
          asio::steady_timer never(io, asio::steady_timer::time_point::max());
          co_await never.async_wait(asio::use_awaitable);
        });
    asio::co_spawn(io, files->put("a/b", "late", "text/plain"), asio::detached);
    io.poll();
    files.reset();
  }
  kept();
  auto after = store();
  EXPECT_EQ(get_now(after, "a/b", plenty), "late");
}

}  // namespace
}  // namespace rowrunner::storage
