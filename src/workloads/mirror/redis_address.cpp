#include "workloads/mirror/redis_address.hpp"

#include <boost/url/parse.hpp>

#include "common/errors.hpp"
#include "program/setting.hpp"

namespace rowrunner::mirror {
namespace {

constexpr int most_databases = 1'000'000;

int number(const std::string& what, const std::string& text, int least, int most) {
  return check_number(what, parse_number<int>(what, text), least, most);
}

}  // namespace

std::string redis_address::shown() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + "/" +
         std::to_string(database);
}

redis_address parse_redis_url(const std::string& text) {
  const auto parsed = boost::urls::parse_uri(text);
  if (!parsed || parsed->host().empty()) {
    throw usage_error("REDIS_URL must be redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]");
  }
  if (parsed->scheme() == "rediss") {
    throw usage_error(
        "REDIS_URL: this build reaches Redis without TLS only (redis://); put a TLS tunnel such as "
        "stunnel before a rediss:// server");
  }
  if (parsed->scheme() != "redis") throw usage_error("REDIS_URL must begin with redis://");
  redis_address out;
  out.host = parsed->host_address();
  if (parsed->has_port()) {
    out.port = number("the port of REDIS_URL", std::string(parsed->port()), 1, 65535);
  }
  out.user = parsed->user();
  out.password = parsed->password();
  // redis://secret@host is how some write a password.
  if (parsed->has_userinfo() && !parsed->has_password()) std::swap(out.user, out.password);
  const std::string path = parsed->path();
  if (path.size() > 1) {
    out.database = number("the database of REDIS_URL", path.substr(1), 0, most_databases);
  }
  return out;
}

std::optional<redis_address> configured_redis(const environment& env) {
  if (const auto url = env.get("REDIS_URL")) return parse_redis_url(*url);
  const auto host = env.get("REDIS_HOST");
  if (!host) return std::nullopt;
  redis_address out;
  out.host = *host;
  if (const auto port = env.get("REDIS_PORT")) out.port = number("REDIS_PORT", *port, 1, 65535);
  if (const auto database = env.get("REDIS_DB")) {
    out.database = number("REDIS_DB", *database, 0, most_databases);
  }
  return out;
}

}  // namespace rowrunner::mirror
