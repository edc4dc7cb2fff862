#include "workloads/spot_images/poster/scene.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "workloads/spot_images/poster/chance.hpp"

namespace rowrunner::spot_images {
namespace {

template <typename Meaning>
struct keyword {
  std::string_view word;
  Meaning meaning;
};

/// Names of one thing only: they win over every general noun.
constexpr auto landmarks = std::to_array<keyword<motif>>({
    {"稲荷", motif::torii_rows},
    {"千本鳥居", motif::torii_rows},
    {"inari", motif::torii_rows},
    {"金閣", motif::pavilion},
    {"銀閣", motif::silver_pavilion},
    {"楼閣", motif::pavilion},
    {"pavilion", motif::pavilion},
    {"kinkakuji", motif::pavilion},
    {"ginkakuji", motif::silver_pavilion},
    {"清水寺", motif::stage},
    {"清水の舞台", motif::stage},
    {"kiyomizu", motif::stage},
    {"石庭", motif::garden},
    {"枯山水", motif::garden},
    {"苔", motif::moss},
    {"moss", motif::moss},
    {"五重塔", motif::pagoda},
    {"三重塔", motif::pagoda},
    {"竹林", motif::bamboo},
    {"bamboo", motif::bamboo},
    {"錦市場", motif::market},
    {"祇園", motif::street},
    {"gion", motif::street},
});

constexpr auto subjects = std::to_array<keyword<motif>>({
    {"寺", motif::pagoda},
    {"院", motif::pagoda},
    {"temple", motif::pagoda},
    {"pagoda", motif::pagoda},
    {"教会", motif::church},
    {"聖堂", motif::church},
    {"天主堂", motif::church},
    {"church", motif::church},
    {"cathedral", motif::church},
    {"basilica", motif::church},
    {"chapel", motif::church},
    {"abbey", motif::church},
    {"minster", motif::church},
    {"神社", motif::torii},
    {"大社", motif::torii},
    {"神宮", motif::torii},
    {"宮", motif::torii},
    {"鳥居", motif::torii},
    {"shrine", motif::torii},
    {"torii", motif::torii},
    {"竹", motif::bamboo},
    {"川", motif::river},
    {"橋", motif::river},
    {"渓", motif::river},
    {"river", motif::river},
    {"bridge", motif::river},
    {"canal", motif::river},
    {"城", motif::castle},
    {"castle", motif::castle},
    {"庭", motif::garden},
    {"庭園", motif::garden},
    {"garden", motif::garden},
    {"市場", motif::market},
    {"商店街", motif::market},
    {"market", motif::market},
    {"bazaar", motif::market},
    {"village", motif::hills},
    {"valley", motif::hills},
    {"hill", motif::hills},
    {"山", motif::mountain},
    {"岳", motif::mountain},
    {"高原", motif::mountain},
    {"mountain", motif::mountain},
    {"mount", motif::mountain},
    {"peak", motif::mountain},
    {"海", motif::sea},
    {"島", motif::sea},
    {"浜", motif::sea},
    {"海岸", motif::sea},
    {"ビーチ", motif::sea},
    {"beach", motif::sea},
    {"island", motif::sea},
    {"sea", motif::sea},
    {"coast", motif::sea},
    {"タワー", motif::tower},
    {"塔", motif::tower},
    {"tower", motif::tower},
    {"街", motif::street},
    {"町家", motif::street},
    {"小路", motif::street},
    {"通り", motif::street},
    {"横丁", motif::street},
    {"先斗町", motif::street},
    {"坂", motif::street},
    {"street", motif::street},
    {"lane", motif::street},
    {"café", motif::street},
    {"cafe", motif::street},
    {"カフェ", motif::street},
    {"駅", motif::skyline},
    {"美術館", motif::skyline},
    {"博物館", motif::skyline},
    {"水族館", motif::skyline},
    {"病院", motif::skyline},
    {"museum", motif::skyline},
    {"station", motif::skyline},
    {"city", motif::skyline},
    {"skyline", motif::skyline},
});

/// In each of these two tables the first one found wins, so that 夜明け comes before 夜.
constexpr auto seasons = std::to_array<keyword<season>>({
    {"桜", season::spring},     {"紅葉", season::autumn},    {"もみじ", season::autumn},
    {"雪", season::winter},     {"新緑", season::summer},    {"梅", season::spring},
    {"cherry", season::spring}, {"blossom", season::spring}, {"sakura", season::spring},
    {"maple", season::autumn},  {"foliage", season::autumn}, {"snow", season::winter},
    {"春", season::spring},     {"秋", season::autumn},      {"冬", season::winter},
    {"夏", season::summer},     {"spring", season::spring},  {"autumn", season::autumn},
    {"winter", season::winter}, {"summer", season::summer},  {"苔", season::summer},
    {"moss", season::summer},
});

constexpr auto daytimes = std::to_array<keyword<daytime>>({
    {"夜明け", daytime::dawn},   {"ライトアップ", daytime::night},
    {"夜", daytime::night},      {"星空", daytime::night},
    {"night", daytime::night},   {"illumination", daytime::night},
    {"夕", daytime::dusk},       {"黄昏", daytime::dusk},
    {"日没", daytime::dusk},     {"sunset", daytime::dusk},
    {"dusk", daytime::dusk},     {"evening", daytime::dusk},
    {"twilight", daytime::dusk}, {"朝", daytime::dawn},
    {"早朝", daytime::dawn},     {"霧", daytime::dawn},
    {"morning", daytime::dawn},  {"dawn", daytime::dawn},
    {"sunrise", daytime::dawn},  {"mist", daytime::dawn},
    {"青空", daytime::day},      {"昼", daytime::day},
    {"daytime", daytime::day},
});

/// Independent of the locale, unlike std::tolower.
std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& letter : lowered)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lowered;
}

