#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <vector>

#include "api/route.hpp"
#include "common/environment.hpp"
#include "workloads/documents/files.hpp"

namespace rowrunner::documents {

/// Documents over HTTP: uploads, their jobs, pages and searches, and what admins do.
std::vector<api::route> make_routes(const boost::asio::any_io_executor& executor,
                                    const environment& env);

using shared_files = std::shared_ptr<files>;

asio::awaitable<api::answer> upload_document(shared_files files, api::services& with,
                                             const api::request& asked);
asio::awaitable<api::answer> list_documents(api::services& with, const api::request& asked);
asio::awaitable<api::answer> show_document(api::services& with, const api::request& asked);
asio::awaitable<api::answer> show_pages(api::services& with, const api::request& asked);
asio::awaitable<api::answer> show_words(api::services& with, const api::request& asked);
asio::awaitable<api::answer> show_page_image(shared_files files, api::services& with,
                                             const api::request& asked);
asio::awaitable<api::answer> download_searchable(shared_files files, api::services& with,
                                                 const api::request& asked);
asio::awaitable<api::answer> search_documents(api::services& with, const api::request& asked);
asio::awaitable<api::answer> cancel_document_job(api::services& with, const api::request& asked);
asio::awaitable<api::answer> retry_document_job(api::services& with, const api::request& asked);
asio::awaitable<api::answer> show_document_queue(api::services& with, const api::request& asked);
asio::awaitable<api::answer> reprocess_document(api::services& with, const api::request& asked);

}  // namespace rowrunner::documents
