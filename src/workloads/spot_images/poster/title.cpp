#include "workloads/spot_images/poster/title.hpp"

#include <pango/pangocairo.h>

#include <algorithm>
#include <numbers>

namespace rowrunner::spot_images {
namespace {

struct unref {
  void operator()(void* object) const { g_object_unref(object); }
};
struct attributes_closer {
  void operator()(PangoAttrList* list) const { pango_attr_list_unref(list); }
};
struct font_closer {
  void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
};
struct options_closer {
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
using layout = std::unique_ptr<PangoLayout, unref>;

constexpr double strip_side = 26;  // paper beside the name
constexpr double strip_end = 34;   // and above and below it
constexpr double seal_size = 46;
constexpr double banner_side = 90;
constexpr double line_gap = 1.22;

struct type_style {
  double size;
  double tracking;  // in ems
  bool bold = false;
  bool small_caps = false;
};

/// Arabic letters join and Indic ones stack: tracking would tear them apart.
bool can_be_tracked(const std::string& text) {
  for (const char* at = text.c_str(); *at; at = g_utf8_next_char(at)) {
    switch (g_unichar_get_script(g_utf8_get_char(at))) {
      case G_UNICODE_SCRIPT_COMMON:
      case G_UNICODE_SCRIPT_INHERITED:
      case G_UNICODE_SCRIPT_LATIN:
      case G_UNICODE_SCRIPT_GREEK:
      case G_UNICODE_SCRIPT_CYRILLIC:
      case G_UNICODE_SCRIPT_HAN:
      case G_UNICODE_SCRIPT_HIRAGANA:
      case G_UNICODE_SCRIPT_KATAKANA:
      case G_UNICODE_SCRIPT_HANGUL:
        break;
      default:
        return false;
    }
  }
  return true;
}

/// Pango's default font map belongs to a thread but is shared by all that runs on it; this one
/// belongs to one poster.
class type_case {
 public:
  explicit type_case(bool upright_column)
      : fonts_(pango_cairo_font_map_new()), context_(pango_font_map_create_context(fonts_.get())) {
    std::unique_ptr<cairo_font_options_t, options_closer> options(cairo_font_options_create());
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(context_.get(), options.get());
    // Han characters have national shapes; without this the system's locale would choose.
    pango_context_set_language(context_.get(), pango_language_from_string("ja"));
    pango_context_set_round_glyph_positions(context_.get(), FALSE);
    if (upright_column) pango_context_set_base_gravity(context_.get(), PANGO_GRAVITY_EAST);
  }

  layout set(const std::string& text, const type_style& style) const {
    layout made(pango_layout_new(context_.get()));
    std::unique_ptr<PangoFontDescription, font_closer> font(
        pango_font_description_from_string("Noto Serif CJK JP, Noto Serif, DejaVu Serif, serif"));
    if (style.bold) pango_font_description_set_weight(font.get(), PANGO_WEIGHT_BOLD);
    if (style.small_caps) pango_font_description_set_variant(font.get(), PANGO_VARIANT_SMALL_CAPS);
    pango_font_description_set_absolute_size(font.get(), style.size * PANGO_SCALE);
    pango_layout_set_font_description(made.get(), font.get());
    std::unique_ptr<PangoAttrList, attributes_closer> list(pango_attr_list_new());
    double tracking = can_be_tracked(text) ? style.tracking : 0;
    int spacing = static_cast<int>(style.size * tracking * PANGO_SCALE);
    pango_attr_list_insert(list.get(), pango_attr_letter_spacing_new(spacing));
    pango_attr_list_insert(list.get(), pango_attr_insert_hyphens_new(FALSE));
    pango_layout_set_attributes(made.get(), list.get());
    pango_layout_set_single_paragraph_mode(made.get(), TRUE);
    pango_layout_set_text(made.get(), text.data(), static_cast<int>(text.size()));
    return made;
  }

