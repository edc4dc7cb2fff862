#pragma once

#include <memory>
#include <string>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/offload.hpp"
#include "workloads/scoring/models/model.hpp"

namespace rowrunner::scoring {

/// The model that is used if none is named.
inline constexpr const char* default_provider = "lexical";

/// The model that a provider uses if none is named. Throws bad_input for an unknown provider.
std::string default_model(const std::string& provider);

/// Throws bad_input for a provider or a model that cannot be: needs no setting and no key.
void check_model(const std::string& provider, const std::string& name);

/// Throws usage_error if a setting that the provider needs is missing or makes no sense, bad_input
/// for an unknown provider. The client must live longer than the model.
std::unique_ptr<model> make_model(const std::string& provider, const std::string& name,
                                  const environment& env, http::client& http, offload cpu);

}  // namespace rowrunner::scoring
