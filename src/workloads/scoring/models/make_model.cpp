#include "workloads/scoring/models/make_model.hpp"

#include "common/errors.hpp"
#include "common/text.hpp"
#include "workloads/scoring/models/lexical.hpp"
#include "workloads/scoring/models/remote_model.hpp"

namespace rowrunner::scoring {

namespace {

/// The embedded default, which works without any key or network.
class lexical_model : public model {
 public:
  explicit lexical_model(offload cpu) : cpu_(std::move(cpu)) {}

  std::string provider() const override { return "lexical"; }
  std::string name() const override { return "ngram-1"; }
  bool is_paid() const override { return false; }

  asio::awaitable<reply> ask(question wanted) override {
    const auto work = [&wanted] { return lexical_answer(wanted.utterance, *wanted.asked); };
    reply out;
    out.text = co_await result_of<std::string>(cpu_, work);
    co_return out;
  }

 private:
  const offload cpu_;
};

[[noreturn]] void refuse_provider(const std::string& name) {
  throw bad_input("there is no provider '" + printable(name, 100) +
                  "': it must be lexical, gemini or openai");
}

}  // namespace

std::string default_model(const std::string& provider) {
  if (provider == "lexical") return "ngram-1";
  if (provider == "gemini") return "gemini-flash-lite-latest";
  if (provider == "openai") return "gpt-4o-mini";
  refuse_provider(provider);
}

void check_model(const std::string& provider, const std::string& name) {
  default_model(provider);
  if (provider == "lexical" && name != "ngram-1") {
    throw bad_input("the provider lexical has one model, ngram-1");
  }
  check_text("model", name);
  if (name.empty() || name.size() > 200) throw bad_input("model must have 1 to 200 bytes");
}

std::unique_ptr<model> make_model(const std::string& provider, const std::string& name,
                                  const environment& env, http::client& http, offload cpu) {
  check_model(provider, name);
  if (provider == "lexical") {
    return std::make_unique<lexical_model>(std::move(cpu));
  }
  if (provider == "gemini") {
    return std::make_unique<gemini_model>(gemini_settings(env, name), http);
  }
  if (provider == "openai") {
    return std::make_unique<openai_model>(openai_settings(env, name), http);
  }
  refuse_provider(provider);
}

}  // namespace rowrunner::scoring