 private:
  std::unique_ptr<PangoFontMap, unref> fonts_;
  std::unique_ptr<PangoContext, unref> context_;
};

extent measure(PangoLayout* of) {
  int width = 0;
  int height = 0;
  pango_layout_get_size(of, &width, &height);
  return {static_cast<double>(width) / PANGO_SCALE, static_cast<double>(height) / PANGO_SCALE};
}

void wrap(PangoLayout* text, double width, int lines) {
  pango_layout_set_width(text, static_cast<int>(width * PANGO_SCALE));
  pango_layout_set_height(text, -lines);
  pango_layout_set_wrap(text, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_ellipsize(text, PANGO_ELLIPSIZE_END);
  pango_layout_set_alignment(text, PANGO_ALIGN_CENTER);
}

bool is_japanese(gunichar letter) {
  auto in = [&](gunichar from, gunichar to) { return letter >= from && letter <= to; };
  return in(0x3005, 0x3007) || in(0x3040, 0x30ff) || in(0x3400, 0x9fff) || in(0xf900, 0xfaff) ||
         in(0x20000, 0x2ffff);
}

struct script_count {
  int letters = 0;
  int japanese = 0;
};

script_count count_scripts(const std::string& text) {
  script_count count;
  for (const char* at = text.c_str(); *at; at = g_utf8_next_char(at)) {
    gunichar letter = g_utf8_get_char(at);
    ++count.letters;
    count.japanese += is_japanese(letter) || letter == ' ';
  }
  return count;
}

type_style name_style(const title_layout& as, bool japanese) {
  if (as.style == title_style::column) return {as.name_size, 0.14, true};
  return {as.name_size, japanese ? 0.16 : 0.08, true, !japanese};
}

type_style area_style(const title_layout& as, bool japanese) {
  return {as.area_size, as.style == title_style::column ? 0.16 : 0.24, false, !japanese};
}

bool mostly_japanese(const std::string& text) {
  script_count count = count_scripts(text);
  return count.japanese * 2 > count.letters;
}

title_layout fit_column(const std::string& name, const std::string& area, double poster_height) {
  type_case type(true);
  title_layout as;
  as.style = title_style::column;
  double room = poster_height * 0.80 - 2 * strip_end - seal_size - 18;
  for (as.name_size = 82; as.name_size > 24; as.name_size -= 3) {
    extent lying = measure(type.set(name, name_style(as, true)).get());
    // Upright characters fill a square: the line they stand in is wider than what is seen.
    as.name = {as.name_size, lying.width};
    if (as.name.height <= room) break;
  }
  as.lines = 1;
  as.area_size = 21;
  if (!area.empty()) {
    layout small = type.set(area, area_style(as, mostly_japanese(area)));
    double longest = std::max(as.name.height + seal_size, 230.0);
    if (measure(small.get()).width > longest) wrap(small.get(), longest, 1);
    extent lying = measure(small.get());
    as.area = {lying.height, lying.width};
    as.shortened = pango_layout_is_ellipsized(small.get());
  }
  as.space = {as.name_size * 1.1 + 2 * strip_side + (area.empty() ? 0 : as.area_size * 1.5),
              std::max(as.name.height, as.area.height) + 2 * strip_end + seal_size + 18};
  return as;
}

void fit_banner_name(const type_case& type, const std::string& name, double room,
                     title_layout& as) {
  bool japanese = mostly_japanese(name);
  as.lines = 1;
  for (as.name_size = 66; as.name_size >= 38; as.name_size -= 2) {
    as.name = measure(type.set(name, name_style(as, japanese)).get());
    if (as.name.width <= room) return;
  }
  for (as.name_size = 42;; as.name_size -= 2) {
    layout text = type.set(name, name_style(as, japanese));
    wrap(text.get(), room, 3);
    as.name = measure(text.get());
    as.lines = pango_layout_get_line_count(text.get());
    as.shortened = pango_layout_is_ellipsized(text.get());
    // Two lines look better than three; three small ones better than losing the end.
    if ((as.lines <= 2 && !as.shortened) || as.name_size <= 28) return;
  }
}

title_layout fit_banner(const std::string& name, const std::string& area, double poster_width) {
  type_case type(false);
  title_layout as;
  as.style = title_style::banner;
  double room = std::max(60.0, poster_width - 2 * banner_side);
  as.area_size = 22;
  if (!name.empty()) fit_banner_name(type, name, room, as);
  if (!area.empty()) {
    layout small = type.set(area, area_style(as, mostly_japanese(area)));
    wrap(small.get(), room * 0.8, 1);
    as.area = measure(small.get());
    as.shortened = as.shortened || pango_layout_is_ellipsized(small.get());
  }
  as.space = {poster_width, as.name.height + as.area.height + 40};
  return as;
}

void show(cairo_t* pen, PangoLayout* text, point at, colour paint) {
  cairo_set_source_rgb(pen, paint.red, paint.green, paint.blue);
  cairo_move_to(pen, at.x, at.y);
  pango_cairo_show_layout(pen, text);
}

/// Turns the pen so that a line of text runs downwards; `right` is where its top edge lies.
void show_column(cairo_t* pen, PangoLayout* text, double right, double top, colour paint) {
  saved_pen kept(pen);
  cairo_translate(pen, right, top);
  cairo_rotate(pen, std::numbers::pi / 2);
  pango_cairo_update_layout(pen, text);
  show(pen, text, {0, 0}, paint);
}

void draw_seal(cairo_t* pen, const type_case& type, point at, double size, const palette& tint) {
  cairo_new_sub_path(pen);
  double round = size * 0.14;
  for (int corner = 0; corner < 4; ++corner) {
    double x = at.x + (corner == 0 || corner == 3 ? size - round : round);
    double y = at.y + (corner < 2 ? size - round : round);
    double from = corner * std::numbers::pi / 2;
    cairo_arc(pen, x, y, round, from, from + std::numbers::pi / 2);
  }
  cairo_close_path(pen);
  fill(pen, tint.seal, 0.94);
  layout mark = type.set("旅", {size * 0.72, 0, true});
  extent own = measure(mark.get());
  show(pen, mark.get(), {at.x + (size - own.width) / 2, at.y + (size - own.height) / 2},
       tint.paper);
}

void draw_column(const canvas& on, const std::string& name, const std::string& area,
                 const title_layout& as, point corner, const palette& tint) {
  cairo_t* pen = on.pen();
  box(pen, corner.x + 4, corner.y + 6, as.space.width, as.space.height);
  fill(pen, hex(0x140c14), 0.20);
  box(pen, corner.x, corner.y, as.space.width, as.space.height);
  fill(pen, tint.paper, 0.95);
  box(pen, corner.x + 6, corner.y + 6, as.space.width - 12, as.space.height - 12);
  stroke(pen, tint.seal, 1.3, 0.75);
  saved_pen kept(pen);
  box(pen, corner.x, corner.y, as.space.width, as.space.height);
  cairo_clip(pen);
  type_case type(true);
  double middle = corner.x + as.space.width - strip_side - as.name_size * 0.55;
  layout title = type.set(name, name_style(as, true));
  show_column(pen, title.get(), middle + measure(title.get()).height / 2, corner.y + strip_end,
              tint.ink);
  if (!area.empty()) {
    layout small = type.set(area, area_style(as, mostly_japanese(area)));
    if (as.shortened) wrap(small.get(), as.area.height + 1, 1);
    pango_layout_set_alignment(small.get(), PANGO_ALIGN_LEFT);
    double bottom = corner.y + as.space.height - strip_end;
    show_column(pen, small.get(), corner.x + strip_side - 4 + as.area.width,
                bottom - as.area.height, mix(tint.ink, tint.paper, 0.18));
  }
  type_case level(false);
  double seal_y = corner.y + as.space.height - strip_end - seal_size + 4;
  draw_seal(pen, level, {middle - seal_size / 2, seal_y}, seal_size, tint);
}

void draw_banner(const canvas& on, const std::string& name, const std::string& area,
                 const title_layout& as, point corner, const palette& tint) {
  cairo_t* pen = on.pen();
  saved_pen kept(pen);
  box(pen, corner.x, corner.y, as.space.width, as.space.height);
  cairo_clip(pen);
  type_case type(false);
  double room = std::max(60.0, as.space.width - 2 * banner_side);
  double left = corner.x + (as.space.width - room) / 2;
  double y = corner.y + 14;
  if (!name.empty()) {
    layout title = type.set(name, name_style(as, mostly_japanese(name)));
    wrap(title.get(), as.lines == 1 ? room + as.name_size : room, as.lines == 1 ? 1 : 3);
    show(pen, title.get(), {left - (as.lines == 1 ? as.name_size / 2 : 0), y}, tint.ink);
    y += as.name.height + 4;
  }
  if (area.empty()) return;
  layout small = type.set(area, area_style(as, mostly_japanese(area)));
  wrap(small.get(), room * 0.8 + 1, 1);
  show(pen, small.get(), {left + room * 0.1, y}, mix(tint.ink, tint.paper, 0.18));
  double reach = as.area.width / 2 + 26;
  double middle = corner.x + as.space.width / 2;
  for (double side : {-1.0, 1.0}) {
    line(pen, {middle + side * reach, y + as.area.height * 0.52},
         {middle + side * (reach + 70), y + as.area.height * 0.52});
  }
  stroke(pen, tint.seal, 1.6, 0.85);
}

}  // namespace

title_layout fit_title(const place_text& place, double poster_width, double poster_height) {
  std::string name = displayed_text(place.name);
  std::string area = displayed_text(place.area);
  if (name.empty() && area.empty()) return {};
  script_count count = count_scripts(name);
  bool column = count.letters > 0 && count.letters <= 9 && count.japanese == count.letters;
  if (column && poster_width >= 700) return fit_column(name, area, poster_height);
  return fit_banner(name, area, poster_width);
}

void draw_title(const canvas& on, const place_text& place, const title_layout& as, point corner,
                const palette& tint) {
  std::string name = displayed_text(place.name);
  std::string area = displayed_text(place.area);
  if (as.style == title_style::column) draw_column(on, name, area, as, corner, tint);
  if (as.style == title_style::banner) draw_banner(on, name, area, as, corner, tint);
}

}  // namespace rowrunner::spot_images
