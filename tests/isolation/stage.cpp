#include "isolation/stage.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <deque>
#include <set>
#include <stdexcept>

#include "common/pg/result.hpp"
#include "isolation/statements.hpp"

namespace rowrunner::testing {

namespace {

constexpr int most_sessions = 3;

/// What is left behind: every job with its attempts and its lease, and what has been kept of it.
constexpr const char* what_became = R"sql(
SELECT string_agg(
  j.name || ' ' || j.status || ' ' || j.attempts
  || CASE WHEN j.status = 'processing' THEN ' under ' || j.lease ELSE '' END
  || CASE WHEN j.status = 'processing' AND l.expires_at < now() THEN ' (expired)' ELSE '' END
  || CASE WHEN c.job_id IS NOT NULL AND j.status = 'processing' THEN ', asked to cancel' ELSE '' END
  || CASE WHEN s.job_id IS NOT NULL THEN ', step' ELSE '' END
  || CASE (SELECT count(*) FROM step_effects e WHERE e.job_id = j.id) - (s.job_id IS NOT NULL)::int
     WHEN 0 THEN '' ELSE ', EFFECTS DO NOT MATCH THE STEP' END
  || CASE WHEN w.child_id IS NOT NULL THEN ', waits for ' || coalesce(
       (SELECT string_agg(right(e.parent_id::text, 1), '' ORDER BY e.parent_id) FROM rowrunner.edges e
        WHERE e.child_id = j.id), 'none') ELSE '' END
  || CASE WHEN p.job_id IS NOT NULL THEN ', progress ' || p.done ELSE '' END, '; ' ORDER BY j.name)
FROM test_jobs j
LEFT JOIN rowrunner.leases l ON l.lease = j.lease
LEFT JOIN rowrunner.cancellations c ON c.lease = j.lease AND c.job_id = j.id
LEFT JOIN rowrunner.steps s ON s.job_id = j.id
LEFT JOIN rowrunner.progress p ON p.job_id = j.id
LEFT JOIN rowrunner.waits w ON w.child_id = j.id
)sql";

constexpr const char* clean_up = R"sql(
DELETE FROM test_jobs; DELETE FROM history; DELETE FROM effects; DELETE FROM step_effects; DELETE FROM rowrunner.queue;
DELETE FROM rowrunner.delayed; DELETE FROM rowrunner.leases; DELETE FROM rowrunner.cancellations;
DELETE FROM rowrunner.waits; DELETE FROM rowrunner.edges; DELETE FROM rowrunner.join_candidates;
)sql";

}  // namespace

