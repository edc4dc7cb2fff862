#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <system_error>
#include <utility>

#include "common/child/confinement.hpp"

namespace rowrunner::child {
namespace {

// Newer than the library; calls have had the same numbers on all machines since 424.
constexpr int mount_setattr = 442;
constexpr int process_mrelease = 448;
constexpr int fchmodat2 = 452;
/// mseal, of Linux 6.10. What later kernels add is not there for a tool.
constexpr int last_known = 462;

/// What a tool over open files never needs. A list of what is forbidden instead of what is
/// allowed: the libraries may change what they use for memory and files.
constexpr int forbidden[] = {
    // network
    SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen),
    SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg),
    SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
    // other programs and processes
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_send_signal), SCMP_SYS(pidfd_getfd), SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(kcmp),
    SCMP_SYS(process_madvise), SCMP_SYS(setpgid), SCMP_SYS(setsid), SCMP_SYS(setpriority),
    SCMP_SYS(ioprio_set), process_mrelease,
    // changes of the file system
    SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2),
    SCMP_SYS(link), SCMP_SYS(linkat), SCMP_SYS(symlink), SCMP_SYS(symlinkat), SCMP_SYS(mkdir),
    SCMP_SYS(mkdirat), SCMP_SYS(rmdir), SCMP_SYS(mknod), SCMP_SYS(mknodat), SCMP_SYS(chmod),
    SCMP_SYS(fchmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(fchown), SCMP_SYS(lchown),
    SCMP_SYS(fchownat), SCMP_SYS(truncate), SCMP_SYS(utime), SCMP_SYS(utimes), SCMP_SYS(futimesat),
    SCMP_SYS(utimensat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr),
    SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(name_to_handle_at), SCMP_SYS(mount), SCMP_SYS(umount2),
    SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(open_tree), SCMP_SYS(move_mount),
    SCMP_SYS(fsopen), SCMP_SYS(fsconfig), SCMP_SYS(fsmount), SCMP_SYS(fspick), mount_setattr,
    fchmodat2,
    // the system
    SCMP_SYS(setns), SCMP_SYS(unshare), SCMP_SYS(bpf), SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd), SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff),
    SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(adjtimex), SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname), SCMP_SYS(personality), SCMP_SYS(acct), SCMP_SYS(quotactl),
    SCMP_SYS(syslog), SCMP_SYS(iopl), SCMP_SYS(ioperm)};

struct release_filter {
  void operator()(void* filter) const { seccomp_release(filter); }
};

constexpr auto refused = SCMP_ACT_ERRNO(EPERM);

/// Refuses a call whose argument number `which`, of 32 bits, has `value` in the bits of `mask`. The
/// kernel does not see the upper half of such an argument, so the filter must not either.
int refuse_value(scmp_filter_ctx filter, int call, unsigned which, std::uint32_t mask,
                 std::uint32_t value) {
  const scmp_arg_cmp bits{which, SCMP_CMP_MASKED_EQ, mask, value};
  return seccomp_rule_add_array(filter, refused, call, 1, &bits);
}

/// A descriptor could be told to send signals to another process.
int refuse_signals_of_files(scmp_filter_ctx filter) {
  constexpr std::uint32_t all = 0xffffffff;
  constexpr std::uint32_t own = 8, set_signal = 10, own_ex = 15;
  for (const auto each : {own, set_signal, own_ex}) {
    if (const int result = refuse_value(filter, SCMP_SYS(fcntl), 1, all, each)) return result;
  }
  constexpr std::uint32_t set_group = 0x8902, set_owner = 0x8901;
  for (const auto each : {std::uint32_t{FIOASYNC}, set_owner, set_group}) {
    if (const int result = refuse_value(filter, SCMP_SYS(ioctl), 1, all, each)) return result;
  }
  return 0;
}

int refuse_opening_to_write(scmp_filter_ctx filter) {
  const std::pair<int, unsigned> calls[] = {{SCMP_SYS(open), 1}, {SCMP_SYS(openat), 2}};
  const std::pair<std::uint32_t, std::uint32_t> flags[] = {
      {O_ACCMODE, O_WRONLY}, {O_ACCMODE, O_RDWR}, {O_CREAT, O_CREAT}, {O_TRUNC, O_TRUNC}};
  for (const auto& [call, which] : calls) {
    for (const auto& [mask, value] : flags) {
      const int result = refuse_value(filter, call, which, mask, value);
      if (result != 0 && result != -EDOM) return result;
    }
  }
  if (const int result = seccomp_rule_add(filter, refused, SCMP_SYS(creat), 0);
      result != 0 && result != -EDOM) {
    return result;
  }
  // Its flags are in memory, where a filter cannot see them; libraries then use openat.
  return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2), 0);
}

int add_rules(scmp_filter_ctx filter) {
  for (const int each : forbidden) {
    const int result = seccomp_rule_add(filter, refused, each, 0);
    // A call that this machine does not have.
    if (result != 0 && result != -EDOM) return result;
  }
  // Threads are allowed, processes are not. What clone3 is asked for cannot be seen by a filter;
  // the C library then uses clone.
  if (const int result = seccomp_rule_add(filter, refused, SCMP_SYS(clone), 1,
                                          SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0))) {
    return result;
  }
  if (const int result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0)) {
    return result;
  }
  // abort() signals the process itself.
  const auto self = static_cast<scmp_datum_t>(::getpid());
  for (const int each : {SCMP_SYS(kill), SCMP_SYS(tgkill)}) {
    if (const int result = seccomp_rule_add(filter, refused, each, 1, SCMP_A0(SCMP_CMP_NE, self))) {
      return result;
    }
  }
  // The limits and the processor time of other processes.
  for (const int each :
       {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler),
        SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr)}) {
    if (const int result = seccomp_rule_add(filter, refused, each, 1, SCMP_A0(SCMP_CMP_NE, 0))) {
      return result;
    }
  }
  return refuse_signals_of_files(filter);
}

/// Calls that are newer than the list above are not there, as with an older kernel. The library
/// compares with single numbers only, so this is a filter of its own: the strictest one counts.
int refuse_unknown_calls() {
  constexpr auto number = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, last_known, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog all{program.size(), program.data()};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0 ? 0 : -errno;
}

std::string problem(int result) { return "seccomp: " + std::generic_category().message(-result); }

}  // namespace

std::string limit_system_calls(bool refuse_writing) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return problem(-errno);
  const std::unique_ptr<void, release_filter> filter(seccomp_init(SCMP_ACT_ALLOW));
  if (!filter) return problem(-ENOMEM);
  // A tree instead of a list of more than a hundred comparisons for every call.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (const int result = add_rules(filter.get())) return problem(result);
  if (refuse_writing) {
    if (const int result = refuse_opening_to_write(filter.get())) return problem(result);
  }
  if (const int result = refuse_unknown_calls()) return problem(result);
  if (const int result = seccomp_load(filter.get())) return problem(result);
  return {};
}

}  // namespace rowrunner::child
