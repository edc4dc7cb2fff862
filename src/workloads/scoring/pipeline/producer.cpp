#include <algorithm>

#include "common/pg/array.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/cache_key.hpp"
#include "workloads/scoring/pipeline/pipeline.hpp"
#include "workloads/scoring/question_board.hpp"

namespace rowrunner::scoring {

namespace {

constexpr int page_rows = 100;

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

task_payload task_of(const pipeline& all, int row, int block_index, std::string utterance) {
  const auto& asked = all.plan.blocks[static_cast<std::size_t>(block_index)];
  return {all.chunk_name, row, block_index, asked->col_offset, std::move(utterance), asked};
}

/// There is nothing to ask about an empty cell: its scores are empty, too.
asio::awaitable<void> write_blank(pipeline& all, const task_payload& task) {
  written_item item{result_of_task(task)};
  item.result.scores.resize(task.asked->categories.size());
  co_await all.writer.push(std::move(item));
}

void hand_on_known(pipeline& all, const task_payload& task, const known_answer& answer) {
  written_item item{result_of_task(task)};
  item.result.scores = answer.scores;
  item.result.provider = answer.provider;
  item.result.model = answer.model;
  item.cache_hit = true;
  all.known.put(std::move(item));
}

/// When it is known whether there is an answer. The pipeline may be gone by then.
void settle_question(const std::weak_ptr<pipeline>& where, question_board& board,
                     const task_payload& task, const question_board::found& what) {
  const bool mine = !what.answer && what.failure.empty();
  const auto all = where.lock();
  if (!all) {
    if (mine) board.give_up(task.cache_key);
    return;
  }
  if (what.answer && what.answer->scores.size() == task.asked->categories.size()) {
    return hand_on_known(*all, task, *what.answer);
  }
  if (!what.failure.empty()) {
    all->stop("the cache cannot be read: " + what.failure, false);
    return all->task_ended();
  }
  if (mine) all->held_keys.insert(task.cache_key);
  all->waiting.put(task, std::chrono::steady_clock::now());
}

void look_up(const std::shared_ptr<pipeline>& all, task_payload task) {
  const auto& board = all->parts.questions;
  task.cache_key =
      cache_key(task.utterance, *task.asked, all->plan.system_prompt, all->parts.model);
  const auto key = task.cache_key;
  const std::weak_ptr<pipeline> where = all;
  board->request(
      key, [where, &board = *board, task = std::move(task)](const question_board::found& what) {
        settle_question(where, board, task, what);
      });
}

asio::awaitable<void> produce_row(std::shared_ptr<pipeline> whole, int row,
                                  const std::string& utterance,
                                  const std::vector<std::int64_t>& done) {
  auto& all = *whole;
  for (int index = 0; index < static_cast<int>(all.plan.blocks.size()); ++index) {
    if (std::find(done.begin(), done.end(), index) != done.end()) continue;
    auto task = task_of(all, row, index, utterance);
    if (is_blank(utterance)) {
      co_await write_blank(all, task);
      continue;
    }
    while (all.open >= all.most_open) co_await all.fewer_open.wait();
    if (all.stopping()) co_return;
    ++all.open;
    if (all.parts.questions) {
      look_up(whole, std::move(task));
    } else {
      co_await all.invoke.push(std::move(task));
    }
  }
}

}  // namespace

asio::awaitable<void> run_known(std::shared_ptr<pipeline> all) {
  while (auto item = co_await all->known.pop()) {
    co_await all->writer.push(std::move(*item));
    all->task_ended();
  }
  if (--all->validators_left == 0) all->writer.close();
}

asio::awaitable<void> run_producer(std::shared_ptr<pipeline> all) {
  int last = all->plan.row_start - 1;
  while (last < all->plan.row_end && !all->stopping()) {
    const auto page = co_await all->parts.engine.idempotent_query(
        all->self, std::string(queries::chunk_page.text), all->plan.run_id, std::to_string(last),
        std::to_string(all->plan.row_end), std::to_string(page_rows));
    if (page.rows.empty()) break;
    for (const auto& row : page.rows) {
      last = std::stoi(row.at(0).value_or("0"));
      const auto done = pg::read_int_array(row.at(2).value_or("{}"));
      co_await produce_row(all, last, row.at(1).value_or(""), done);
      if (all->stopping()) break;
    }
  }
  all->all_produced = true;
  if (all->open == 0) all->waiting.close();
}

}  // namespace rowrunner::scoring
