#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/scoring/blocks.hpp"

namespace rowrunner::scoring {

/// How much of a category is found in an utterance, from 0 to 1: the share of the character
/// n-grams (one to three characters; case, width and punctuation do not count) of the category's
/// name, or of the best word of its description, that the utterance has; longer n-grams count more.
/// The same text gives the same score on every machine.
double lexical_score(std::string_view utterance, const category& of);

/// {"scores": {…}} of all categories.
std::string lexical_answer(std::string_view utterance, const block& asked);

}  // namespace rowrunner::scoring
