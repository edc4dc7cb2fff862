#pragma once

#include <string>

#include "isolation/stage.hpp"

namespace rowrunner::testing {

/// The texts of db/queries as a worker of the kind `test` prepares them.
bool is_statement(const std::string& name);
std::string statement_text(const std::string& name);

/// The jobs of these tests are called by one letter each, with an id that ends in it.
std::string id_of_job(char name);
bool is_job_id(const std::string& text);
std::string name_of_job(const std::string& id);

/// How a claim ends its lease: an hour from now, or a second ago.
enum class lease_time { ample, expired };

/// What workers, rescuers and people do, each in a transaction of its own. The settings that a
/// worker sends first are left out: their lock timeouts would make the outcome a matter of time.
class repertoire {
 public:
  explicit repertoire(stage& on);

  /// Puts a waiting job there.
  void enqueue(char job, int max_attempts = 3);
  /// Runs a transaction as part of setting up.
  void done(const transaction& already);

  transaction claim(int lease, lease_time until = lease_time::ample, int jobs = 1) const;
  transaction claim_free(int lease, int jobs = 1) const;
  transaction heartbeat(int lease) const;
  transaction heartbeat_at_end(int lease) const;
  transaction rescue() const;
  transaction cancel(char job) const;
  transaction requeue(char job) const;
  /// Its row is deleted by hand.
  transaction remove(char job) const;

  // Joins. A run_after is answered 'refused' if its child has fired; see the test's add_parent.
  transaction fire() const;
  transaction run_after(char child, char parent) const;
  transaction cascade(char job) const;

  // Writes under a lease, about one job of it.
  transaction step(int lease, char job) const;
  transaction progress(int lease, char job) const;
  /// The last report, and the end.
  transaction last_progress(int lease, char job) const;
  transaction abandon(int lease) const;
  /// `last` removes the lease, in a step of its own.
  transaction succeed(int lease, char job, bool last = true) const;
  transaction fail(int lease, char job, bool last = true) const;
  transaction release(int lease, char job, bool last = true) const;
  transaction end_cancelled(int lease, char job, bool last = true) const;

  // What workers in other languages call.
  transaction call_succeed(int lease, char job) const;
  transaction call_fail(int lease, char job) const;
  transaction call_release(int lease, char job) const;
  transaction call_heartbeat(int lease) const;
  /// With its effects, if it was stored now.
  transaction call_add_step(int lease, char job) const;

 private:
  static transaction calling(const std::string& function, const std::string& arguments);
  static transaction ending(const std::string& name, int lease, bool last, command write,
                            const std::string& effect = {});

  stage& stage_;
  std::string kind_;
};

}  // namespace rowrunner::testing
