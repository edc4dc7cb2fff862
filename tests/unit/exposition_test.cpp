#include "common/metrics/exposition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using ::testing::HasSubstr;

TEST(exposition, a_metric_has_its_help_its_type_and_its_samples) {
  exposition out;
  out.gauge("jobs", "Jobs that wait.");
  out.sample({{"kind", "a"}, {"state", "paused"}}, 3);
  out.sample({}, 0.25);
  out.counter("ends_total", "Jobs that ended.");
  out.sample({}, 7);
  EXPECT_EQ(out.text(),
            "# HELP jobs Jobs that wait.\n# TYPE jobs gauge\n"
            "jobs{kind=\"a\",state=\"paused\"} 3\njobs 0.25\n"
            "# HELP ends_total Jobs that ended.\n# TYPE ends_total counter\nends_total 7\n");
}

TEST(exposition, nothing_in_a_label_ends_it) {
  exposition out;
  out.gauge("m", "");
  out.sample({{"l", "a \"b\" \\ c\nd\xff"}}, 1);
  EXPECT_EQ(out.text(), "# TYPE m gauge\nm{l=\"a \\\"b\\\" \\\\ c\\nd\xef\xbf\xbd\"} 1\n");
}

TEST(exposition, large_numbers_are_whole) {
  exposition out;
  out.gauge("m", "");
  out.sample({}, 100'000);
  out.sample({}, 123'456'789'012);
  EXPECT_THAT(out.text(), HasSubstr("gauge\nm 100000\nm 123456789012\n"));
}

TEST(exposition, the_buckets_of_a_histogram_add_up) {
  static constexpr double bounds[] = {1, 10};
  histogram values(bounds);
  for (const double value : {0.5, 1.0, 1.5, 10.0, 11.0}) values.add(value);
  exposition out;
  out.histogram("h", "Values.");
  out.sample({{"kind", "a"}}, values);
  EXPECT_EQ(out.text(),
            "# HELP h Values.\n# TYPE h histogram\n"
            "h_count{kind=\"a\"} 5\nh_sum{kind=\"a\"} 24\n"
            "h_bucket{kind=\"a\",le=\"1\"} 2\nh_bucket{kind=\"a\",le=\"10\"} 4\n"
            "h_bucket{kind=\"a\",le=\"+Inf\"} 5\n");
}

TEST(exposition, a_histogram_without_values_has_all_its_buckets) {
  exposition out;
  out.histogram("h", "");
  out.sample({}, histogram(batch_bounds));
  EXPECT_THAT(out.text(), HasSubstr("h_count 0\nh_sum 0\nh_bucket{le=\"1\"} 0\n"));
  EXPECT_THAT(out.text(), HasSubstr("h_bucket{le=\"+Inf\"} 0\n"));
}

}  // namespace
}  // namespace rowrunner
