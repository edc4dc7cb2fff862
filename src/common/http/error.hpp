#pragma once

#include <stdexcept>
#include <string>

namespace rowrunner::http {

enum class error_kind {
  bad_url,      ///< Not an http or https URL that can be asked.
  bad_request,  ///< A method or header that must not be sent.
  resolve,      ///< The host name has no address.
  connect,      ///< No connection to any address of the host.
  tls,          ///< The server's certificate, or the TLS handshake.
  timeout,      ///< The connection or the answer took too long.
  too_large,    ///< The answer's header or body is beyond its limit.
  protocol,     ///< The answer is not HTTP.
  truncated,    ///< The connection ended before the answer did.
  redirect,     ///< Too many redirects.
  refused,      ///< The address policy forbids it, or a redirect leads from https to http.
  no_answer,    ///< All that guarded_client tells of a request that got no answer.
};

/// True if the same request may well succeed later.
bool is_temporary(error_kind kind) noexcept;

/// No answer could be had. An answer with any status is not an error. The message is one line that
/// names the server, but no path, query, header or credentials: all of them may hold secrets.
struct error : std::runtime_error {
  error(error_kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}

  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
};

}  // namespace rowrunner::http
