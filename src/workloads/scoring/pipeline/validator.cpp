#include "workloads/scoring/pipeline/next_step.hpp"
#include "workloads/scoring/pipeline/pipeline.hpp"
#include "workloads/scoring/question_board.hpp"

namespace rowrunner::scoring {

namespace {

asio::awaitable<checked_answer> check_elsewhere(pipeline& all, const answer_check& check,
                                                const std::string& text) {
  const auto work = [&check, &text] { return check.check(text); };
  co_return co_await result_of<checked_answer>(all.parts.cpu, work);
}

/// Only an answer that passed is kept for others; a fallback is not.
void keep_answer(pipeline& all, const task_payload& task, const validation_result& result) {
  known_answer kept{result.scores, result.provider, result.model};
  if (all.held_keys.erase(task.cache_key) > 0) all.parts.questions->keep(task.cache_key, kept);
}

asio::awaitable<void> write_result(pipeline& all, task_payload task, checked_answer answer) {
  const bool good = answer.good();
  auto item = item_of(task);
  item.result.scores = std::move(answer.scores);
  item.result.provider = all.parts.model.provider();
  item.result.model = all.parts.model.name();
  if (good) {
    keep_answer(all, task, item.result);
  } else {
    all.give_up_question(task);
  }
  co_await all.writer.push(std::move(item));
  all.task_ended();
}

asio::awaitable<void> validate(pipeline& all, pipeline::answered_task item) {
  auto& [task, answer] = item;
  checked_answer checked;
  if (answer.kind == reply_kind::answered) {
    const auto& check = *all.checks[static_cast<std::size_t>(task.block_index)];
    checked = co_await check_elsewhere(all, check, answer.text);
  }
  const auto next =
      after_reply(answer.kind, checked.good(), checked.usable(), task.retry_count, all.plan.config);
  const auto& wrong = answer.kind == reply_kind::answered ? checked.mistake : answer.text;
  switch (next) {
    case next_step::write:
    case next_step::fall_back:
      co_return co_await write_result(all, std::move(task), std::move(checked));
    case next_step::ask_again: {
      const auto pause = retry_pause(answer.kind, task.retry_count, answer.after);
      all.waiting.put(std::move(task).retry(wrong), std::chrono::steady_clock::now() + pause);
      co_return;
    }
    case next_step::wait:
      all.waiting.put(std::move(task), std::chrono::steady_clock::now());
      co_return;
    case next_step::stop:
      all.stop(wrong, true);
      co_return co_await drop_task(all, std::move(task));
    case next_step::fail:
      co_return co_await fail_task(all, std::move(task), wrong);
  }
}

}  // namespace

asio::awaitable<void> run_validator(std::shared_ptr<pipeline> all) {
  while (auto item = co_await all->validation.pop()) {
    co_await validate(*all, std::move(*item));
  }
  if (--all->validators_left == 0) all->writer.close();
}

}  // namespace rowrunner::scoring
