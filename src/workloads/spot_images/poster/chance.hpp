#pragma once

#include <cstdint>
#include <string_view>

namespace rowrunner::spot_images {

/// A stream of numbers that looks random and is the same on every machine, unlike the standard
/// distributions, whose results each library is free to choose.
class chance {
 public:
  explicit constexpr chance(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31U);
  }
  constexpr double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
  constexpr double between(double low, double high) { return low + (high - low) * unit(); }
  constexpr bool odds(double probability) { return unit() < probability; }
  constexpr int below(int bound) {
    return static_cast<int>(next() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

/// FNV-1a.
constexpr std::uint64_t fingerprint(std::string_view text,
                                    std::uint64_t hash = 0xcbf29ce484222325ULL) {
  for (char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace rowrunner::spot_images
