#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "common/errors.hpp"
#include "common/http/multipart.hpp"

namespace rowrunner::http {
namespace {

namespace asio = boost::asio;
using ::testing::ElementsAre;

/// Gives a text in pieces of one size.
class pieces : public byte_source {
 public:
  pieces(std::string text, std::size_t each) : text_(std::move(text)), each_(each) {}

  std::uint64_t size() const override { return text_.size(); }
  void rewind() override { at_ = 0; }
  asio::awaitable<std::string> read() override {
    auto piece = text_.substr(at_, each_);
    at_ += piece.size();
    co_return piece;
  }

 private:
  const std::string text_;
  const std::size_t each_;
  std::size_t at_ = 0;
};

asio::awaitable<std::vector<std::string>> read_all(std::shared_ptr<byte_source> from,
                                                   bool skip = false) {
  multipart_reader reader(std::move(from), "xyz");
  std::vector<std::string> out;
  for (;;) {
    const auto part = co_await reader.next_part();
    if (!part) co_return out;
    std::string text = part->name + "/" + part->filename.value_or("-") + "=";
    while (!skip) {
      const auto piece = co_await reader.read();
      if (piece.empty()) break;
      text += piece;
    }
    out.push_back(std::move(text));
  }
}

std::vector<std::string> parts_of(const std::string& body, std::size_t each, bool skip = false) {
  asio::io_context io;
  std::vector<std::string> out;
  asio::co_spawn(io, read_all(std::make_shared<pieces>(body, each), skip),
                 [&](const std::exception_ptr& failed, std::vector<std::string> found) {
                   if (failed) std::rethrow_exception(failed);
                   out = std::move(found);
                 });
  io.run();
  return out;
}

const std::string whole =
    "preamble\r\n--xyz\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n"
    "--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n"
    "Content-Type: application/pdf\r\n\r\n%PDF\r\n--xy not the end\r\n\r\n--xyz--\r\nepilogue";

TEST(http_multipart, gives_the_same_parts_whatever_the_pieces_are) {
  for (std::size_t each = 1; each <= whole.size(); ++each) {
    EXPECT_THAT(parts_of(whole, each),
                ElementsAre("note/-=hello", "file/a.pdf=%PDF\r\n--xy not the end\r\n"))
        << each;
    EXPECT_THAT(parts_of(whole, each, true), ElementsAre("note/-=", "file/a.pdf=")) << each;
  }
}

TEST(http_multipart, the_first_boundary_may_be_the_first_line) {
  EXPECT_THAT(parts_of("--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--xyz--", 3),
              ElementsAre("a/-="));
  EXPECT_THAT(parts_of("--xyz--\r\n", 100), ElementsAre());
}

TEST(http_multipart, a_body_that_is_cut_off_anywhere_is_refused) {
  const auto end = whole.find("--xyz--") + 4;
  for (std::size_t size = 0; size < end; ++size) {
    EXPECT_THROW(parts_of(whole.substr(0, size), 7), bad_input) << size;
  }
}

TEST(http_multipart, broken_bodies_are_refused) {
  for (const char* body :
       {"", "--xyzzy\r\n", "--xyz\r\n\r\nno name\r\n--xyz--",
        "--xyz\r\nnonsense\r\n\r\n\r\n--xyz--",
        "--xyz\r\nContent-Disposition: form-data; name=\"a\r\n\r\n\r\n--xyz--",
        "--xyz\r\nContent-Disposition: form-data; name=\"a\xff\"\r\n\r\n\r\n--xyz--"}) {
    EXPECT_THROW(parts_of(body, 5), bad_input) << body;
  }
  EXPECT_THROW(parts_of("--xyz\r\n" + std::string(20'000, 'a'), 1000), bad_input);
  std::string many;
  for (int i = 0; i < 101; ++i) {
    many += "--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n";
  }
  EXPECT_THROW(parts_of(many + "--xyz--", 1000), bad_input);
}

TEST(http_multipart, reads_the_boundary) {
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=xyz"), "xyz");
  EXPECT_EQ(multipart_boundary("Multipart/Form-Data;charset=utf-8; Boundary=\"x y\""), "x y");
  for (const char* type : {"", "application/json", "multipart/form-data", "multipart/mixed",
                           "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a"}) {
    EXPECT_THROW(multipart_boundary(type), bad_input) << type;
  }
  EXPECT_THROW(multipart_boundary("multipart/form-data; boundary=" + std::string(71, 'a')),
               bad_input);
}

TEST(http_multipart, reads_names_of_files_without_folders) {
  const auto name = [](const std::string& rest) {
    return parse_part_head("Content-Disposition: form-data; name=\"file\"; " + rest).filename;
  };
  EXPECT_EQ(name("filename=\"請求書.pdf\""), "請求書.pdf");
  EXPECT_EQ(name("filename=\"C:\\fakepath\\a.pdf\""), "a.pdf");
  EXPECT_EQ(name("filename=\"../../etc/passwd\""), "passwd");
  EXPECT_EQ(name("filename=\"a \\\"b\\\".pdf\""), "a \"b\".pdf");
  EXPECT_EQ(name("filename=\"x.pdf\"; filename*=UTF-8''%E8%AB%8B.pdf"), "請.pdf");
  EXPECT_EQ(name("filename=\"\""), "");
  EXPECT_EQ(name("x=1"), std::nullopt);
}

}  // namespace
}  // namespace rowrunner::http