bool is_letter(char byte) { return byte >= 'a' && byte <= 'z'; }

/// An English keyword must be a word of its own, or its plural: the sea is not in "season".
bool stands_alone(std::string_view text, std::size_t at, std::string_view word) {
  if (!is_letter(word.front())) return true;
  if (at > 0 && is_letter(text[at - 1])) return false;
  std::size_t after = at + word.size();
  if (after < text.size() && text[after] == 's') ++after;
  return after >= text.size() || !is_letter(text[after]);
}

/// Where the last mention of `word` ends; npos when there is none.
std::size_t last_end(std::string_view text, std::string_view word) {
  for (std::size_t at = text.rfind(word); at != text.npos; at = text.rfind(word, at - 1)) {
    if (stands_alone(text, at, word)) return at + word.size();
    if (at == 0) break;
  }
  return text.npos;
}

/// Where the first mention of `word` begins; npos when there is none.
std::size_t first_place(std::string_view text, std::string_view word) {
  std::size_t at = text.find(word);
  while (at != text.npos && !stands_alone(text, at, word)) at = text.find(word, at + 1);
  return at;
}

template <typename Meaning>
std::optional<Meaning> first_listed(std::string_view text,
                                    std::span<const keyword<Meaning>> keywords) {
  for (const auto& [word, meaning] : keywords)
    if (last_end(text, word) != text.npos) return meaning;
  return std::nullopt;
}

std::optional<motif> find_landmark(std::string_view text) {
  return first_listed(text, std::span<const keyword<motif>>(landmarks));
}

std::optional<motif> find_last_subject(std::string_view text) {
  const keyword<motif>* best = nullptr;
  std::size_t best_end = 0;
  for (const auto& candidate : subjects) {
    std::size_t end = last_end(text, candidate.word);
    if (end == text.npos || end < best_end) continue;
    if (end == best_end && best && best->word.size() > candidate.word.size()) continue;
    best = &candidate;
    best_end = end;
  }
  return best ? std::optional(best->meaning) : std::nullopt;
}

std::optional<motif> find_first_subject(std::string_view text) {
  const keyword<motif>* best = nullptr;
  std::size_t best_at = text.npos;
  for (const auto& candidate : subjects) {
    const std::size_t at = first_place(text, candidate.word);
    if (at >= best_at) continue;
    best = &candidate;
    best_at = at;
  }
  return best ? std::optional(best->meaning) : std::nullopt;
}

/// Kana and the common ideographs are the three-byte sequences that begin with E3 to E9.
bool has_japanese_script(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char byte) {
    auto lead = static_cast<unsigned char>(byte);
    return lead >= 0xe3 && lead <= 0xe9;
  });
}

motif decide_motif(std::string_view name, std::string_view description) {
  if (auto landmark = find_landmark(name)) return *landmark;
  auto subject = find_last_subject(name);
  // A temple may be known for its moss or its stones more than for a pagoda.
  if (!subject || *subject == motif::pagoda) {
    if (auto landmark = find_landmark(description)) return *landmark;
  }
  if (!subject) {
    subject = has_japanese_script(description) ? find_last_subject(description)
                                               : find_first_subject(description);
  }
  return subject.value_or(motif::hills);
}

bool is_western(std::string_view text) {
  constexpr std::array<std::string_view, 10> japan{"japan",    "kyoto", "tokyo",  "osaka", "nara",
                                                   "japanese", "torii", "shrine", "inari", "zen"};
  if (has_japanese_script(text)) return false;
  return std::none_of(japan.begin(), japan.end(),
                      [&](std::string_view word) { return last_end(text, word) != text.npos; });
}

season any_season(chance& dice) {
  double drawn = dice.unit();
  if (drawn < 0.32) return season::spring;
  if (drawn < 0.58) return season::summer;
  return drawn < 0.87 ? season::autumn : season::winter;
}

daytime any_daytime(chance& dice) {
  double drawn = dice.unit();
  if (drawn < 0.52) return daytime::day;
  if (drawn < 0.76) return daytime::dusk;
  return drawn < 0.92 ? daytime::dawn : daytime::night;
}

std::uint64_t seed_of(const place_text& place) {
  // The separators keep ("ab", "c") apart from ("a", "bc").
  std::uint64_t hash = fingerprint(place.name);
  hash = fingerprint(place.area, fingerprint(std::string_view("\0", 1), hash));
  return fingerprint(place.description, fingerprint(std::string_view("\0", 1), hash));
}

void erase_all(std::string& text, std::string_view unwanted) {
  for (std::size_t at = text.find(unwanted); at != text.npos; at = text.find(unwanted, at))
    text.erase(at, unwanted.size());
}

}  // namespace

scene decide_scene(const place_text& place) {
  std::string name = lower(place.name);
  std::string description = lower(place.description);
  std::string both = name + '\n' + description;
  erase_all(both, "hot spring");  // A bath, at any time of the year.

  scene decided{};
  decided.seed = seed_of(place);
  decided.western = is_western(both + '\n' + lower(place.area));
  chance dice(decided.seed ^ fingerprint("scene"));
  season by_chance = any_season(dice);
  daytime hour_by_chance = any_daytime(dice);
  decided.season =
      first_listed(both, std::span<const keyword<season>>(seasons)).value_or(by_chance);
  decided.daytime =
      first_listed(both, std::span<const keyword<daytime>>(daytimes)).value_or(hour_by_chance);
  decided.motif = decide_motif(name, description);
  return decided;
}

}  // namespace rowrunner::spot_images
