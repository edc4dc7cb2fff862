#pragma once

#include <string>

#include "workloads/scoring/blocks.hpp"

namespace rowrunner::scoring {

/// What a model is told unless the run brings a prompt of its own.
std::string default_system_prompt();

/// The question about one utterance. The utterance is a JSON string, so that what it says is not
/// taken for instructions that follow it.
std::string question_text(const std::string& utterance, const block& asked,
                          const std::string& mistake);

}  // namespace rowrunner::scoring
