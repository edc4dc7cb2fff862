#include "common/child/required.hpp"

#include <unistd.h>

#include "common/child/orders.hpp"
#include "common/child/spawn.hpp"
#include "common/child/wire.hpp"
#include "common/errors.hpp"

namespace rowrunner::child {

using nlohmann::json;

std::string list_of(const json& missing) {
  std::string out;
  for (const auto& each : missing) out += (out.empty() ? "" : "; ") + each.get<std::string>();
  return out;
}

void check_confinement(const options& how) {
  if (!how.confinement_required) return;
  orders given;
  given.parent = ::getpid();
  given.allowed = how.each;
  given.readable = how.readable;
  const auto child = spawn(how);
  send(child.socket.get(), text_of(given));
  const auto greeting = receive(child.socket.get(), static_cast<int>(how.each.wall.count()));
  if (!greeting) throw usage_error("CHILD_CONFINEMENT=required, but no child process answers");
  const auto& missing = greeting->body.at("missing");
  if (missing.empty()) return;
  throw usage_error("CHILD_CONFINEMENT=required, but this platform lacks: " + list_of(missing));
}

}  // namespace rowrunner::child
