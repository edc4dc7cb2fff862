#include "workloads/scoring/pipeline/answer_check.hpp"

#include <algorithm>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "common/foreign_json.hpp"
#include "common/text.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

struct answer_check::schema {
  explicit schema(const json& document) {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(document), compiled);
  }
  valijson::Schema compiled;
};

bool checked_answer::usable() const {
  return std::any_of(scores.begin(), scores.end(), [](const auto& one) { return one.has_value(); });
}

answer_check::answer_check(const block& asked)
    : asked_(asked), schema_(std::make_unique<schema>(answer_schema(asked))) {}

answer_check::~answer_check() = default;

namespace {

/// The first thing that the schema does not allow, as "scores.calm: …".
std::string first_mistake(const valijson::Schema& schema, const json& answer) {
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(answer), &results)) {
    return "";
  }
  valijson::ValidationResults::Error error;
  // The last one is about the root, the first about the innermost value.
  if (!results.popError(error)) return "it does not fit the schema";
  std::string where;
  for (const auto& part : error.context) {
    if (part != "<root>") where += part;
  }
  return printable((where.empty() ? "" : where + ": ") + error.description, 300);
}

std::optional<double> score_of(const json& scores, const category& of) {
  const auto found = scores.find(of.name);
  if (found == scores.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  if (!(value >= 0 && value <= 1)) return std::nullopt;
  return value;
}

/// What models do most often, in words that help them.
std::string missing_categories(const checked_answer& answer, const block& asked) {
  std::string names;
  for (std::size_t i = 0; i < asked.categories.size(); ++i) {
    if (!answer.scores[i]) names += (names.empty() ? "'" : ", '") + asked.categories[i].name + "'";
  }
  return names.empty() ? "" : "no score from 0 to 1 for " + names;
}

}  // namespace

checked_answer answer_check::check(std::string_view text) const {
  checked_answer out;
  out.scores.resize(asked_.categories.size());
  json answer;
  try {
    answer = parse_foreign_json(text, {longest_answer, 8, 10'000});
  } catch (const foreign_json_error& why) {
    out.mistake = std::string("the answer is not the JSON that was asked for: it ") + why.what();
    return out;
  }
  if (answer.is_object() && answer.contains("scores") && answer["scores"].is_object()) {
    for (std::size_t i = 0; i < asked_.categories.size(); ++i) {
      out.scores[i] = score_of(answer["scores"], asked_.categories[i]);
    }
  }
  const auto mistake = first_mistake(schema_->compiled, answer);
  if (mistake.empty()) return out;
  const auto missing = missing_categories(out, asked_);
  out.mistake = "the answer does not fit: " + (missing.empty() ? mistake : missing);
  return out;
}

json answer_schema(const block& asked) {
  json properties = json::object();
  json required = json::array();
  for (const auto& each : asked.categories) {
    properties[each.name] = {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
    required.push_back(each.name);
  }
  const json scores{{"type", "object"},
                    {"properties", std::move(properties)},
                    {"required", std::move(required)},
                    {"additionalProperties", false}};
  return {{"type", "object"},
          {"properties", {{"scores", scores}}},
          {"required", json::array({"scores"})},
          {"additionalProperties", false}};
}

}  // namespace rowrunner::scoring
