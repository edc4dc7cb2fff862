#include "api/credential.hpp"

#include "parsers.hpp"

namespace rowrunner::fuzz {
namespace {

/// Fields of a header have no line breaks: the parser has seen to that.
std::vector<std::string> lines_of(std::string_view bytes) {
  std::vector<std::string> out(1);
  for (const char c : bytes) {
    if (c == '\n') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  out.resize(5);
  return out;
}

}  // namespace

/// The lines are Authorization, Cookie, the ticket, Host and Origin.
void read_credential(std::string_view bytes) {
  if (bytes.size() > 8000) return;
  const auto lines = lines_of(bytes);
  api::request asked;
  asked.head.method(api::http::verb::get);
  const char* names[] = {"Authorization", "Cookie", "", "Host", "Origin"};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (*names[i] != '\0' && !lines[i].empty()) asked.head.insert(names[i], lines[i]);
  }
  if (!lines[2].empty()) asked.query["ticket"] = lines[2];
  for (const bool takes_ticket : {false, true}) {
    const auto found = api::credential_of(asked, takes_ticket);
    const bool proof =
        found.type != api::credential::kind::none && found.type != api::credential::kind::malformed;
    require(proof == !found.key.secret.empty(), "a proof has a secret, and nothing else has");
    if (proof) require(found.key.id > 0, "a proof has a number");
    require(takes_ticket || found.type != api::credential::kind::ticket,
            "a ticket where it counts");
  }
  api::origin_of(asked.head);
  api::asks_this_machine(asked.head);
  for (const auto prefix : {api::token_prefix, api::session_prefix, api::ticket_prefix}) {
    const auto key = api::parse_key(prefix, lines[0]);
    if (!key) continue;
    const auto again = api::parse_key(prefix, api::key_text(prefix, key->id, key->secret));
    require(again && again->id == key->id && again->secret == key->secret, "a key is itself again");
  }
}

}  // namespace rowrunner::fuzz
