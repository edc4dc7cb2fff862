#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "chaos/proxy/protocol.hpp"

namespace rowrunner::chaos {

/// What a transaction consists of, as far as it went over the wire: each statement by its name, or
/// by its text if it has none, with its first parameters.
struct transaction {
  std::string statements;

  bool mentions(const std::string& text) const;
};

/// What a message means.
struct meaning {
  /// Towards the server: with this message the server commits. Towards the client: this message
  /// says that it has.
  bool commits = false;
  /// What is committed then.
  transaction about;
};

/// Follows one connection closely enough to know where its transactions commit, which is what a
/// fault has to hit to be of any use:
///
/// - statements of the extended protocol outside of BEGIN ... COMMIT are one transaction, which
///   ends at the Sync and is acknowledged by ReadyForQuery (the engine's claims and most of its
///   ends);
/// - an explicit COMMIT counts when it is executed, before its Sync, and is acknowledged by its
///   CommandComplete (ends with effects);
/// - a Query outside of a block commits by itself (libpqxx and psql).
class conversation {
 public:
  meaning from_client(const message& sent);
  meaning from_server(const message& answered);

 private:
  /// Between two points at which the server says ReadyForQuery.
  struct exchange {
    bool commits_at_end = false;
    bool executes_commit = false;
    bool refused = false;
    transaction about;
  };

  void note(const std::string& name, const std::string& text,
            const std::vector<std::string>& params);
  meaning run(const std::string& text);
  meaning end_of_exchange();

  std::map<std::string, std::string> statements_;
  /// The text that the last Bind of each portal will execute.
  std::map<std::string, std::string> portals_;
  bool in_block_ = false;
  bool anything_ran_ = false;
  exchange current_;
  transaction open_;
  std::deque<exchange> unanswered_;
};

}  // namespace rowrunner::chaos
