#include "workloads/spot_images/image_api.hpp"

#include <gtest/gtest.h>

#include "common/http/base64.hpp"

namespace rowrunner::spot_images {
namespace {

http::response answer(int status, std::string body) {
  http::response made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

provider_error refusal(const http::response& given) {
  try {
    read_image_answer(given);
  } catch (const provider_error& e) {
    return e;
  }
  throw std::logic_error("it was accepted");
}

TEST(image_api, reads_a_picture_or_its_address) {
  const auto body = R"({"data":[{"b64_json":")" + http::base64("pixels") + R"("}]})";
  EXPECT_EQ(read_image_answer(answer(200, body)).picture, "pixels");
  EXPECT_EQ(read_image_answer(answer(200, R"({"data":[{"url":"https://x/y.png"}]})")).url,
            "https://x/y.png");
}

TEST(image_api, what_may_pass_is_asked_again_and_a_refusal_is_final) {
  auto busy = answer(429, R"({"error":{"message":"slow down"}})");
  busy.headers.add("Retry-After", "7");
  EXPECT_FALSE(refusal(busy).final);
  EXPECT_EQ(refusal(busy).after, std::chrono::seconds{7});
  EXPECT_STREQ(refusal(busy).what(), "the image API answered 429: slow down");
  EXPECT_FALSE(refusal(answer(500, "")).final);
  EXPECT_FALSE(refusal(answer(503, "<html>")).final);
  EXPECT_TRUE(
      refusal(answer(400, R"({"error":{"code":"content_policy_violation","message":"no"}})"))
          .final);
  EXPECT_TRUE(refusal(answer(401, "")).final);
}

TEST(image_api, an_answer_of_200_with_garbage_is_a_failure_that_may_pass) {
  for (const char* body : {"", "null", "[]", "{}", R"({"data":[]})", R"({"data":[1]})", "<html>",
                           R"({"data":[{"b64_json":"***"}]})", R"({"data":[{"b64_json":5}]})"}) {
    EXPECT_FALSE(refusal(answer(200, body)).final) << body;
  }
}

TEST(image_api, only_a_whole_png_is_a_picture) {
  const auto png = paint_poster({"A", "", ""}, 64, 64);
  EXPECT_NO_THROW(check_png(png));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, std::size_t{20}, png.size() / 2, png.size() - 1}) {
    EXPECT_THROW(check_png(std::string_view(png).substr(0, size)), provider_error) << size;
  }
  auto damaged = png;
  damaged[png.size() / 2] = static_cast<char>(damaged[png.size() / 2] ^ 1);
  EXPECT_THROW(check_png(damaged), provider_error);
  EXPECT_THROW(check_png("<html>"), provider_error);
}

}  // namespace
}  // namespace rowrunner::spot_images
