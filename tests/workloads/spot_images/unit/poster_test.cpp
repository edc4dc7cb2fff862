#include "workloads/spot_images/poster.hpp"

#include <cairo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "workloads/spot_images/poster/brush.hpp"
#include "workloads/spot_images/poster/scene.hpp"
#include "workloads/spot_images/poster/title.hpp"

namespace rowrunner::spot_images {

// Found by GoogleTest, so that a failed comparison can be read.
void PrintTo(const scene& what, std::ostream* out) {
  *out << "season " << static_cast<int>(what.season) << ", daytime "
       << static_cast<int>(what.daytime) << ", motif " << static_cast<int>(what.motif);
}

namespace {

// Small posters, painted in the same way as large ones, keep the tests quick.
constexpr int width = 320;
constexpr int height = 240;

std::string paint(const place_text& place) { return paint_poster(place, width, height); }

using surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

surface decode(const std::string& png) {
  auto read = [](void* from, unsigned char* to, unsigned count) {
    auto* rest = static_cast<std::string_view*>(from);
    if (rest->size() < count) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(to, rest->data(), count);
    rest->remove_prefix(count);
    return CAIRO_STATUS_SUCCESS;
  };
  std::string_view rest = png;
  return {cairo_image_surface_create_from_png_stream(read, &rest), &cairo_surface_destroy};
}

void expect_picture(const std::string& png, int wide, int high) {
  surface picture = decode(png);
  ASSERT_EQ(cairo_surface_status(picture.get()), CAIRO_STATUS_SUCCESS);
  EXPECT_EQ(cairo_image_surface_get_width(picture.get()), wide);
  EXPECT_EQ(cairo_image_surface_get_height(picture.get()), high);
}

const std::vector<place_text>& places() {
  static const std::vector<place_text> all{
      {"金閣寺", "京都市北区", "きらびやかな金色の楼閣と鏡湖池"},
      {"銀閣寺", "京都市左京区", "秋"},
      {"伏見稲荷大社", "京都市伏見区", "千本鳥居"},
      {"清水寺", "京都市東山区", "紅葉と舞台"},
      {"嵐山 竹林の小径", "京都市右京区", "朝"},
      {"渡月橋", "嵐山", ""},
      {"祇園 花見小路", "京都市東山区", "夜"},
      {"龍安寺 石庭", "京都市右京区", "雪"},
      {"錦市場", "京都市中京区", ""},
      {"東寺 五重塔", "京都市南区", "桜"},
      {"二条城", "京都市中京区", ""},
      {"三千院", "大原", "苔の庭"},
      {"平安神宮", "京都市左京区", ""},
      {"富士山", "山梨県", ""},
      {"江の島", "神奈川県", ""},
      {"京都タワー", "京都駅前", "夜景"},
      {"Museum of Modern Art", "New York", "summer"},
      {"Tower Bridge", "London", "sunset"},
      {"Café de Flore", "Paris", "winter"},
      {"A", "", ""},
  };
  return all;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::vector<std::string> odd_texts() {
  return {
      "",
      " ",
      "\n",
      std::string("a\0b", 3),
      std::string(3, '\0'),
      "\x01\x02\x7f\t\r\n\v",
      "\xff\xfe\xc3\x28",
      "\xe6\x97",  // the beginning of a character
      "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
      repeated("W", 200),
      repeated("寺", 200),
      repeated("long words ", 400),
      repeated("長い名前の寺 ", 40000),
      "🗼🏯⛩️👨‍👩‍👧‍👦🇯🇵",
      "المسجد الكبير",
      "בית הכנסת 123 abc",
      "\u202eevil\u202c\u2066x\u2069",
      "e" + repeated("\u0301", 150),
      "が" + repeated("\u3099", 50),
      "ノートルダム大聖堂",
      "ศาลพระพรหม วัดพระแก้ว",
      "बनारस घाट",
      "𠮷野家 𩸽",
      "<b>&amp;</b> %s %n",
      "\u2028\u2029\u200b\ufeff",
  };
}

TEST(poster, is_a_png_of_the_asked_size) {
  std::string png = paint_poster({"東寺 五重塔", "京都市南区", "桜"});
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(12, 12), std::string("IHDR\0\0\x04\xb0\0\0\x03\x84", 12));
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  expect_picture(png, 1200, 900);
}

TEST(poster, can_be_painted_upright_wide_and_tiny) {
  expect_picture(paint_poster(places()[0], 300, 400), 300, 400);
  expect_picture(paint_poster(places()[0], 400, 100), 400, 100);
  expect_picture(paint_poster(places()[17], 100, 400), 100, 400);
  expect_picture(paint_poster(places()[17], 64, 64), 64, 64);
}

TEST(poster, refuses_a_senseless_size) {
  EXPECT_THROW(paint_poster(places()[0], 0, 100), std::invalid_argument);
  EXPECT_THROW(paint_poster(places()[0], 100, -1), std::invalid_argument);
  EXPECT_THROW(paint_poster(places()[0], 9000, 9000), std::invalid_argument);
  EXPECT_THROW(paint_poster(places()[0], 1000, 100), std::invalid_argument);
}

TEST(poster, throws_when_cairo_fails) { EXPECT_THROW(canvas(100000, 10, 10), std::runtime_error); }

TEST(poster, is_the_same_for_the_same_place_and_another_for_every_other) {
  std::set<std::string> seen;
  for (const place_text& place : places()) {
    std::string png = paint(place);
    EXPECT_EQ(png, paint(place)) << place.name;
    EXPECT_TRUE(seen.insert(png).second) << place.name;
  }
}

TEST(poster, differs_when_any_part_of_the_text_does) {
  EXPECT_NE(paint({"寺", "京都", ""}), paint({"寺", "奈良", ""}));
  EXPECT_NE(paint({"寺", "京都", "古い"}), paint({"寺", "京都", "新しい"}));
  EXPECT_NE(decide_scene({"ab", "c", ""}).seed, decide_scene({"a", "bc", ""}).seed);
}

TEST(poster, survives_any_text) {
  for (const std::string& odd : odd_texts()) {
    SCOPED_TRACE(odd.substr(0, 40));
    expect_picture(paint({odd, odd, odd}), width, height);
  }
}

TEST(poster, is_the_same_from_several_threads) {
  std::vector<place_text> some(places().begin() + 3, places().begin() + 9);
  std::vector<std::string> alone;
  alone.reserve(some.size());
  for (const place_text& place : some) alone.push_back(paint(place));

  std::vector<std::vector<std::string>> painted(4);
  std::vector<std::thread> painters;
  painters.reserve(painted.size());
  for (auto& own : painted) {
    painters.emplace_back([&own, &some] {
      for (const place_text& place : some) own.push_back(paint(place));
    });
  }
  for (std::thread& painter : painters) painter.join();
  for (const auto& own : painted) EXPECT_EQ(own, alone);
}

TEST(poster_title, stays_within_the_poster) {
  constexpr double poster_width = 1200;
  constexpr double poster_height = 900;
  constexpr double margin = 20;
  std::vector<std::string> texts = odd_texts();
  for (const place_text& place : places()) texts.push_back(place.name);
  for (const std::string& name : texts) {
    for (const std::string& area : {std::string(), std::string("京都市東山区"), name}) {
      SCOPED_TRACE(name.substr(0, 40) + " / " + area.substr(0, 40));
      title_layout title = fit_title({name, area, ""}, poster_width, poster_height);
      EXPECT_LE(title.lines, 3);
      if (title.style == title_style::none) continue;
      EXPECT_LE(title.space.width, poster_width);
      EXPECT_LE(title.name.width, title.space.width - 2 * margin);
      EXPECT_LE(title.area.width, title.space.width);
      bool column = title.style == title_style::column;
      EXPECT_LE(title.space.height, poster_height * (column ? 0.88 : 0.34));
      EXPECT_LE(column ? std::max(title.name.height, title.area.height)
                       : title.name.height + title.area.height,
                title.space.height);
    }
  }
}

TEST(poster_title, is_a_column_for_short_japanese_names_only) {
  auto style = [](const char* name) { return fit_title({name, "", ""}, 1200, 900).style; };
  EXPECT_EQ(style("金閣寺"), title_style::column);
  EXPECT_EQ(style("嵐山 竹林の小径"), title_style::column);
  EXPECT_EQ(style("京都タワー"), title_style::column);
  EXPECT_EQ(style("日本国の京都府京都市東山区"), title_style::banner);
  EXPECT_EQ(style("Tower Bridge"), title_style::banner);
  EXPECT_EQ(style("TOHOシネマズ"), title_style::banner);
  EXPECT_EQ(style(""), title_style::none);
}

TEST(poster_title, shrinks_then_wraps_then_ends_in_an_ellipsis) {
  auto fit = [](const std::string& name) { return fit_title({name, "", ""}, 1200, 900); };
  title_layout brief = fit("Tower Bridge");
  title_layout longer = fit("The Royal Botanic Garden of Edinburgh");
  title_layout wrapped = fit("The Worshipful Company of Stationers and Newspaper Makers' Hall");
  title_layout endless = fit(repeated("endless ", 100));
  EXPECT_GT(brief.name_size, longer.name_size);
  EXPECT_EQ(longer.lines, 1);
  EXPECT_EQ(wrapped.lines, 2);
  EXPECT_FALSE(wrapped.shortened);
  EXPECT_EQ(endless.lines, 3);
  EXPECT_TRUE(endless.shortened);
}

TEST(poster_title, shows_one_clean_line) {
  EXPECT_EQ(displayed_text("  金閣寺\n\tRokuon-ji \x01"), "金閣寺 Rokuon-ji");
  EXPECT_EQ(displayed_text("Tokyo 🗼 Tower"), "Tokyo Tower");
  EXPECT_EQ(displayed_text("a\xff"), "a\ufffd");
  EXPECT_EQ(displayed_text("\u202e\n"), "");
  EXPECT_EQ(displayed_text(repeated("寺", 500)), repeated("寺", 240));
}

struct motif_case {
  place_text place;
  motif expected;
};

TEST(poster_scene, finds_the_motif) {
  const motif_case cases[] = {
      {{"金閣寺", "", ""}, motif::pavilion},
      {{"銀閣寺", "", ""}, motif::silver_pavilion},
      {{"伏見稲荷大社", "", ""}, motif::torii_rows},
      {{"Fushimi Inari Shrine", "", ""}, motif::torii_rows},
      {{"清水寺", "", "桜"}, motif::stage},
      {{"嵐山 竹林の小径", "", ""}, motif::bamboo},
      {{"渡月橋", "", ""}, motif::river},
      {{"祇園 花見小路", "", ""}, motif::street},
      {{"龍安寺", "", "石庭"}, motif::garden},
      {{"錦市場", "", ""}, motif::market},
      {{"東寺", "", ""}, motif::pagoda},
      {{"二条城", "", ""}, motif::castle},
      {{"竹田城", "", ""}, motif::castle},
      {{"三千院", "", "苔"}, motif::moss},
      {{"八坂神社", "", ""}, motif::torii},
      {{"平安神宮", "", "大きな庭園"}, motif::torii},
      {{"富士山", "", ""}, motif::mountain},
      {{"江の島", "", ""}, motif::sea},
      {{"京都タワー", "", ""}, motif::tower},
      {{"京都駅", "", ""}, motif::skyline},
      {{"Tower Bridge", "London", ""}, motif::river},
      {{"Nishiki Market", "", ""}, motif::market},
      {{"Himeji Castle", "", ""}, motif::castle},
      {{"Café de Flore", "", ""}, motif::street},
      {{"Waikiki", "", "a long beach"}, motif::sea},
      {{"Neuschwanstein", "", "A white castle with towers over a valley"}, motif::castle},
      {{"Sagrada Família", "", "The basilica in the city"}, motif::church},
      {{"大浦天主堂", "", ""}, motif::church},
      {{"Seasons Hall", "", "towering prose"}, motif::hills},
      {{"", "", ""}, motif::hills},
  };
  for (const auto& [place, expected] : cases) {
    EXPECT_EQ(decide_scene(place).motif, expected) << place.name << " / " << place.description;
  }
}

struct season_case {
  place_text place;
  season expected;
};

TEST(poster_scene, finds_the_season) {
  const season_case cases[] = {
      {{"円山公園", "", "しだれ桜の名所"}, season::spring},
      {{"Philosopher's Path", "", "Cherry blossoms"}, season::spring},
      {{"永観堂", "", "紅葉"}, season::autumn},
      {{"Eikando", "", "AUTUMN leaves"}, season::autumn},
      {{"貴船", "", "雪の夜"}, season::winter},
      {{"Zao", "", "deep snow"}, season::winter},
      {{"鴨川", "", "夏の床"}, season::summer},
      {{"Kamo", "", "A summer evening"}, season::summer},
      {{"Kusatsu", "", "hot springs in winter"}, season::winter},
  };
  for (const auto& [place, expected] : cases) {
    EXPECT_EQ(decide_scene(place).season, expected) << place.name;
  }
}

struct daytime_case {
  place_text place;
  daytime expected;
};

TEST(poster_scene, finds_the_time_of_day) {
  const daytime_case cases[] = {
      {{"祇園", "", "夜の街"}, daytime::night},
      {{"高台寺", "", "秋のライトアップ"}, daytime::night},
      {{"Gion", "", "by night"}, daytime::night},
      {{"嵐山", "", "夜明けの竹林"}, daytime::dawn},
      {{"嵐山", "", "朝霧"}, daytime::dawn},
      {{"Uji", "", "Morning mist"}, daytime::dawn},
      {{"鴨川", "", "夕暮れ"}, daytime::dusk},
      {{"Uji", "", "at sunset"}, daytime::dusk},
      {{"Uji", "", "青空"}, daytime::day},
  };
  for (const auto& [place, expected] : cases) {
    EXPECT_EQ(decide_scene(place).daytime, expected) << place.description;
  }
}

TEST(poster_scene, leaves_the_rest_to_chance_but_always_the_same_way) {
  std::set<season> seasons;
  std::set<daytime> daytimes;
  for (int i = 0; i < 200; ++i) {
    place_text place{"place " + std::to_string(i), "", ""};
    scene what = decide_scene(place);
    EXPECT_EQ(what, decide_scene(place));
    seasons.insert(what.season);
    daytimes.insert(what.daytime);
  }
  EXPECT_EQ(seasons.size(), 4U);
  EXPECT_EQ(daytimes.size(), 4U);
}

TEST(poster_scene, knows_a_western_place) {
  EXPECT_TRUE(decide_scene({"Tower Bridge", "London", ""}).western);
  EXPECT_FALSE(decide_scene({"Tower Bridge", "Tokyo", ""}).western);
  EXPECT_FALSE(decide_scene({"渡月橋", "", ""}).western);
}

}  // namespace
}  // namespace rowrunner::spot_images
