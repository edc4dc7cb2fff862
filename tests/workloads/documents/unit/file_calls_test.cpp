#include "workloads/documents/file_calls.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "api/message.hpp"
#include "workloads/documents/file_answer.hpp"

namespace rowrunner::documents {
namespace {

TEST(document_file_calls, are_limited_for_each_user_and_for_all) {
  file_calls calls(2, 3);
  auto first = std::make_unique<file_calls::ticket>(calls.enter("a"));
  const auto second = calls.enter("a");
  EXPECT_THROW(calls.enter("a"), api::request_error);
  const auto other = calls.enter("b");
  try {
    calls.enter("c");
    ADD_FAILURE() << "all are taken";
  } catch (const api::request_error& busy) {
    EXPECT_EQ(busy.why().status, 503);
    ASSERT_EQ(busy.why().headers.size(), 1u);
    EXPECT_EQ(busy.why().headers[0].first, "Retry-After");
  }
  first.reset();
  EXPECT_NO_THROW(calls.enter("a"));
}

TEST(document_file_calls, count_until_the_answer_was_sent) {
  file_calls calls(1, 1);
  const auto folder = std::make_shared<scratch_folder>();
  const auto path = folder->path() / "page.png";
  std::ofstream(path) << "picture";
  auto sent = std::make_unique<file_answer>(calls.enter("a"), folder, path, run_inline);
  EXPECT_THROW(calls.enter("a"), api::request_error);
  sent.reset();
  EXPECT_NO_THROW(calls.enter("a"));
}

}  // namespace
}  // namespace rowrunner::documents
