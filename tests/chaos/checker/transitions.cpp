// I2: each job enters a terminal state once and leaves it only by an explicit retry.
// I5: each claim has at most one outcome; attempts are bounded and charged once.

#include "chaos/behaviour.hpp"
#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

/// Walks along the transitions of one job and holds each against the one before.
class walk {
 public:
  walk(const evidence& about, const job_story& story, violations& into)
      : about_(about), story_(story), into_(into) {}

  void run() {
    for (const auto* each : story_.transitions) {
      check_chain(*each);
      if (terminal(each->before)) check_return(*each);
      if (each->claims()) check_claim(*each);
      if (each->leaves_processing()) check_outcome(*each);
      status_ = each->after;
      lease_ = each->new_lease;
      attempts_ = each->new_attempts;
      error_ = each->error;
    }
    const auto& row = *story_.row;
    if (row.status != status_ || row.attempts != attempts_) {
      blame("I5", "its row says otherwise than its last transition");
    }
    if (story_.deleted != nullptr) return;  // and with it what was noted of its attempts
    if (story_.charges < charged_ + noted_besides_ ||
        story_.charges > charged_ + noted_besides_ + maybe_noted_) {
      blame("I5", "charged " + std::to_string(charged_) + " times, noted " +
                      std::to_string(story_.charges) + " times");
    }
  }

 private:
  void blame(const char* invariant, const std::string& what) {
    into_.push_back({invariant, story_.row->name, what, lines_of(story_)});
  }

  void check_chain(const transition& t) {
    if (t.before != status_ || t.old_lease != lease_ || t.old_attempts != attempts_) {
      blame("I5", "its transitions do not follow from each other");
    }
  }

  void check_return(const transition& t) {
    const auto* asked = about_.event_about("requeue", story_.row->name);
    if (t.after != "queued" || asked == nullptr || ++returns_ > requeues()) {
      blame("I2", "it left " + t.before + " for " + t.after + " though no retry was asked for");
    }
  }

  int requeues() const {
    return static_cast<int>(about_.events_about("requeue", story_.row->name).size());
  }

  void check_claim(const transition& t) {
    if (t.before != "queued") blame("I5", "it was claimed while it was " + t.before);
    if (!t.new_lease) blame("I3", "it was claimed without a lease");
    if (t.charged() != 0) blame("I5", "a claim charged an attempt");
  }

  void check_outcome(const transition& t) {
    charged_ += t.charged();
    count_notes(t);
    const int most = story_.row->max_attempts;
    const bool may_be_free = t.after != "failed" || t.error.starts_with("cancelled");
    const bool may_cost = t.after != "succeeded";
    if (t.charged() != 1 && !(t.charged() == 0 && may_be_free)) {
      blame("I5", "an outcome charged " + std::to_string(t.charged()) + " attempts");
    } else if (t.charged() == 1 && !may_cost) {
      blame("I5", "a success charged an attempt");
    }
    if (t.new_attempts > most) blame("I5", "more attempts than it may have");
    if (t.after == "queued" && t.charged() == 1 && t.new_attempts >= most) {
      blame("I5", "its attempts are spent and it was queued again");
    }
    const bool wanted = t.error.starts_with("seeded end") || t.error.starts_with("cancelled") ||
                        t.kind == "spot_image";
    if (t.after == "failed" && t.new_attempts < most && !wanted) {
      blame("I5", "it failed with attempts left");
    }
    if (t.after == "cancelled" && about_.event_about("cancel", story_.row->name) == nullptr) {
      blame("I2", "it was cancelled though that was not asked for");
    }
  }

  /// A lost worker is noted even if the job, which had stored a step, is not charged for it.
  void count_notes(const transition& t) {
    const bool pictures = t.kind == "spot_image";
    if (t.charged() != 0 || !(pictures || about_.stored_a_step(t.job_id, *t.old_lease))) return;
    if (t.rescues() && !pictures && t.error != error_) {
      ++noted_besides_;
    } else if (t.rescues() || t.error.starts_with("cancelled")) {
      ++maybe_noted_;  // or released, or cancelled by its own worker
    }
  }

  const evidence& about_;
  const job_story& story_;
  violations& into_;
  std::string status_ = "queued";
  std::optional<std::int64_t> lease_;
  int attempts_ = 0;
  int charged_ = 0;
  int noted_besides_ = 0;
  int maybe_noted_ = 0;
  std::string error_;
  int returns_ = 0;
};

}  // namespace

void check_transitions(const evidence& about, violations& into) {
  for (const auto& [id, story] : about.stories()) {
    if (story.row == nullptr) {
      into.push_back(
          {"I1", id, "something happened to a job that does not exist", lines_of(story)});
      continue;
    }
    walk(about, story, into).run();
  }
}

}  // namespace rowrunner::chaos
