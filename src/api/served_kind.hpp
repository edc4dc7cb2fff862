#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"
#include "common/schema/kind_info.hpp"

namespace rowrunner::api {

namespace asio = boost::asio;

/// A kind with the columns by which jobs are found and belong to users. They are SQL, quoted by the
/// database; empty if there is none.
struct served_kind : kind_info {
  std::string owner;
  std::string public_id;
  std::string document;
  std::string job_type;
  std::string total_pages;
  std::string retry_count;
  std::string co_owner;

  /// The text of a query with {jobs} and these columns filled in.
  std::string fill_in(const query& statement) const;
};

boost::asio::awaitable<std::vector<served_kind>> read_served_kinds(admin::transaction& tx);
std::vector<served_kind> served_kinds_of(const pg::result& rows);

}  // namespace rowrunner::api
