// Where files come from: addresses, folders and Google Drive, with stand-ins on this machine.
#include "workloads/providers/files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/asio/co_spawn.hpp>
#include <fstream>
#include <rowrunner/testing.hpp>

#include "common/errors.hpp"
#include "common/log.hpp"
#include "common/scratch_folder.hpp"
#include "support/certificate.hpp"
#include "support/http_stand_in.hpp"
#include "support/inner_addresses.hpp"
#include "workloads/providers/data_dir.hpp"

namespace rowrunner::providers {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using rowrunner::testing::http_exchange;
using rowrunner::testing::http_stand_in;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class no_database : public database {
 public:
  asio::awaitable<query_result> query(std::string, query_params) override {
    throw std::logic_error("no statement is needed");
  }
};

class file_providers : public ::testing::Test {
 protected:
  file_providers() {
    fs::create_directory(data());
    write(data() / "a.pdf", "inside");
    write(folder_.path() / "secret", "outside");
  }

  fs::path data() const { return folder_.path() / "data"; }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// The whole file, or the error after "error: " or, if it is final, "final: ".
  std::string fetch(const std::string& id, std::uint64_t limit = 1000,
                    std::map<std::string, std::string> more = {}) {
    more.insert({{"LOCAL_STORAGE_PATH", (folder_.path() / "store").string()},
                 {"DATA_DIR", data().string()},
                 {"OUTBOUND_ALLOW", "127.0.0.1"}});
    asio::io_context io;
    services engine(io.get_executor(), std::make_shared<no_database>(),
                    std::make_shared<logger>(log_level::off));
    workload_services all(engine, environment(more));
    const auto out = folder_.path() / "out";
    fs::remove(out);
    std::string result;
    asio::co_spawn(io, fetch_with(all, id, out, limit, result),
                   [&](const std::exception_ptr& failed) {
                     io.stop();
                     if (failed) std::rethrow_exception(failed);
                   });
    io.run_for(std::chrono::seconds(30));
    if (result.empty()) return read(out);
    EXPECT_FALSE(fs::exists(out)) << result;
    return result;
  }

  asio::awaitable<void> fetch_with(workload_services& all, std::string id, fs::path out,
                                   std::uint64_t limit, std::string& result) {
    result = "hangs";
    job_view self(nullptr);
    try {
      for (int i = 0; i < times_; ++i) co_await fetch_file(all, self, id, out, limit);
      result.clear();
    } catch (const provider_error& why) {
      result = std::string(why.final ? "final: " : "error: ") + why.what();
    }
  }

