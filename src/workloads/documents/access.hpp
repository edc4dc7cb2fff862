#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "api/access.hpp"
#include "api/message.hpp"
#include "api/services.hpp"

namespace rowrunner::documents {

namespace asio = boost::asio;

/// A document is for its owner and for admins, as a job is.
bool may_see(const api::identity& who, const std::string& owner);

struct known_document {
  std::string id;
  std::string owner;
  std::string title;
  int pages = 0;
  std::string key;
};

/// The {document_id} of the path. Throws request_error: 404 "Document not found", 403 "Not
/// authorized".
asio::awaitable<known_document> require_document(api::services& with, const api::request& asked);

/// The {page} of the path, from 1 to the last one. Throws request_error: 404 "Page not found".
int page_of(const api::request& asked, const known_document& of);

api::request_error not_found(const std::string& what);
api::request_error not_authorized();

}  // namespace rowrunner::documents
