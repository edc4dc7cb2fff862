#include "workloads/spot_images/gallery.hpp"

namespace rowrunner::spot_images {
namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --paper: #f6f3ec; --card: #fffdf8; --ink: #23211d;
  --soft: #6d675c; --line: #e3dccd; --accent: #b4442f; --wait: #ece6d8; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #151618; --card: #1f2124; --ink: #ece8df; --soft: #a09a8c; --line: #33353a;
    --accent: #ef8a70; --wait: #282a2e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.65 "Noto Sans", "Noto Sans JP", "Noto Sans CJK JP", "Hiragino Sans", system-ui,
    sans-serif; }
header { max-width: 1320px; margin: 0 auto; padding: 56px 28px 20px; }
h1 { margin: 0; font: 600 clamp(28px, 4vw, 46px)/1.25 "Noto Serif", "Noto Serif JP",
    "Noto Serif CJK JP", serif;
  letter-spacing: .02em; overflow-wrap: anywhere; }
header p { margin: 10px 0 0; color: var(--soft); }
main { max-width: 1320px; margin: 0 auto; padding: 16px 28px 72px; display: grid; gap: 28px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 320px), 1fr)); }
article { background: var(--card); border: 1px solid var(--line); border-radius: 14px;
  overflow: hidden; box-shadow: 0 1px 2px #0001, 0 10px 28px #0000000d; }
.frame { aspect-ratio: 4 / 3; display: grid; place-items: center; background: var(--wait); }
.frame img { width: 100%; height: 100%; object-fit: cover; display: block; }
.text { padding: 18px 20px 22px; }
h2 { margin: 0; font-size: 20px; line-height: 1.4; overflow-wrap: anywhere;
  word-break: keep-all; text-wrap: balance; }
.area { margin: 2px 0 0; color: var(--soft); font-size: 13px; letter-spacing: .04em; }
.text p.about { margin: 12px 0 0; font-size: 14.5px; overflow-wrap: anywhere; }
.state { padding: 20px; text-align: center; color: var(--soft); }
.spinner { width: 38px; height: 38px; margin: 0 auto 14px; border-radius: 50%;
  border: 3px solid var(--line); border-top-color: var(--accent);
  animation: turn 1.1s linear infinite; }
.not_started .spinner { animation: none; border-style: dashed; border-color: var(--soft); }
.failed .frame { background: color-mix(in srgb, var(--accent) 12%, var(--card)); }
.failed .state { color: var(--accent); }
.failed .sign { font-size: 34px; line-height: 1; font-weight: 700; }
.failed .reason { display: block; margin-top: 8px; font-size: 13px; color: var(--ink);
  overflow-wrap: anywhere; max-height: 9em; overflow: auto; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .spinner { animation: none; } }
)css";

struct tile {
  std::string_view css_class;
  std::string frame;
};

tile failure(const std::string& headline, const std::string& reason) {
  return {"failed",
          "<div class=\"state\" role=\"status\"><span class=\"sign\">!</span><br><strong>" +
              headline + "</strong><span class=\"reason\">" + escape_html(reason) +
              "</span></div>"};
}

tile waiting(std::string_view css_class, const std::string& words) {
  return {css_class,
          "<div class=\"state\" role=\"status\"><div class=\"spinner\"></div>" + words + "</div>"};
}

tile tile_of(const spot_state& state, const gallery_picture* picture) {
  if (picture != nullptr && picture->problem.empty()) {
    return {"succeeded", "<img loading=\"lazy\" src=\"" + escape_html(picture->link) + "\" alt=\"" +
                             escape_html(state.spot.name) + "\">"};
  }
  if (picture != nullptr) return failure("The picture cannot be shown", picture->problem);
  if (state.image_status == "failed") {
    return failure("No picture", state.last_error.value_or("no reason was given"));
  }
  if (state.image_status == "succeeded") return failure("No picture", "its address is empty");
  if (state.image_status == "processing") return waiting("processing", "The picture is being made");
  return waiting("not_started", "The picture has not been started");
}

std::string article(const spot_state& state, const gallery_picture* picture) {
  const tile shown = tile_of(state, picture);
  std::string out = "<article class=\"" + std::string(shown.css_class) +
                    "\">\n<div class=\"frame\">" + shown.frame +
                    "</div>\n<div class=\"text\"><h2>" + escape_html(state.spot.name) + "</h2>";
  if (!state.spot.area.empty()) {
    out += "<p class=\"area\">" + escape_html(state.spot.area) + "</p>";
  }
  if (!state.spot.description.empty()) {
    out += "<p class=\"about\">" + escape_html(state.spot.description) + "</p>";
  }
  return out + "</div>\n</article>\n";
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string gallery_html(const plan_state& plan,
                         const std::map<std::string, gallery_picture>& pictures) {
  std::string articles;
  std::size_t shown = 0;
  for (const auto& state : plan.spots) {
    const auto found = pictures.find(state.spot.name);
    const gallery_picture* picture = found == pictures.end() ? nullptr : &found->second;
    if (picture != nullptr && picture->problem.empty()) ++shown;
    articles += article(state, picture);
  }
  const std::string title = escape_html(plan.title);
  return "<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         title + "</title>\n<style>" + std::string(style) +
         "</style>\n</head>\n<body>\n<header><h1>" + title + "</h1><p>" + std::to_string(shown) +
         " of " + std::to_string(plan.spots.size()) +
         " places have their picture</p></header>\n<main>\n" + articles +
         "</main>\n</body>\n</html>\n";
}

}  // namespace rowrunner::spot_images