  const scratch_folder folder_;
  int times_ = 1;
};

TEST_F(file_providers, the_form_of_an_id_says_where_it_lies) {
  EXPECT_EQ(origin_of("https://a.example/x.pdf"), file_origin::web);
  EXPECT_EQ(origin_of("HTTP://a.example/"), file_origin::web);
  EXPECT_EQ(origin_of("file:///data/x.pdf"), file_origin::data_dir);
  EXPECT_EQ(origin_of("local:x.pdf"), file_origin::data_dir);
  EXPECT_EQ(origin_of("1AbCdEf-_9"), file_origin::drive);
  for (const char* bad : {"", "a b", "../x", "ftp://a/x", "http://", "https://user:pw@a.example/",
                          "a/b", "gopher:x", "C:\\x", "注文"}) {
    EXPECT_THROW(origin_of(bad), bad_input) << bad;
  }
  EXPECT_THROW(origin_of(std::string(201, 'a')), bad_input);
}

TEST_F(file_providers, files_of_the_data_folder) {
  fs::create_directory(data() / "sub dir");
  write(data() / "sub dir" / "b.pdf", "below");
  EXPECT_EQ(fetch("local:a.pdf"), "inside");
  EXPECT_EQ(fetch("local:" + (data() / "a.pdf").string()), "inside");
  EXPECT_EQ(fetch("local:sub dir/../a.pdf"), "inside");
  EXPECT_EQ(fetch("file://" + data().string() + "/sub%20dir/b.pdf"), "below");
  EXPECT_EQ(fetch("file://localhost" + data().string() + "/a.pdf"), "inside");
  fs::create_symlink(data() / "a.pdf", data() / "link.pdf");
  EXPECT_EQ(fetch("local:link.pdf"), "inside");
}

TEST_F(file_providers, nothing_outside_of_the_data_folder_is_read) {
  fs::create_symlink(folder_.path() / "secret", data() / "out.pdf");
  fs::create_directory_symlink(folder_.path(), data() / "up");
  ASSERT_EQ(mkfifo((data() / "pipe").c_str(), 0600), 0);
  const std::string refused = "final: fileId names no file in DATA_DIR";
  for (const std::string& id :
       {std::string("local:../secret"), "local:" + (folder_.path() / "secret").string(),
        std::string("local:/etc/passwd"), std::string("local:out.pdf"),
        std::string("local:up/secret"), std::string("local:pipe"), std::string("local:none"),
        std::string("local:."), std::string("local:"), std::string("file:///etc/passwd"),
        "file://" + data().string() + "/%2e%2e/secret",
        "file://" + data().string() + "/a.pdf%00.txt", "file://" + data().string()}) {
    EXPECT_EQ(fetch(id), refused) << id;
  }
  EXPECT_THAT(fetch("file://other.example/data/a.pdf"), HasSubstr("on this machine"));
  // A folder that only begins like the data folder.
  fs::create_directory(folder_.path() / "data2");
  write(folder_.path() / "data2" / "a.pdf", "other");
  EXPECT_EQ(fetch("local:../data2/a.pdf"), refused);
  EXPECT_THAT(fetch("local:a.pdf", 5), HasSubstr("larger than 5 bytes"));
}

TEST_F(file_providers, the_storage_of_other_users_is_closed_also_inside_of_the_data_folder) {
  const auto store = data() / "storage";
  const auto theirs = store / "uploads" / "test-1";
  fs::create_directories(theirs);
  write(theirs / "document.pdf", "of another user");
  fs::create_directory_symlink(theirs, data() / "linked");
  const std::map<std::string, std::string> settings{{"LOCAL_STORAGE_PATH", store.string()}};
  const std::string refused = "final: fileId names no file in DATA_DIR";
  for (const std::string& id :
       {std::string("local:storage/uploads/test-1/document.pdf"),
        std::string("local:linked/document.pdf"),
        "file://" + data().string() + "/%73torage/uploads/test-1/document.pdf"}) {
    EXPECT_EQ(fetch(id, 1000, settings), refused) << id;
  }
  EXPECT_EQ(fetch("local:a.pdf", 1000, settings), "inside");
  // A storage that is named by a link, and one whose folder holds the data folder.
  fs::create_directory_symlink(store, folder_.path() / "link");
  EXPECT_EQ(fetch("local:storage/uploads/test-1/document.pdf", 1000,
                  {{"LOCAL_STORAGE_PATH", (folder_.path() / "link").string()}}),
            refused);
  EXPECT_EQ(fetch("local:a.pdf", 1000, {{"LOCAL_STORAGE_PATH", folder_.path().string()}}), refused);
}

TEST_F(file_providers, the_keys_of_service_accounts_are_closed_by_every_name) {
  const auto key = data() / "sa.json";
  write(key, "a private key");
  fs::create_symlink(key, data() / "link.json");
  fs::create_hard_link(key, data() / "twin.json");
  EXPECT_EQ(fetch("local:sa.json"), "a private key")
      << "a file like others as long as no variable names it";
  for (const char* variable : {"DRIVE_SERVICE_ACCOUNT_JSON", "GOOGLE_APPLICATION_CREDENTIALS"}) {
    for (const char* name : {"sa.json", "link.json", "twin.json"}) {
      EXPECT_EQ(fetch(std::string("local:") + name, 1000, {{variable, key.string()}}),
                "final: fileId names no file in DATA_DIR")
          << variable << ' ' << name;
    }
    EXPECT_EQ(fetch("local:a.pdf", 1000, {{variable, key.string()}}), "inside");
  }
}

TEST_F(file_providers, folders_that_contain_each_other_are_worth_a_warning) {
  const auto warning = [this](const fs::path& store) {
    return warning_about(data_dir_from(environment({{"DATA_DIR", data().string()},
                                                    {"LOCAL_STORAGE_PATH", store.string()}})))
        .value_or("none");
  };
  EXPECT_THAT(warning(data() / "storage"), HasSubstr("lies in DATA_DIR"));
  EXPECT_THAT(warning(folder_.path()), HasSubstr("DATA_DIR lies in"));
  EXPECT_THAT(warning(data()), HasSubstr("DATA_DIR lies in"));
  EXPECT_EQ(warning(folder_.path() / "data2"), "none");
}

TEST_F(file_providers, an_address_is_streamed_to_disk_up_to_the_limit) {
  http_stand_in server;
  server.on("GET /a.pdf", [](http_exchange& x) { x.answer(200, "%PDF-1.4"); });
  server.on("GET /moved", [](http_exchange& x) { x.answer(302, "", {{"Location", "/a.pdf"}}); });
  server.on("GET /busy", [](http_exchange& x) { x.answer(503); });
  EXPECT_EQ(fetch(server.url("/a.pdf")), "%PDF-1.4");
  EXPECT_EQ(fetch(server.url("/moved")), "%PDF-1.4");
  EXPECT_EQ(fetch(server.url("/a.pdf"), 7), "final: the file is larger than 7 bytes");
  EXPECT_EQ(fetch(server.url("/none")), "final: the address of the file answered 404");
  EXPECT_EQ(fetch(server.url("/busy")), "error: the address of the file answered 503");
}

TEST_F(file_providers, addresses_of_this_network_are_refused) {
  http_stand_in server;
  server.on("GET /a.pdf", [](http_exchange& x) { x.answer(200, "secret"); });
  EXPECT_THAT(fetch(server.url("/a.pdf"), 1000, {{"OUTBOUND_ALLOW", "192.0.2.1"}}),
              HasSubstr("address refused"));
  EXPECT_TRUE(server.calls().empty());
}

TEST_F(file_providers, an_inner_address_behind_a_redirect_is_refused) {
  http_stand_in server;
  for (const auto& host : rowrunner::testing::inner_addresses()) {
    if (host == "127.0.0.1") continue;
    server.on("GET /moved", [&host](http_exchange& x) {
      x.answer(302, "", {{"Location", "http://" + host + "/a.pdf"}});
    });
    EXPECT_THAT(fetch(server.url("/moved")), StartsWith("final: fileId: ")) << host;
  }
}

class drive_files : public file_providers {
 protected:
  drive_files() {
    google_.on("POST /token", [this](http_exchange& x) {
      x.answer(200, json{{"access_token", "token-" + std::to_string(++tokens_)},
                         {"expires_in", 3599},
                         {"token_type", "Bearer"}}
                        .dump());
    });
    write(folder_.path() / "sa.json",
          json{{"type", "service_account"},
               {"client_email", "reader@x.example"},
               {"private_key", rowrunner::testing::make_rsa_key().private_pem},
               {"token_uri", google_.url("/token")}}
              .dump());
  }

