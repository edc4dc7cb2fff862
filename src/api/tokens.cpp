#include "api/tokens.hpp"

#include "admin/utc.hpp"
#include "api/secret.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

token_entry read_token(const pg::result& rows, int row) {
  token_entry out;
  out.id = rows.get_int(row, 0);
  out.user = rows.get(row, 1);
  out.role = rows.get(row, 2);
  out.name = rows.get(row, 3);
  out.created_at = admin::utc_text(std::string(rows.get(row, 4)));
  if (!rows.is_null(row, 5)) out.revoked_at = admin::utc_text(std::string(rows.get(row, 5)));
  return out;
}

}  // namespace

asio::awaitable<new_token> add_token(pg::session& session, std::string user, std::string role,
                                     std::string name) {
  const auto secret = new_secret();
  const auto hash = hash_of(secret);
  const auto insert = [&](admin::transaction& tx) {
    return tx.run(queries::token_add, hash, user, role, name);
  };
  const auto added = co_await admin::in_transaction(session, insert);
  new_token out;
  out.id = added.get_int(0, 0);
  out.text = key_text(token_prefix, out.id, secret);
  co_return out;
}

asio::awaitable<std::vector<token_entry>> list_tokens(pg::session& session) {
  const auto read = [](admin::transaction& tx) -> asio::awaitable<pg::result> {
    co_await admin::set_up_reading(tx);
    co_return co_await tx.run(queries::token_list);
  };
  const auto rows = co_await admin::in_transaction(session, read);
  std::vector<token_entry> out;
  for (int row = 0; row < rows.rows(); ++row) out.push_back(read_token(rows, row));
  co_return out;
}

asio::awaitable<bool> revoke_token(pg::session& session, std::int64_t id) {
  const auto revoke = [&](admin::transaction& tx) { return tx.run(queries::token_revoke, id); };
  const auto revoked = co_await admin::in_transaction(session, revoke);
  co_return revoked.rows() == 1;
}

}  // namespace rowrunner::api
