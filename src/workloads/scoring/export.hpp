#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "workloads/scoring/run_store.hpp"

namespace rowrunner::scoring {

/// Gets a file piece by piece.
using text_sink = std::function<void(std::string_view)>;

/// Reads one page on a session, which is lent for that page alone.
using page_reading = std::function<asio::awaitable<pg::result>(pg::session&)>;
using page_source = std::function<asio::awaitable<pg::result>(const page_reading&)>;

/// All pages on this session.
page_source pages_of(pg::session& session);

/// The sheet with its scores as CSV. What is not scored has empty cells.
asio::awaitable<void> export_csv(page_source pages, const stored_run& run, text_sink to);

/// The document's checkpoint.json: {"completed_blocks": ["12:0", …], "updated_at": …}.
asio::awaitable<void> export_checkpoint(page_source pages, std::string run_id, text_sink to);

/// The cache as the document's cache.json: {"<key>": {"value": …, "ts": …}, …}.
asio::awaitable<void> export_cache(pg::session& session, text_sink to);

}  // namespace rowrunner::scoring
