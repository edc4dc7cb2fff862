#include "common/exposition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

TEST(exposition, a_metric_has_its_help_its_type_and_its_samples) {
  exposition out;
  out.gauge("jobs", "Jobs that wait.");
  out.sample({{"kind", "a"}, {"state", "paused"}}, 3);
  out.sample({}, 0.25);
  out.gauge("workers", "Who is there.");
  EXPECT_EQ(out.text(),
            "# HELP jobs Jobs that wait.\n# TYPE jobs gauge\n"
            "jobs{kind=\"a\",state=\"paused\"} 3\njobs 0.25\n"
            "# HELP workers Who is there.\n# TYPE workers gauge\n");
}

TEST(exposition, nothing_in_a_label_ends_it) {
  exposition out;
  out.gauge("m", "a \"b\" \\ c\nd");
  out.sample({{"l", "a \"b\" \\ c\nd\xff"}}, 1);
  EXPECT_EQ(out.text(),
            "# HELP m a \"b\" \\\\ c\\nd\n# TYPE m gauge\n"
            "m{l=\"a \\\"b\\\" \\\\ c\\nd\xef\xbf\xbd\"} 1\n");
}

TEST(exposition, large_numbers_are_whole) {
  exposition out;
  out.gauge("m", "");
  out.sample({}, 100000);
  out.sample({}, 1e300);
  EXPECT_THAT(out.text(), ::testing::HasSubstr("gauge\nm 100000\nm 1000000000"));
}

}  // namespace
}  // namespace rowrunner
