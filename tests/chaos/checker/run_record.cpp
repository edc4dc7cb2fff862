#include "chaos/checker/run_record.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace rowrunner::chaos {
namespace {

/// Takes a line apart word by word.
class words_of {
 public:
  explicit words_of(const std::string& text) : text_(text), from_(text) {}

  std::string next() {
    std::string word;
    if (!(from_ >> word)) throw std::runtime_error("a line is cut off: " + text_);
    return word;
  }
  template <typename Number>
  Number number() {
    Number value{};
    if (!(from_ >> value)) throw std::runtime_error("a line has no number: " + text_);
    return value;
  }
  std::string rest() {
    std::string found;
    std::getline(from_ >> std::ws, found);
    return found;
  }

 private:
  const std::string& text_;
  std::istringstream from_;
};

std::vector<std::string> fields_of(const std::string& text) {
  std::vector<std::string> found(1);
  for (const char c : text) {
    if (c == '\t') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

std::optional<std::int64_t> number_or_none(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return std::stoll(text);
}

transition read_transition(const std::vector<std::string>& f, const std::string& text) {
  transition t;
  t.text = text;
  t.n = std::stoll(f.at(1));
  t.txid = std::stoll(f.at(2));
  t.at = std::stoll(f.at(3));
  t.kind = f.at(4);
  t.job_id = f.at(5);
  t.before = f.at(6);
  t.after = f.at(7);
  t.old_lease = number_or_none(f.at(8));
  t.new_lease = number_or_none(f.at(9));
  t.old_attempts = std::stoi(f.at(10));
  t.new_attempts = std::stoi(f.at(11));
  t.worker = f.at(12);
  t.error = f.at(13);
  return t;
}

join_row read_join(const std::vector<std::string>& f, const std::string& text) {
  join_row j;
  j.text = text;
  j.n = std::stoll(f.at(1));
  j.txid = std::stoll(f.at(2));
  j.at = std::stoll(f.at(3));
  j.what = f.at(4);
  j.child_id = f.at(5);
  j.parent_id = f.at(6);
  j.policy = f.at(7);
  j.at_latest = number_or_none(f.at(8));
  j.snapshot = f.at(9);
  return j;
}

job_row read_job(const std::vector<std::string>& f) {
  return {f.at(1),
          f.at(2),
          f.at(3),
          f.at(4),
          std::stoi(f.at(5)),
          std::stoi(f.at(6)),
          f.at(7),
          std::stoll(f.at(8))};
}

/// Of what a job did with its steps; false if it is about something else.
bool read_step_line(const std::vector<std::string>& f, run_record& into) {
  if (f.front() == "step") {
    into.steps.push_back({f.at(1), f.at(2), std::stoll(f.at(3)), number_or_none(f.at(4)),
                          std::stoll(f.at(5)), std::stoll(f.at(6))});
  } else if (f.front() == "page") {
    into.pages.push_back({f.at(1), f.at(2), std::stoll(f.at(3)), std::stoll(f.at(4))});
  } else if (f.front() == "progress") {
    into.progress.push_back({f.at(1), std::stoll(f.at(2)), f.at(3)});
  } else {
    return false;
  }
  return true;
}

bool is_enqueue(const std::string& event) {
  return event == "enqueue" || event == "enqueued" || event == "existed" || event == "refused" ||
         event == "unknown";
}

using line_reader = std::function<void(const std::string&, run_record&)>;

void read_file(const std::filesystem::path& path, const std::vector<std::string>& secrets,
               const line_reader& read, run_record& into) {
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    for (const auto& secret : secrets) {
      if (text.find(secret) != std::string::npos) into.leaks.push_back(path.filename().string());
    }
    if (read) read(text, into);
  }
}

}  // namespace

const std::string& runner_line::word(std::size_t n) const {
  static const std::string none;
  return n < words.size() ? words[n] : none;
}

bool transition::rescues() const {
  if (!leaves_processing() || !error.starts_with("worker ") || !error.ends_with(" was lost")) {
    return false;
  }
  // A job that is released keeps the error of an earlier loss.
  return charged() == 1 || (after == "queued" && error == "worker " + worker + " was lost");
}

bool terminal(const std::string& status) {
  return status == "succeeded" || status == "failed" || status == "cancelled";
}

void read_history_line(const std::string& text, run_record& into) {
  words_of words(text);
  const auto at = words.number<moment>();
  const auto who = words.next();
  const auto event = words.next();
  if (who == "runner" || who == "watcher") {
    runner_line found{{at, text}, event, {}};
    std::istringstream rest(words.rest());
    for (std::string word; rest >> word;) found.words.push_back(word);
    if (event == "settings") into.seed = std::stoull(found.word(0));
    into.runner.push_back(std::move(found));
  } else if (is_enqueue(event)) {
    enqueue_line found{{at, text}, event, words.next(), words.next(), {}};
    found.detail = words.rest();
    into.enqueues.push_back(std::move(found));
  } else {
    execution_line found{{at, text}, who, event, words.next(), 0, 0, {}};
    found.attempt = words.number<int>();
    found.lease = words.number<std::int64_t>();
    found.detail = words.rest();
    into.executions.push_back(std::move(found));
  }
}

void read_proxy_line(const std::string& text, run_record& into) {
  words_of words(text);
  cut_line found;
  found.at = words.number<moment>();
  found.text = text;
  found.link = words.next();
  found.what = words.next();
  found.way = words.next();
  found.commits = words.next() == "commit";
  found.statements = words.rest();
  into.cuts.push_back(std::move(found));
}

void read_outside_line(const std::string& text, run_record& into) {
  words_of words(text);
  const auto at = words.number<moment>();
  outside_line found{{at, text}, words.next(), {}};
  found.answer = words.rest();
  into.outside.push_back(std::move(found));
}

void read_worker_log_line(const std::string& text, run_record& into) {
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_object()) return;  // not a line of the logger
  const auto message = parsed.value("message", "");
  if (message == "worker started") {
    into.started.push_back(parsed.value("worker", ""));
  } else if (message.starts_with("fenced:")) {
    fenced_line found{{0, text}, parsed.value("worker", ""), parsed.value("job", ""), 0};
    found.lease = parsed.value("lease", std::int64_t{0});
    into.fenced.push_back(std::move(found));
  }
}

