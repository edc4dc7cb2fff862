#include "support/pooler.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/url/url.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

int free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  if (bind(probe, raw, size) != 0 || getsockname(probe, raw, &size) != 0) {
    close(probe);
    throw std::runtime_error("no free port");
  }
  close(probe);
  return ntohs(address.sin_port);
}

/// PgBouncer does not run as root; like PostgreSQL it runs as postgres then.
const passwd* owner() { return geteuid() == 0 ? getpwnam("postgres") : nullptr; }

std::vector<std::string> command(const std::string& config) {
  std::vector<std::string> argv{"/usr/sbin/pgbouncer", config};
  if (owner() == nullptr) return argv;
  // The wish to end with the parent is lost with the change of user, unless it is made after it.
  const std::vector<std::string> as{"setpriv",       "--reuid=postgres", "--regid=postgres",
                                    "--init-groups", "--pdeathsig=KILL", "--"};
  argv.insert(argv.begin(), as.begin(), as.end());
  return argv;
}

void give_away(const std::string& path) {
  const auto* user = owner();
  if (user != nullptr && chown(path.c_str(), user->pw_uid, user->pw_gid) != 0) {
    throw std::runtime_error("cannot give " + path + " to postgres");
  }
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  give_away(path);
}

}  // namespace

pooler::pooler(const std::string& server_url, const std::string& settings) {
  std::string name = (std::filesystem::temp_directory_path() / "poolerXXXXXX").string();
  folder_ = mkdtemp(name.data());
  const boost::urls::url server(server_url);
  write_file(folder_ + "/users",
             "\"" + std::string(server.user()) + "\" \"" + std::string(server.password()) + "\"\n");
  give_away(folder_);
  // The port may be taken by another process between the check and the start.
  for (int attempt = 0; attempt < 5; ++attempt) {
    port_ = free_port();
    // After a crash of the server it should be tried again soon, not after 15 seconds.
    write_file(folder_ + "/pgbouncer.ini",
               "[databases]\n* = host=127.0.0.1 port=" + std::string(server.port()) +
                   "\n[pgbouncer]\npool_mode = transaction\nlisten_addr = 127.0.0.1\n"
                   "listen_port = " +
                   std::to_string(port_) +
                   "\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = " + folder_ +
                   "/users\nmax_client_conn = 1000\ndefault_pool_size = 20\n"
                   "server_login_retry = 1\nlog_connections = 0\nlog_disconnections = 0\n" +
                   settings);
    process_ = std::make_unique<child_process>(command(folder_ + "/pgbouncer.ini"));
    if (process_->wait_for_output_line("process up")) return;
  }
  throw std::runtime_error("the pooler did not start: " + process_->err());
}

pooler::~pooler() {
  process_.reset();
  std::filesystem::remove_all(folder_);
}

std::string pooler::through(const std::string& url) const {
  boost::urls::url changed(url);
  changed.set_port_number(static_cast<std::uint16_t>(port_));
  return std::string(changed.buffer());
}

worker_endpoint endpoint_for_workers(const std::string& database_url) {
  const char* wanted = std::getenv("ROWRUNNER_TEST_POOLER");
  if (wanted == nullptr || std::string_view(wanted) != "1") return {database_url, false};
  static const pooler front(server_url());
  return {front.through(database_url), true};
}

}  // namespace rowrunner::testing
