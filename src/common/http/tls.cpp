#include "common/http/tls.hpp"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <boost/asio/ip/address.hpp>

#include "common/http/error.hpp"

namespace rowrunner::http {

namespace ssl = boost::asio::ssl;

std::shared_ptr<ssl::context> make_tls_context(const std::string& ca_file) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  context->set_verify_mode(ssl::verify_peer);
  boost::system::error_code failure;
  context->set_default_verify_paths(failure);
  if (failure) {
    throw error(error_kind::tls, "the system's certificates cannot be read: " + failure.message());
  }
  if (ca_file.empty()) return context;
  context->load_verify_file(ca_file, failure);
  if (failure) {
    throw error(error_kind::tls, ca_file + ": holds no certificates that can be read");
  }
  return context;
}

void expect_peer(SSL* session, const std::string& host) {
  X509_VERIFY_PARAM* checks = SSL_get0_param(session);
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  boost::system::error_code not_an_address;
  boost::asio::ip::make_address(host, not_an_address);
  int done = 1;
  if (not_an_address) {
    done = X509_VERIFY_PARAM_set1_host(checks, host.c_str(), host.size());
    // The macro casts in the old style.
    done &= static_cast<int>(SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME,
                                      TLSEXT_NAMETYPE_host_name, const_cast<char*>(host.c_str())));
  } else {
    done = X509_VERIFY_PARAM_set1_ip_asc(checks, host.c_str());
  }
  if (done != 1) throw error(error_kind::tls, "https://" + host + ": the name cannot be checked");
}

std::string handshake_failure(SSL* session, const boost::system::error_code& failure) {
  const long verdict = SSL_get_verify_result(session);
  if (verdict != X509_V_OK) {
    return std::string("the server's certificate is refused: ") +
           X509_verify_cert_error_string(verdict);
  }
  return "no TLS connection: " + failure.message();
}

}  // namespace rowrunner::http
