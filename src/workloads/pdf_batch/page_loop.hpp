#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <rowrunner/job.hpp>
#include <vector>

namespace rowrunner::pdf_batch {

namespace asio = boost::asio;

/// The stored result of a step, if an earlier attempt has stored it.
asio::awaitable<std::optional<nlohmann::json>> stored_step(job& self, std::string name);

/// Analyses one page.
using analyse_body = std::function<asio::awaitable<nlohmann::json>(int page)>;

/// Analyses every page that has no step yet ("page 1" …), so many at a time, and reports each in
/// the document's words: the progress never falls. Gives all pages in their order. The first error
/// ends it, as a stage_error; a stop, a lost lease and failure::unavailable pass as they are.
asio::awaitable<std::vector<nlohmann::json>> analyse_pages(job& self, int total, int at_a_time,
                                                           analyse_body body);

}  // namespace rowrunner::pdf_batch
