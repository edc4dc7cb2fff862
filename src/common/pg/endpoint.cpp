#include "common/pg/endpoint.hpp"

#include <libpq-fe.h>

#include <memory>
#include <sstream>
#include <vector>

namespace rowrunner::pg {
namespace {

struct free_options {
  void operator()(PQconninfoOption* list) const noexcept { PQconninfoFree(list); }
};

// libpq's own complaint about a malformed URL quotes the URL, and with it the password.
connect_failed malformed(const std::string& why) {
  return connect_failed("the database URL is malformed: " + why +
                        ". Expected postgresql://user:password@host:port/database, with special "
                        "characters of the password percent-encoded. (The URL is not shown, as it "
                        "may hold a password.)");
}

// libpq's lines, joined; its indented ones are questions to the reader.
std::string statements_of(std::string_view reason) {
  std::istringstream lines{std::string(reason)};
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '\t') continue;
    out += (out.empty() ? "" : "; ") + line;
  }
  return out;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) out.push_back(item);
  return out;
}

std::string_view advice(std::string_view reason) {
  struct entry {
    std::string_view sign;
    std::string_view text;
  };
  static constexpr entry known[] = {
      {"refused", "Check that the server runs and listens on this host and port."},
      {"No such file", "Check that the server runs, or name a host in the URL."},
      {"no answer within", "Check the host name, the network and the firewall."},
      {"translate host name", "Check the spelling of the host name and the DNS."},
      {"password", "Check the user and the password of the URL."},
      {"pg_hba.conf", "Allow this client in the server's pg_hba.conf."},
      {"database \"", "Create the database, or correct its name in the URL."},
      {"role \"", "Create the role, or correct the user of the URL."},
      {"too many", "Raise max_connections or run fewer workers."},
      {"remaining connection slots", "Raise max_connections or run fewer workers."},
      {"starting up", "The server is starting: try again shortly."},
      {"shutting down", "The server is stopping: try again when it is back."},
      {"read-only", "No host of the URL accepts writes: check the failover."},
  };
  for (const auto& [sign, text] : known) {
    if (reason.find(sign) != std::string_view::npos) return text;
  }
  return "Check that the server runs and that the URL is right.";
}

}  // namespace

std::string endpoint::text() const {
  return "host " + (host.empty() ? "(default)" : host) + ", port " +
         (port.empty() ? "(default)" : port) + ", database " +
         (database.empty() ? "(default)" : database);
}

std::optional<endpoint> endpoint::without(const std::string& one_host,
                                          const std::string& one_port) const {
  if (has_addresses) return std::nullopt;
  const auto hosts = split(host), ports = split(port);
  const bool shared_port = ports.size() < 2;
  if (!shared_port && hosts.size() != ports.size()) return std::nullopt;
  endpoint rest = *this;
  rest.reduced = true;
  rest.host.clear();
  if (!shared_port) rest.port.clear();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i] == one_host && (shared_port || ports[i] == one_port)) continue;
    rest.host += (rest.host.empty() ? "" : ",") + hosts[i];
    if (!shared_port) rest.port += (rest.port.empty() ? "" : ",") + ports[i];
  }
  if (rest.host.empty() || rest.host.size() == host.size()) return std::nullopt;
  return rest;
}

endpoint parse_endpoint(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, free_options> list(PQconninfoParse(url.c_str(), nullptr));
  if (!list) throw malformed("libpq cannot parse it");
  endpoint found;
  std::string address;
  for (const PQconninfoOption* option = list.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "host") found.host = option->val;
    if (keyword == "hostaddr") address = option->val;
    if (keyword == "port") found.port = option->val;
    if (keyword == "dbname") found.database = option->val;
    if (keyword == "connect_timeout") found.connect_timeout = option->val;
  }
  // An unescaped '@' or '/' in the password moves the rest of it into the host or the database,
  // which every later message would show.
  if (found.host.find('@') != std::string::npos || found.database.find('@') != std::string::npos) {
    throw malformed(
        "there is an '@' in its host or database; in a password write %40 for '@' "
        "and %2F for '/'");
  }
  found.has_addresses = !address.empty();
  if (found.host.empty()) found.host = address;
  return found;
}

connect_failed explain_failure(const endpoint& target, std::string_view reason) {
  return connect_failed("cannot connect to PostgreSQL (" + target.text() +
                        "): " + statements_of(reason) + ". " + std::string(advice(reason)));
}

}  // namespace rowrunner::pg
