// The fault proxy: rowrunner-fault-proxy CONTROL_SOCKET [RECORD_FILE]. See control.hpp for what it
// can be told.

#include <signal.h>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <exception>

#include "chaos/proxy/control.hpp"

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: rowrunner-fault-proxy CONTROL_SOCKET [RECORD_FILE]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  try {
    boost::asio::io_context io(1);
    const rowrunner::chaos::control commands(io, argv[1], argc > 2 ? argv[2] : "");
    std::puts("ready");
    std::fflush(stdout);
    io.run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rowrunner-fault-proxy: %s\n", e.what());
    return 1;
  }
  return 0;
}
