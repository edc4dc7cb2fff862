// Files that are too large for the memory, stored and read in pieces.

#include <openssl/evp.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/file_stream.hpp"
#include "common/http/base64.hpp"
#include "common/storage/files.hpp"
#include "common/storage/gcs_store.hpp"
#include "common/storage/local_store.hpp"
#include "http_fixture.hpp"
#include "support/live_bytes.hpp"

namespace rowrunner::storage {
namespace {

namespace fs = std::filesystem;
using asio::awaitable;
using http::http_exchange;
using http::http_stand_in;
using nlohmann::json;
using rowrunner::testing::memory_growth;

constexpr std::uint64_t large = 96 * 1024 * 1024;
constexpr std::size_t little = 8 * 1024 * 1024;
const std::string object_path = "/storage/v1/b/pictures/o/big.pdf";
const std::string upload_path = "/upload/storage/v1/b/pictures/o";

class md5 {
 public:
  md5() { EVP_DigestInit_ex(context_, EVP_md5(), nullptr); }
  ~md5() { EVP_MD_CTX_free(context_); }
  md5(const md5&) = delete;
  md5& operator=(const md5&) = delete;

  void add(std::string_view bytes) { EVP_DigestUpdate(context_, bytes.data(), bytes.size()); }
  std::string base64() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_, digest.data(), &size);
    return http::base64({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  EVP_MD_CTX* context_ = EVP_MD_CTX_new();
};

/// Looks at the memory with each piece of work, on the calling thread.
offload looking(memory_growth& growth) {
  return [&growth](std::function<void()> work) -> awaitable<void> {
    work();
    growth.look();
    co_return;
  };
}

class storage_stream : public http::http_fixture {
 protected:
  storage_stream() {
    std::string name = (fs::temp_directory_path() / "rowrunner-stream-XXXXXX").string();
    base_ = ::mkdtemp(name.data());
  }
  ~storage_stream() override { fs::remove_all(base_); }

  gcs_store bucket() {
    gcs_options options("pictures");
    options.base_url = server_.url("");
    options.pause = [](std::chrono::milliseconds) -> awaitable<void> { co_return; };
    return {http_, http::no_credentials{}, options};
  }

  /// A file of that size whose pieces differ.
  fs::path make_file(std::uint64_t size) const {
    std::ofstream file(base_ / "source", std::ios::binary);
    for (std::uint64_t at = 0; at < size; at += 1024) {
      std::string piece = std::to_string(at);
      piece.resize(std::min<std::uint64_t>(1024, size - at), '.');
      file << piece;
    }
    return base_ / "source";
  }

  static bool same(const fs::path& a, const fs::path& b) {
    std::ifstream left(a, std::ios::binary), right(b, std::ios::binary);
    return fs::file_size(a) == fs::file_size(b) &&
           std::equal(std::istreambuf_iterator<char>(left), {},
                      std::istreambuf_iterator<char>(right));
  }

  /// Stores the upload in a file, piece by piece.
  http_stand_in::route keep() {
    return [this](http_exchange& x) {
      md5 sum;
      std::uint64_t size = 0;
      std::ofstream file(base_ / "object", std::ios::binary);
      for (auto piece = x.read_piece(); !piece.empty(); piece = x.read_piece()) {
        sum.add(piece);
        size += piece.size();
        file << piece;
      }
      file.close();
      x.answer(200, json{{"size", std::to_string(size)}, {"md5Hash", sum.base64()}}.dump());
    };
  }
  /// Serves that file, up to a byte.
  http_stand_in::route serve(std::uint64_t up_to = large) {
    return [this, up_to](http_exchange& x) {
      const auto size = fs::file_size(base_ / "object");
      x.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n");
      std::ifstream file(base_ / "object", std::ios::binary);
      std::string piece(64 * 1024, '\0');
      for (std::uint64_t at = 0; at < std::min(size, up_to); at += piece.size()) {
        file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        if (!x.write({piece.data(), static_cast<std::size_t>(file.gcount())})) return;
      }
      if (up_to < size) x.abort();
    };
  }

  std::vector<std::string> names_in(const fs::path& folder) const {
    std::vector<std::string> out;
    if (!fs::exists(folder)) return out;
    for (const auto& each : fs::recursive_directory_iterator(folder)) {
      if (each.is_regular_file()) out.push_back(each.path().filename());
    }
    return out;
  }

  std::string error_of(const std::function<awaitable<void>()>& doing) {
    try {
      play(doing);
    } catch (const error& why) {
      return (why.temporary ? "temporary: " : "") + std::string(why.what());
    }
    return "no error";
  }

  fs::path base_;
  http_stand_in server_;
  http::client http_{io_.get_executor()};
};

TEST_F(storage_stream, large_files_pass_a_folder_through_a_little_memory) {
  const auto source = make_file(large + 1);
  memory_growth growth;
  local_store files((base_ / "store").string(), looking(growth));
  play([&]() -> awaitable<void> {
    co_await put_file(files, "a/big.pdf", source, "application/pdf", looking(growth));
    EXPECT_TRUE(co_await get_file(files, "a/big.pdf", base_ / "copy", large + 1, looking(growth)));
    EXPECT_FALSE(co_await get_file(files, "none", base_ / "none", large, looking(growth)));
  });
  EXPECT_TRUE(same(source, base_ / "copy"));
  EXPECT_FALSE(fs::exists(base_ / "none"));
  EXPECT_LT(growth.bytes(), little);
}

TEST_F(storage_stream, large_files_pass_a_bucket_through_a_little_memory) {
  const auto source = make_file(large + 1);
  server_.on_stream("POST " + upload_path, keep());
  server_.on("GET " + object_path, serve(large * 2));
  auto files = bucket();
  memory_growth growth;
  play([&]() -> awaitable<void> {
    co_await put_file(files, "big.pdf", source, "application/pdf", looking(growth));
    EXPECT_TRUE(co_await get_file(files, "big.pdf", base_ / "copy", large + 1, looking(growth)));
    EXPECT_FALSE(co_await get_file(files, "none", base_ / "none", large, looking(growth)));
  });
  EXPECT_TRUE(same(source, base_ / "copy"));
  EXPECT_LT(growth.bytes(), little);
  const auto calls = server_.calls("POST " + upload_path);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].target, upload_path + "?uploadType=media&name=big.pdf");
  EXPECT_EQ(calls[0].header("Content-Length"), std::to_string(large + 1));
  EXPECT_EQ(calls[0].header("Content-Type"), "application/pdf");
}

TEST_F(storage_stream, a_try_that_fails_in_the_middle_starts_again) {
  const auto source = make_file(3'000'000);
  std::atomic<int> uploads = 0, downloads = 0;
  server_.on_stream("POST " + upload_path, [&](http_exchange& x) {
    if (++uploads > 1) return keep()(x);
    x.read_piece();
    x.abort();
  });
  server_.on("GET " + object_path,
             [&](http_exchange& x) { return (++downloads > 1 ? serve() : serve(1'000'000))(x); });
  auto files = bucket();
  play([&]() -> awaitable<void> {
    co_await put_file(files, "big.pdf", source, "application/pdf", run_inline);
    EXPECT_TRUE(co_await get_file(files, "big.pdf", base_ / "copy", large, run_inline));
  });
  EXPECT_TRUE(same(source, base_ / "copy"));
  EXPECT_EQ(uploads, 2);
  EXPECT_EQ(downloads, 2);
}

TEST_F(storage_stream, a_download_that_stays_truncated_leaves_nothing) {
  make_file(3'000'000);
  fs::rename(base_ / "source", base_ / "object");
  server_.on("GET " + object_path, serve(1'000'000));
  auto files = bucket();
  fs::create_directory(base_ / "to");
  EXPECT_THAT(error_of([&]() -> awaitable<void> {
                co_await get_file(files, "big.pdf", base_ / "to" / "copy", large, run_inline);
              }),
              ::testing::HasSubstr("closed before the answer was complete"));
  EXPECT_THAT(names_in(base_ / "to"), ::testing::IsEmpty());
}

TEST_F(storage_stream, an_upload_that_was_stored_otherwise_is_an_error) {
  const auto source = make_file(3'000'000);
  server_.on_stream("POST " + upload_path, [&](http_exchange& x) {
    while (!x.read_piece().empty()) continue;
    x.answer(200, json{{"size", "3000000"}, {"md5Hash", "of something else"}}.dump());
  });
  auto files = bucket();
  EXPECT_EQ(error_of([&]() -> awaitable<void> {
              co_await put_file(files, "big.pdf", source, "application/pdf", run_inline);
            }),
            "temporary: bucket pictures: what was stored is not what was sent");
}

TEST_F(storage_stream, files_beyond_the_limit_are_refused_and_leave_nothing) {
  const auto source = make_file(3'000'000);
  server_.on_stream("POST " + upload_path, keep());
  server_.on("GET " + object_path, serve());
  auto remote = bucket();
  local_store local((base_ / "store").string());
  fs::create_directory(base_ / "to");
  for (store* files : std::initializer_list<store*>{&remote, &local}) {
    play([&]() -> awaitable<void> {
      co_await put_file(*files, "big.pdf", source, "application/pdf", run_inline);
    });
    EXPECT_THAT(error_of([&]() -> awaitable<void> {
                  co_await get_file(*files, "big.pdf", base_ / "to" / "copy", 2'999'999,
                                    run_inline);
                }),
                ::testing::HasSubstr("larger than 2999999 bytes"));
  }
  EXPECT_THAT(names_in(base_ / "to"), ::testing::IsEmpty());
}

/// Gives fewer bytes than it says, or is cancelled in the middle.
class odd_source : public byte_source {
 public:
  std::uint64_t size() const override { return 1'000'000; }
  void rewind() override { at_ = 0; }
  awaitable<std::string> read() override {
    if (at_ == 500'000) {
      if (!in_the_middle) co_return std::string{};
      in_the_middle();
      asio::steady_timer forever(co_await asio::this_coro::executor,
                                 asio::steady_timer::time_point::max());
      co_await forever.async_wait(asio::use_awaitable);
    }
    at_ += 100'000;
    co_return std::string(100'000, 'x');
  }

  std::function<void()> in_the_middle;

 private:
  std::uint64_t at_ = 0;
};

TEST_F(storage_stream, a_source_that_ends_early_stores_nothing) {
  local_store files((base_ / "store").string());
  const auto source = std::make_shared<odd_source>();
  EXPECT_THAT(error_of([&]() -> awaitable<void> {
                co_await files.put_from("big.pdf", source, "application/pdf");
              }),
              ::testing::HasSubstr("big.pdf has 500000 bytes instead of 1000000"));
  EXPECT_THAT(names_in(base_ / "store"), ::testing::IsEmpty());
}

TEST_F(storage_stream, a_cancelled_put_stores_nothing) {
  local_store files((base_ / "store").string());
  const auto source = std::make_shared<odd_source>();
  asio::cancellation_signal signal;
  source->in_the_middle = [&] {
    asio::post(io_, [&] { signal.emit(asio::cancellation_type::terminal); });
  };
  bool cancelled = false;
  asio::co_spawn(io_, files.put_from("big.pdf", source, "application/pdf"),
                 asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr failed) {
                   cancelled = failed && is_aborted(failed);
                 }));
  io_.run_for(std::chrono::seconds(50));
  EXPECT_TRUE(cancelled);
  EXPECT_THAT(names_in(base_ / "store"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace rowrunner::storage
