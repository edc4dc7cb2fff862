#include "workloads/ocr_relay/caller.hpp"

#include <gtest/gtest.h>

namespace rowrunner::ocr_relay {
namespace {

bool passes(const std::string& authorization) {
  api::request asked;
  asked.head.set(api::http::field::authorization, authorization);
  return !check_bearer(asked, "t0ken");
}

TEST(relay_caller, needs_the_bearer) {
  EXPECT_TRUE(passes("Bearer t0ken"));
  EXPECT_TRUE(passes("bearer t0ken"));
  for (const char* wrong : {"", "t0ken", "Bearer", "Bearer ", "Bearer t0ke", "Bearer t0kenn",
                            "Bearer T0KEN", "Basic t0ken", "Bearer  t0ken"}) {
    EXPECT_FALSE(passes(wrong)) << wrong;
  }
  api::request without;
  const auto why = check_bearer(without, "t0ken");
  ASSERT_TRUE(why);
  EXPECT_EQ(why->status, 401);
}

TEST(relay_caller, errors_have_the_form_of_the_document) {
  const auto out = error_in_document_words({400, "bad_request", "fileId is required"});
  EXPECT_EQ(out.status, 400);
  EXPECT_EQ(nlohmann::json::parse(out.body),
            nlohmann::json::parse(
                R"({"error": {"code": "INVALID_ARGUMENT", "message": "fileId is required"}})"));
}

}  // namespace
}  // namespace rowrunner::ocr_relay