  std::string from_drive(const std::string& id, std::uint64_t limit = 1000) {
    return fetch(id, limit,
                 {{"DRIVE_BASE_URL", google_.url("")},
                  {"DRIVE_SERVICE_ACCOUNT_JSON", (folder_.path() / "sa.json").string()}});
  }

  int tokens_ = 0;
  http_stand_in google_;
};

TEST_F(drive_files, are_asked_for_with_a_token_of_the_service_account) {
  google_.on("GET /drive/v3/files/1AbC", [](http_exchange& x) { x.answer(200, "%PDF"); });
  times_ = 3;
  EXPECT_EQ(from_drive("1AbC"), "%PDF");
  const auto calls = google_.calls("GET /drive/v3/files/1AbC");
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].target, "/drive/v3/files/1AbC?alt=media&supportsAllDrives=true");
  EXPECT_EQ(calls[0].header("Authorization"), "Bearer token-1");
  ASSERT_EQ(google_.calls("POST /token").size(), 1u) << "a token is used until it expires";
  EXPECT_THAT(google_.calls("POST /token")[0].body,
              HasSubstr("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"));
}

TEST_F(drive_files, a_token_is_replaced_before_it_expires) {
  google_.on("POST /token", [this](http_exchange& x) {
    // As long as a download may wait for its turn, and no longer.
    x.answer(200, json{{"access_token", "token-" + std::to_string(++tokens_)},
                       {"expires_in", 30},
                       {"token_type", "Bearer"}}
                      .dump());
  });
  google_.on("GET /drive/v3/files/a", [](http_exchange& x) { x.answer(200, "%PDF"); });
  times_ = 2;
  EXPECT_EQ(from_drive("a"), "%PDF");
  EXPECT_EQ(tokens_, 2) << "30 seconds are too few to begin with";
  EXPECT_EQ(google_.calls("GET /drive/v3/files/a").back().header("Authorization"),
            "Bearer token-2");
}

