#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>

extern char** environ;

namespace rowrunner::testing {
namespace {

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  return {ends[0], ends[1]};
}

std::vector<std::string> merged(const process_environment& changes) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) {
      all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  for (const auto& [name, value] : changes) {
    all.erase(name);
    if (value) all.emplace(name, *value);
  }
  std::vector<std::string> out;
  for (const auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// In the child, where only async-signal-safe calls are allowed.
[[noreturn]] void become(char* const* argv, char* const* environment, const char* directory,
                         int out, int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The kernel continues the stopped processes of a group that is left by the shell it came from.
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (*directory == '\0' || chdir(directory) == 0) execvpe(argv[0], argv, environment);
  constexpr std::string_view message = "cannot be run\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  _exit(127);
}

}  // namespace

child_process::child_process(const std::vector<std::string>& argv,
                             const process_environment& environment, const std::string& directory) {
  std::vector<std::string> arguments = argv;
  std::vector<std::string> variables = merged(environment);
  const auto argument_pointers = pointers(arguments);
  const auto variable_pointers = pointers(variables);
  const pipe_ends out = make_pipe();
  const pipe_ends err = make_pipe();
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error(std::string("fork failed: ") + std::strerror(errno));
  if (pid_ == 0) {
    become(argument_pointers.data(), variable_pointers.data(), directory.c_str(), out.write,
           err.write);
  }
  close(out.write);
  close(err.write);
  reader_ = std::thread([this, out, err] { read(out.read, err.read); });
  reaper_ = std::thread([this] { reap(); });
}

child_process::~child_process() {
  kill(SIGKILL);
  reaper_.join();
  reader_.join();
}

void child_process::kill(int signal) {
  const std::lock_guard lock(mutex_);
  // Its number is its own until it is reaped, which happens under the same lock.
  if (!status_) ::kill(pid_, signal);
}

void child_process::reap() {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  const std::lock_guard lock(mutex_);
  int status = 0;
  waitpid(pid_, &status, 0);
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  changed_.notify_all();
}

void child_process::read(int out, int err) {
  std::array<pollfd, 2> sources{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  std::array<stream*, 2> streams{&out_, &err_};
  std::array<char, 65536> buffer{};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    if (poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].fd < 0 || sources[i].revents == 0) continue;
      const ssize_t length = ::read(sources[i].fd, buffer.data(), buffer.size());
      const std::lock_guard lock(mutex_);
      if (length > 0) {
        streams[i]->text.append(buffer.data(), static_cast<std::size_t>(length));
      } else {
        close(sources[i].fd);
        sources[i].fd = -1;
      }
      changed_.notify_all();
    }
  }
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::optional<int> child_process::wait(milliseconds at_most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, at_most, [&] { return status_ && closed_; });
  return status_;
}

std::optional<std::string> child_process::next_line(stream& from, const regex_t& wanted) {
  for (auto end = from.text.find('\n', from.looked_at); end != std::string::npos;
       end = from.text.find('\n', from.looked_at)) {
    std::string line = from.text.substr(from.looked_at, end - from.looked_at);
    from.looked_at = end + 1;
    if (regexec(&wanted, line.c_str(), 0, nullptr, 0) == 0) return line;
  }
  return std::nullopt;
}

std::optional<std::string> child_process::wait_for_output_line(const std::string& regex,
                                                               milliseconds at_most) {
  regex_t wanted{};
  if (regcomp(&wanted, regex.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    throw std::invalid_argument("not a regular expression: " + regex);
  }
  const std::unique_ptr<regex_t, decltype(&regfree)> owner(&wanted, &regfree);
  std::unique_lock lock(mutex_);
  std::optional<std::string> line;
  changed_.wait_for(lock, at_most, [&] {
    line = next_line(out_, wanted);
    if (!line) line = next_line(err_, wanted);
    return line || closed_;
  });
  return line;
}

std::string child_process::out() const {
  const std::lock_guard lock(mutex_);
  return out_.text;
}

std::string child_process::err() const {
  const std::lock_guard lock(mutex_);
  return err_.text;
}

process_result run_process(const std::vector<std::string>& argv,
                           const process_environment& environment, const std::string& directory) {
  child_process child(argv, environment, directory);
  const auto exit_code = child.wait();
  if (!exit_code) throw std::runtime_error(argv.front() + " did not end within a minute");
  return {*exit_code, child.out(), child.err()};
}

}  // namespace rowrunner::testing
