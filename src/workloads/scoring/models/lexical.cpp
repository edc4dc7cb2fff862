#include "workloads/scoring/models/lexical.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "common/text.hpp"

namespace rowrunner::scoring {
namespace {

/// Katakana as hiragana, full-width letters as ASCII, capitals as small ones; 0 for what separates.
char32_t folded(char32_t c) {
  if (c >= 0xFF01 && c <= 0xFF5E) c -= 0xFEE0;
  if (c >= 0x30A1 && c <= 0x30F6) c -= 0x60;
  if (c >= 'A' && c <= 'Z') return c + 32;
  if (c >= 0xC0 && c <= 0xDE && c != 0xD7) return c + 32;
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : 0;
  if ((c >= 0x2000 && c <= 0x206F) || (c >= 0x3000 && c <= 0x3004) ||
      (c >= 0x3007 && c <= 0x3020) || (c >= 0xFF5F && c <= 0xFF65)) {
    return 0;
  }
  return c;
}

char32_t decode(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return lead;
  char32_t out = lead & (0xFFu >> (bytes.size() + 1));
  for (const char c : bytes.substr(1)) out = out << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return out;
}

std::u32string folded_text(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const auto size = std::max<std::size_t>(utf8_length(text), 1);
    const auto c = folded(decode(text.substr(0, size)));
    // Words are kept apart, so that no n-gram crosses from one to the next.
    if (c != 0) {
      out += c;
    } else if (!out.empty() && out.back() != 0) {
      out += U'\0';
    }
    text.remove_prefix(size);
  }
  return out;
}

/// Three characters of 21 bits each fit into a number.
using gram_set = std::unordered_set<std::uint64_t>;

gram_set grams(const std::u32string& text, std::size_t length) {
  gram_set out;
  for (std::size_t i = 0; i + length <= text.size(); ++i) {
    std::uint64_t gram = 0;
    bool whole = true;
    for (std::size_t k = 0; k < length; ++k) {
      whole = whole && text[i + k] != 0;
      gram = gram << 21 | text[i + k];
    }
    if (whole) out.insert(gram);
  }
  return out;
}

double share_found(const std::u32string& wanted, const gram_set (&in)[3]) {
  double found = 0, all = 0;
  for (std::size_t length = 1; length <= 3; ++length) {
    // A single letter says little; a single ideograph is half a word.
    const double weight = length == 1 ? 0.25 : static_cast<double>(length);
    for (const auto gram : grams(wanted, length)) {
      const double counts = length == 1 && gram >= 0x3400 ? 1 : weight;
      all += counts;
      if (in[length - 1].contains(gram)) found += counts;
    }
  }
  return all == 0 ? 0 : found / all;
}

double rounded(double score) { return std::round(score * 10'000) / 10'000; }

/// A name counts as a whole, a description by the word of it that is found best.
double score_in(const gram_set (&in)[3], const category& of) {
  double best = share_found(folded_text(of.name), in);
  const auto words = folded_text(of.description);
  for (std::size_t from = 0; from < words.size();) {
    const auto end = std::min(words.find(U'\0', from), words.size());
    best = std::max(best, share_found(words.substr(from, end - from), in));
    from = end + 1;
  }
  return rounded(best);
}

}  // namespace

double lexical_score(std::string_view utterance, const category& of) {
  const auto text = folded_text(utterance);
  const gram_set in[3] = {grams(text, 1), grams(text, 2), grams(text, 3)};
  return score_in(in, of);
}

std::string lexical_answer(std::string_view utterance, const block& asked) {
  const auto text = folded_text(utterance);
  const gram_set in[3] = {grams(text, 1), grams(text, 2), grams(text, 3)};
  nlohmann::json scores = nlohmann::json::object();
  for (const auto& each : asked.categories) scores[each.name] = score_in(in, each);
  return nlohmann::json{{"scores", std::move(scores)}}.dump();
}

}  // namespace rowrunner::scoring
