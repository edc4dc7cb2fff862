#include <iostream>
#include <nlohmann/json.hpp>

#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/text.hpp"
#include "workloads/webhooks/commands/commands.hpp"
#include "workloads/webhooks/delivery_list.hpp"

namespace rowrunner::webhooks {
namespace {

using nlohmann::ordered_json;

constexpr int sent_at_a_time = 1'000;

struct webhook_flags {
  std::string id;
  std::optional<std::string> url;
  std::optional<std::string> source;
  int limit = 50;
  bool retrying = false;
  bool all = false;
};

delivery_filter filter_of(const webhook_flags& flags) {
  delivery_filter out;
  out.url = flags.url;
  out.source = flags.source;
  out.limit = flags.limit;
  if (out.url) check_text("--url", *out.url);
  if (out.source) check_text("--source", *out.source);
  return out;
}

void check_id(const std::string& id) {
  if (!is_uuid(id)) throw usage_error("'" + printable(id, 60) + "' is not the id of a delivery");
}

void print(const std::vector<listed_delivery>& all, bool retrying) {
  if (all.empty()) {
    std::cout << (retrying ? "no delivery waits for another try\n" : "everything was delivered\n");
    return;
  }
  using align = text_table::align;
  text_table table({{"ID"},
                    {"EVENT"},
                    {"ABOUT"},
                    {"TRIES", align::right},
                    {retrying ? "NEXT TRY" : "FAILED"},
                    {"RECEIVER"},
                    {"ERROR"}});
  for (const auto& each : all) {
    table.add({each.id, one_line(each.event, 20), one_line(each.source.value_or("-"), 40),
               std::to_string(each.attempts), each.at.value_or("-").substr(0, 19),
               one_line(each.url, 50), one_line(each.error.value_or("-"), 100)});
  }
  table.print(std::cout);
}

void list(const command_context& context, const webhook_flags& flags) {
  const auto work = [&](pg::session& session) {
    return flags.retrying ? retrying_deliveries(session, filter_of(flags))
                          : failed_deliveries(session, filter_of(flags));
  };
  const auto found = with_database(context, work);
  if (!context.json) return print(found, flags.retrying);
  ordered_json items = ordered_json::array();
  for (const auto& each : found) items.push_back(to_json(each));
  std::cout << ordered_json{{"deliveries", items}} << '\n';
}

void show(const command_context& context, const webhook_flags& flags) {
  check_id(flags.id);
  const auto work = [&](pg::session& session) { return find_delivery(session, flags.id); };
  const auto found = with_database(context, work);
  if (!found) throw std::runtime_error("there is no delivery " + flags.id);
  const auto text = to_json(*found);
  std::cout << (context.json ? text.dump() : visible(text.dump())) << '\n';
}

std::int64_t send_all(const command_context& context, const webhook_flags& flags) {
  auto filter = filter_of(flags);
  filter.limit = sent_at_a_time;
  const auto work = [&](pg::session& session) { return send_failed_again(session, filter); };
  std::int64_t sent = 0;
  for (;;) {
    const auto some = with_database(context, work);
    sent += some;
    if (some < sent_at_a_time) return sent;
  }
}

void send(const command_context& context, const webhook_flags& flags) {
  if (flags.all == !flags.id.empty()) {
    throw usage_error("webhooks send-again takes either an ID or --all");
  }
  std::int64_t sent = 1;
  if (flags.all) {
    sent = send_all(context, flags);
  } else {
    check_id(flags.id);
    const auto work = [&](pg::session& session) { return send_again(session, flags.id); };
    with_database(context, work);
  }
  if (context.json) {
    std::cout << ordered_json{{"sent", sent}} << '\n';
  } else {
    std::cout << sent << (sent == 1 ? " delivery is" : " deliveries are") << " queued again\n";
  }
}

void add_filters(CLI::App& command, const std::shared_ptr<webhook_flags>& flags) {
  command.add_option("--url", flags->url, "Only those for this receiver");
  command.add_option("--source", flags->source, "Only those about this, such as a relay job");
}

}  // namespace

void add_commands(CLI::App& app, command_context& context) {
  auto* webhooks = app.add_subcommand("webhooks", "What was not delivered: list, show, send-again");
  webhooks->require_subcommand(0, 1);
  auto flags = std::make_shared<webhook_flags>();

  auto* list_command = webhooks->add_subcommand("list", "Deliveries that were given up");
  add_filters(*list_command, flags);
  list_command->add_option("--limit", flags->limit, "At most so many (default 50)")
      ->check(CLI::Range(1, 10'000));
  list_command->add_flag("--retrying", flags->retrying,
                         "Instead: those that have failed and will be tried again");
  list_command->callback(
      [&context, flags] { context.action = [&context, flags] { list(context, *flags); }; });

  auto* show_command = webhooks->add_subcommand("show", "A delivery with the receiver's answer");
  show_command->add_option("ID", flags->id, "The id that list shows")->required();
  show_command->callback(
      [&context, flags] { context.action = [&context, flags] { show(context, *flags); }; });

  auto* send_command =
      webhooks->add_subcommand("send-again", "Send once more, under the same event id");
  send_command->add_option("ID", flags->id, "One delivery, whether it was given up or not");
  send_command->add_flag("--all", flags->all, "All that were given up");
  add_filters(*send_command, flags);
  send_command->callback(
      [&context, flags] { context.action = [&context, flags] { send(context, *flags); }; });

  webhooks->footer(
      "Examples:\n"
      "  rowrunner webhooks list\n"
      "  rowrunner webhooks list --retrying --url https://example.com/hook\n"
      "  rowrunner webhooks send-again --all");
}

}  // namespace rowrunner::webhooks
