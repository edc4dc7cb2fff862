#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>

namespace rowrunner::http {

/// A context that trusts the system's authorities and those in `ca_file`, if any. Throws error
/// (tls) for a file that cannot be used.
std::shared_ptr<boost::asio::ssl::context> make_tls_context(const std::string& ca_file);

/// The host whose certificate must be shown.
void expect_peer(SSL* session, const std::string& host);

/// Why a handshake failed, in words.
std::string handshake_failure(SSL* session, const boost::system::error_code& failure);

}  // namespace rowrunner::http