/// One session and where it is in its transaction.
class stage::actor {
 public:
  explicit actor(const std::string& url) : connection_(PQconnectdb(url.c_str()), PQfinish) {
    if (PQstatus(raw()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(raw()));
  }

  int pid() const { return PQbackendPID(raw()); }
  bool busy() const { return busy_; }
  bool at_end() const { return !busy_ && next_step_ == part_->steps.size(); }
  std::string answer() const {
    std::string all;
    for (const auto& each : answers_) all += each;
    return all.empty() ? "-" : all;
  }
  const std::set<std::string>& errors() const { return errors_; }
  const transaction& part() const { return *part_; }

  void begin(const transaction& part) {
    part_ = &part;
    next_step_ = 0;
    answers_.clear();
    errors_.clear();
  }

  void take_step() {
    const auto& step = part_->steps[next_step_++];
    left_.assign(step.begin(), step.end());
    send_next();
  }

  /// Reads what has come, for at most this long. A step that is done is not busy any more.
  void listen(int at_most_ms) {
    pollfd socket{PQsocket(raw()), POLLIN, 0};
    poll(&socket, 1, at_most_ms);
    if (PQconsumeInput(raw()) != 1) throw std::runtime_error(PQerrorMessage(raw()));
    while (busy_ && PQisBusy(raw()) == 0) {
      const pg::result got(PQgetResult(raw()));
      if (got) {
        note(got);
      } else {
        busy_ = false;
        send_next();
      }
    }
  }

  /// Runs one command to its end.
  pg::result run(const command& one) {
    prepare(one);
    return checked(is_statement(one.statement) ? execute(one)
                                               : PQexec(raw(), one.statement.c_str()));
  }
  /// The same for a query of the test that is asked again and again.
  pg::result ask(const std::string& sql, const std::vector<std::string>& params = {}) {
    if (prepared_.insert(sql).second) {
      checked(PQprepare(raw(), sql.c_str(), sql.c_str(), 0, nullptr));
    }
    return checked(execute({sql, params}));
  }

 private:
  PGconn* raw() const { return connection_.get(); }

  static std::vector<const char*> values(const command& one) {
    std::vector<const char*> list;
    for (const auto& param : one.params) list.push_back(param.c_str());
    return list;
  }
  PGresult* execute(const command& one) {
    return PQexecPrepared(raw(), one.statement.c_str(), static_cast<int>(one.params.size()),
                          values(one).data(), nullptr, nullptr, 0);
  }
  /// Before any transaction needs it, since one that has failed could not.
  void prepare(const command& one) {
    if (!is_statement(one.statement) || !prepared_.insert(one.statement).second) return;
    checked(
        PQprepare(raw(), one.statement.c_str(), statement_text(one.statement).c_str(), 0, nullptr));
  }
  pg::result checked(PGresult* answer) {
    pg::result got(answer);
    if (got.status() != PGRES_TUPLES_OK && got.status() != PGRES_COMMAND_OK) {
      throw std::runtime_error(PQerrorMessage(raw()));
    }
    return got;
  }

  void send_next() {
    if (left_.empty()) return;
    const command one = left_.front();
    current_ = one;
    left_.pop_front();
    prepare(one);
    const int sent =
        is_statement(one.statement)
            ? PQsendQueryPrepared(raw(), one.statement.c_str(), static_cast<int>(one.params.size()),
                                  values(one).data(), nullptr, nullptr, 0)
            : PQsendQuery(raw(), one.statement.c_str());
    if (sent != 1) throw std::runtime_error(PQerrorMessage(raw()));
    busy_ = true;
  }

  void note(const pg::result& got) {
    if (got.status() == PGRES_FATAL_ERROR) {
      errors_.emplace(got.error_field(PG_DIAG_MESSAGE_PRIMARY));
      left_.clear();
      return;
    }
    const int column = PQfnumber(got.raw(), part_->answer_column.c_str());
    for (int row = 0; column >= 0 && row < got.rows(); ++row) {
      const std::string value{got.get(row, column)};
      answers_.insert(is_job_id(value) ? name_of_job(value) : value);
    }
    // A statement that answers the numbers of its jobs: here it is always about one.
    const int counted = PQfnumber(got.raw(), "counted");
    if (counted >= 0 && !got.is_null(0, counted)) {
      if (got.get(0, counted) != "{1}") throw std::runtime_error("there is no such job");
      answers_.insert(name_of_job(current_.params[0].substr(0, current_.params[0].size() - 1)));
    }
    if (part_->answer_column.empty() && got.affected() > 0) answers_.insert("kept");
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::set<std::string> prepared_;
  const transaction* part_ = nullptr;
  std::size_t next_step_ = 0;
  std::deque<command> left_;
  command current_;
  bool busy_ = false;
  /// In alphabetical order: that of the rows means nothing.
  std::multiset<std::string> answers_;
  std::set<std::string> errors_;
};

/// The order of one run, as a list of choices among the sessions that could act. The next order has
/// another last choice, if there is one, and the choices before it in common.
struct stage::schedule {
  struct choice {
    std::size_t taken, among;
  };
  std::vector<choice> choices;
  std::size_t at = 0;
  std::string text;

  std::size_t choose(std::size_t among) {
    if (at == choices.size()) choices.push_back({0, among});
    return choices[at++].taken;
  }
  bool next() {
    while (!choices.empty() && choices.back().taken + 1 == choices.back().among) choices.pop_back();
    if (choices.empty()) return false;
    ++choices.back().taken;
    at = 0;
    text.clear();
    return true;
  }
};

stage::stage() {
  for (int i = 0; i < most_sessions; ++i) actors_.push_back(std::make_unique<actor>(db.url()));
  director_ = std::make_unique<actor>(db.url());
  // What it asks after each order is estimated to be long, and compiling it would take longer.
  director_->run({"SET jit = off", {}});
  // A deadlock is a failure; it need not be waited for.
  for (const auto& each : actors_) each->run({"SET deadlock_timeout = '100ms'", {}});
}

stage::~stage() = default;

void stage::run(const command& one) { director_->run(one); }

outcomes stage::play(const std::function<void()>& set_up, const std::vector<transaction>& cast) {
  outcomes found;
  playing_ = cast.size();
  schedule order;
  do {
    set_up();
    for (std::size_t i = 0; i < cast.size(); ++i) actors_[i]->begin(cast[i]);
    ++found[play_once(order)];
    director_->run({clean_up, {}});
  } while (order.next());
  return found;
}

std::string stage::play_once(schedule& order) {
  for (;;) {
    std::vector<actor*> free;
    bool all_ended = true;
    for (std::size_t i = 0; i < playing_; ++i) {
      all_ended = all_ended && actors_[i]->at_end();
      if (!actors_[i]->busy() && !actors_[i]->at_end()) free.push_back(actors_[i].get());
    }
    if (all_ended) break;
    if (!free.empty()) {
      auto& next = *free[order.choose(free.size())];
      order.text += (order.text.empty() ? "" : " ") + next.part().name;
      next.take_step();
    }
    settle();
  }
  std::string answers;
  for (std::size_t i = 0; i < playing_; ++i) {
    const auto& each = *actors_[i];
    answers += each.part().name + " " + each.answer() + ", ";
    for (const auto& error : each.errors()) ADD_FAILURE() << error << "\nin " << order.text;
  }
  answers.replace(answers.size() - 2, 2, " → ");
  const auto wrong = director_->ask("SELECT what FROM violations");
  for (int row = 0; row < wrong.rows(); ++row) {
    ADD_FAILURE() << wrong.get(row, 0) << "\nin " << order.text;
  }
  return answers + std::string{director_->ask(what_became).get(0, 0)};
}

/// Waits until each session that acts has done its step or waits for a lock; looks again at all of
/// them whenever one has moved, as it may have let others go on. If no session is left that could
/// act, it is a deadlock, and PostgreSQL ends it.
void stage::settle() {
  for (bool again = true; again;) {
    again = false;
    bool one_waits = false, one_free = false;
    for (std::size_t i = 0; i < playing_; ++i) {
      auto& each = *actors_[i];
      if (each.busy()) {
        each.listen(2);
        while (each.busy() && !is_blocked(each)) each.listen(2);
        again = again || !each.busy();
      }
      one_waits = one_waits || each.busy();
      one_free = one_free || (!each.busy() && !each.at_end());
    }
    again = again || (one_waits && !one_free);
  }
}

bool stage::is_blocked(const actor& one) {
  std::string others = "{";
  for (const auto& each : actors_) others += std::to_string(each->pid()) + ",";
  others.back() = '}';
  return director_
      ->ask("SELECT pg_isolation_test_session_is_blocked($1::int, $2::int[])",
            {std::to_string(one.pid()), others})
      .get_bool(0, 0);
}

}  // namespace rowrunner::testing
