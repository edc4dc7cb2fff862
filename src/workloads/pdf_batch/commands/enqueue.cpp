#include "workloads/pdf_batch/enqueue.hpp"

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command/database.hpp"
#include "command/enqueue_command.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "workloads/pdf_batch/commands/commands.hpp"

namespace rowrunner::pdf_batch {
namespace {

struct enqueue_options {
  std::string file;
  std::optional<std::string> user;
};

std::string read_whole(std::istream& from) {
  // One byte more than is allowed shows that there is too much.
  std::string out(max_message + 1, '\0');
  from.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(from.gcount()));
  return out;
}

std::string read_message_file(const std::string& name) {
  if (name == "-") return read_whole(std::cin);
  std::ifstream file(name, std::ios::binary);
  std::string out = file ? read_whole(file) : std::string();
  // A folder opens, but cannot be read.
  if (!file.is_open() || file.bad() || (out.empty() && !file.eof())) {
    throw std::runtime_error("cannot read " + one_line(name, 200));
  }
  return out;
}

message parse_named(const std::string& name) {
  const auto text = read_message_file(name);
  try {
    return parse_message(text);
  } catch (const bad_input& error) {
    throw bad_input((name == "-" ? "stdin" : one_line(name, 200)) + ": " +
                    one_line(error.what(), 500));
  }
}

void enqueue_file(const command_context& context, const enqueue_options& options) {
  const message given = parse_named(options.file);
  const auto add = [&](pg::session& session) {
    return options.user ? enqueue(session, given, options.user)
                        : enqueue_for_anyone(session, given);
  };
  const auto result = with_database(context, add);
  if (result == enqueue_result::other_user) {
    throw std::runtime_error("job " + given.job_id + " exists, and is another user's");
  }
  if (result == enqueue_result::other_file) {
    throw std::runtime_error("job " + given.job_id +
                             " exists with another pdf_path; nothing was changed");
  }
  const bool created = result == enqueue_result::created;
  if (context.json) {
    std::cout << nlohmann::ordered_json{{"job_id", given.job_id},
                                        {"pdf_path", given.pdf_path},
                                        {"result", created ? "created" : "unchanged"}}
              << '\n';
  } else {
    std::cout << "job " << given.job_id << (created ? " is enqueued\n" : " exists already\n");
  }
}

}  // namespace

void add_enqueue_command(CLI::App& app, command_context& context) {
  auto* command = enqueue_command(app).add_subcommand("pdf-batch", "The analysis of a PDF file");
  auto options = std::make_shared<enqueue_options>();
  command
      ->add_option("MESSAGE", options->file,
                   "A JSON file with job_id and pdf_path, a path in the storage; - reads stdin")
      ->required();
  command->add_option("--user", options->user, "Whose job it is");
  command->footer(
      "The same message again changes nothing.\n"
      "\n"
      "Example:\n"
      "  echo '{\"job_id\": \"test-1\", \"pdf_path\": \"test.pdf\"}' | rowrunner enqueue pdf-batch "
      "-");
  command->callback([&context, options] {
    context.action = [&context, options] { enqueue_file(context, *options); };
  });
}

}  // namespace rowrunner::pdf_batch