void read_database_line(const std::string& text, run_record& into) {
  const auto f = fields_of(text);
  if (f.front() == "transition") {
    into.transitions.push_back(read_transition(f, text));
  } else if (f.front() == "job") {
    into.jobs.push_back(read_job(f));
  } else if (f.front() == "join") {
    into.joins.push_back(read_join(f, text));
  } else if (f.front() == "deleted") {
    into.deleted.push_back({f.at(1), std::stoll(f.at(2)), std::stoll(f.at(3))});
  } else if (f.front() == "effect") {
    into.effects.push_back({f.at(1), std::stoll(f.at(2)), std::stoll(f.at(3))});
  } else if (f.front() == "charge") {
    into.charges.push_back({f.at(1)});
  } else if (f.front() == "disagreement") {
    into.disagreements.push_back({f.at(1), f.at(2), f.at(3), f.at(4)});
  } else if (f.front() == "picture") {
    into.pictures.push_back({f.at(1), f.at(2), f.at(3)});
  } else if (!read_step_line(f, into)) {
    throw std::runtime_error("a line of no known table: " + text);
  }
}

run_record read_run(const std::string& folder, const std::vector<std::string>& secrets) {
  const std::filesystem::path home(folder);
  run_record all;
  read_file(home / "history.log", secrets, read_history_line, all);
  read_file(home / "proxy.log", secrets, read_proxy_line, all);
  read_file(home / "outside.log", secrets, read_outside_line, all);
  read_file(home / "database.tsv", secrets, read_database_line, all);
  for (const auto& log : std::filesystem::directory_iterator(home / "workers")) {
    read_file(log.path(), secrets, read_worker_log_line, all);
  }
  const auto by_time = [](const line& a, const line& b) { return a.at < b.at; };
  std::stable_sort(all.executions.begin(), all.executions.end(), by_time);
  std::stable_sort(all.runner.begin(), all.runner.end(), by_time);
  return all;
}

}  // namespace rowrunner::chaos
