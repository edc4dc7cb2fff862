#include "simulator/replica.hpp"

#include <algorithm>

namespace rowrunner::limits::testing {
namespace {

constexpr int always_waiting = 20;
/// The database's clock is not the world's.
constexpr instant database_offset{1'800'000'000'234'567};

}  // namespace

bool world::database_away() const {
  const double at = in_seconds(time.now());
  return std::any_of(of.outages.begin(), of.outages.end(),
                     [&](const auto& each) { return at >= each.first && at < each.second; });
}

replica::replica(world& in, int number, instant leaves)
    : in_(in),
      name_("replica" + std::to_string(100 + number)),
      leaves_(leaves),
      skew_(seconds_from(in.of.skew * (2 * in.uniform() - 1))),
      pace_(1 + in.of.drift * (2 * in.uniform() - 1)),
      door_(name_, in.of.known),
      plan_(in.uniform()) {
  door_.set_waiting(always_waiting);
}

instant replica::local() const { return skew_ + seconds_from(in_seconds(in_.time.now()) * pace_); }

instant replica::in_world(instant of_database) const {
  return seconds_from(in_seconds(clock_.local(of_database) - skew_) / pace_);
}

void replica::wake_at(instant of_database) {
  const auto when = std::max(in_world(of_database), in_.time.now() + instant(500));
  if (next_wake_ > in_.time.now() && next_wake_ <= when) return;
  next_wake_ = when;
  in_.time.at(when, [this] { step(); });
}

void replica::step() {
  if (in_.time.now() >= leaves_) return;
  pump();
  if (busy_) return;
  schedule::action chosen{schedule::what::report, {}, 0};
  if (clock_.known()) {
    const auto at = epoch_of(now());
    chosen = plan_.next({now(), door_.has_plan(at), door_.has_plan(at + 1),
                         !reported_ || door_.block_to_store().has_value()});
  }
  if (chosen.todo == schedule::what::wait) {
    wake_at(chosen.until);
  } else {
    perform(chosen);
  }
}

void replica::pump() {
  if (!clock_.known()) return;
  while (const auto ticket = door_.take(now(), static_cast<std::int64_t>(in_.of.tokens_per_call))) {
    call(*ticket);
  }
  if (const auto chance = door_.next_chance(now())) wake_at(*chance);
}

void replica::call(std::int64_t ticket) {
  const auto sent = in_.time.now();
  auto answer = in_.service.call(sent);
  auto& second = in_.seen.seconds.at(static_cast<std::size_t>(epoch_of(sent)));
  ++second.sent;
  in_.seen.sent.push_back(sent);
  in_.seen.most_in_flight = std::max(in_.seen.most_in_flight, ++in_.in_flight);
  double takes = 0.1;
  if (answer.status == 429) {
    ++second.rejected;
    if (answer.retry_after && !in_.seen.first_block) in_.seen.first_block = sent;
  } else {
    takes = std::lognormal_distribution<double>(std::log(in_.of.latency), 0.4)(in_.random);
    // The estimate is what the caller said; the real cost differs.
    const double cost = in_.of.tokens_per_call * (0.5 + in_.uniform());
    in_.seen.tokens += cost;
    if (cost > 0) answer.tokens_used = static_cast<std::int64_t>(cost);
  }
  in_.time.after(seconds_from(takes), [this, ticket, answer] {
    --in_.in_flight;
    if (in_.time.now() >= leaves_) return;
    door_.answer(ticket, answer, now());
    step();
  });
}

/// By the seconds of the database's clock, as the process knows it.
void replica::count_statement() {
  const auto at = clock_.known() ? epoch_of(now()) : 0;
  statements_ = at == counted_ ? statements_ + 1 : 1;
  counted_ = at;
  in_.seen.most_statements = std::max(in_.seen.most_statements, statements_);
}

/// A statement takes a way there and a way back; either may be lost.
void replica::perform(const schedule::action& chosen) {
  busy_ = true;
  count_statement();
  if (clock_.known()) plan_.begun(chosen, now());
  const auto asked = local();
  const auto delay = [&] {
    const double slow = in_.uniform() < 0.01 ? 20 : 1;
    return seconds_from(in_.of.database_delay * (0.5 + in_.uniform()) * slow);
  };
  const bool reaches = in_.uniform() >= in_.of.lost;
  const bool returns = in_.uniform() >= in_.of.lost;
  const auto block = door_.block_to_store();
  said_ = door_.report(clock_.known() ? now() : instant{0});
  const auto back = delay();
  in_.time.after(delay(), [this, chosen, asked, reaches, returns, block, back] {
    const bool arrives = reaches && !in_.database_away();
    const auto told = in_.time.now() + database_offset;
    if (arrives) run_statement(chosen, block);
    in_.time.after(back, [this, chosen, asked, told, block, fine = arrives && returns] {
      busy_ = false;
      if (fine) {
        const bool first = !clock_.known();
        clock_.learn(asked, local(), told);
        if (first) plan_.begun(chosen, now());
        if (chosen.todo == schedule::what::report) {
          reported_ = true;
          if (block) door_.stored(*block);
        }
        learn_common();
      } else if (clock_.known()) {
        plan_.failed(now());
      }
      // The same pause as after a failure in production.
      in_.time.after(fine ? instant(0) : instant(250'000), [this] { step(); });
    });
  });
}

void replica::run_statement(const schedule::action& chosen, std::optional<instant> block) {
  const auto at = in_.time.now() + database_offset;
  switch (chosen.todo) {
    case schedule::what::report:
      in_.table.report(said_, block, at);
      break;
    case schedule::what::read:
      before_ = in_.table.newest_before(chosen.target);
      members_ = in_.table.members(at);
      break;
    case schedule::what::propose:
      if (!members_.empty()) {
        in_.table.propose(next_plan(before_, chosen.target, in_.of.known, members_, in_.of.rules));
      }
      break;
    default:
      break;
  }
  told_block_ = in_.table.blocked_until();
  told_plans_ = in_.table.plans_from(epoch_of(at));
}

void replica::learn_common() {
  door_.block(told_block_);
  for (const auto& each : told_plans_) {
    door_.adopt(each);
    const auto at = each.at - epoch_of(database_offset);
    if (at >= 0 && at < static_cast<epoch>(in_.seen.seconds.size())) {
      in_.seen.seconds[static_cast<std::size_t>(at)].planned = each.rate.rate;
    }
  }
}

}  // namespace rowrunner::limits::testing