TEST_F(drive_files, a_service_that_hangs_ends_with_the_time) {
  google_.on("GET /drive/v3/files/a", [](http_exchange& x) { x.hang(); });
  EXPECT_THAT(fetch("a", 1000,
                    {{"DRIVE_BASE_URL", google_.url("")},
                     {"DRIVE_SERVICE_ACCOUNT_JSON", (folder_.path() / "sa.json").string()},
                     {"REQUEST_TIMEOUT", "0.2"}}),
              StartsWith("error: Google Drive: "));
}

TEST_F(drive_files, a_token_that_was_withdrawn_is_replaced_once) {
  google_.on("GET /drive/v3/files/a", [](http_exchange& x) {
    const bool old = x.call().header("Authorization") == "Bearer token-1";
    x.answer(old ? 401 : 200, old ? "" : "%PDF");
  });
  EXPECT_EQ(from_drive("a"), "%PDF");
  EXPECT_EQ(tokens_, 2);
  google_.on("GET /drive/v3/files/b", [](http_exchange& x) { x.answer(401); });
  EXPECT_EQ(from_drive("b"), "final: Google Drive answered 401");
}

TEST_F(drive_files, a_file_without_permission_says_with_whom_to_share_it) {
  google_.on("GET /drive/v3/files/a", [](http_exchange& x) {
    x.answer(404, R"({"error":{"code":404,"message":"File not found: a.","errors":[]}})");
  });
  EXPECT_EQ(from_drive("a"),
            "final: Google Drive answered 404: File not found: a.; is the file shared with "
            "reader@x.example?");
  google_.on("GET /drive/v3/files/b", [](http_exchange& x) {
    x.answer(403, R"({"error":{"errors":[{"reason":"userRateLimitExceeded"}],"message":"slow"}})");
  });
  EXPECT_EQ(from_drive("b"), "error: Google Drive answered 403: slow");
}

TEST_F(drive_files, need_an_account) {
  EXPECT_THAT(fetch("1AbC"), HasSubstr("DRIVE_SERVICE_ACCOUNT_JSON is not set"));
  google_.on("POST /token",
             [](http_exchange& x) { x.answer(400, R"({"error":"invalid_grant"})"); });
  EXPECT_THAT(from_drive("1AbC"), HasSubstr("final: Google gave no access token"));
}

TEST_F(drive_files, larger_than_the_limit_are_refused) {
  google_.on("GET /drive/v3/files/a", [](http_exchange& x) { x.answer(200, "%PDF-1.4"); });
  EXPECT_EQ(from_drive("a", 7), "final: the file is larger than 7 bytes");
}

}  // namespace
}  // namespace rowrunner::providers
