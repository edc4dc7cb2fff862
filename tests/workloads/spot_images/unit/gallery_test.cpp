#include "workloads/spot_images/gallery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner::spot_images {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

spot_state state(const std::string& name, const std::string& image_status) {
  spot_state out;
  out.spot.name = name;
  out.image_status = image_status;
  return out;
}

TEST(gallery, shows_a_picture_whatever_the_status_says) {
  plan_state plan{"p", "t", {state("a", "processing"), state("b", "failed")}};
  const auto page = gallery_html(plan, {{"a", {"001.png", ""}}, {"b", {"002.png", ""}}});
  EXPECT_THAT(page, HasSubstr("src=\"001.png\""));
  EXPECT_THAT(page, HasSubstr("src=\"002.png\""));
  EXPECT_THAT(page, Not(HasSubstr("role=\"status\"")));
  EXPECT_THAT(page, HasSubstr("2 of 2 places"));
}

TEST(gallery, shows_what_waits_and_what_failed) {
  plan_state plan{"p",
                  "t",
                  {state("a", "processing"), state("b", "failed"), state("c", "not_started"),
                   state("d", "succeeded")}};
  plan.spots[1].last_error = "content was refused";
  const auto page = gallery_html(plan, {{"d", {"", "the file is missing"}}});
  EXPECT_THAT(page, HasSubstr("<article class=\"processing\">"));
  EXPECT_THAT(page, HasSubstr("<article class=\"not_started\">"));
  EXPECT_THAT(page, HasSubstr("content was refused"));
  EXPECT_THAT(page, HasSubstr("the file is missing"));
  EXPECT_THAT(page, HasSubstr("0 of 4 places"));
}

TEST(gallery, escapes_every_text) {
  const std::string evil = "<script>\"'&";
  plan_state plan{"p", evil, {state(evil, "failed"), state(evil + "2", "succeeded")}};
  plan.spots[0].spot.area = plan.spots[0].spot.description = evil;
  plan.spots[0].last_error = evil;
  const auto page = gallery_html(plan, {{evil + "2", {"http://x/\"><script>", ""}}});
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;&quot;&#39;&amp;"));
}

}  // namespace
}  // namespace rowrunner::spot_images
