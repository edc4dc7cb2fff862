// Preloaded before libfaketime, which moves the moment of an absolute timer by the time that it
// fakes, whatever clock the timer is of. Boost.Asio asks for "at once" as one nanosecond after the
// boot; with a clock that is wrong by an hour, that comes in an hour or is refused, and all timers
// of the worker stand still. Timers go to the kernel as they are; only the time of day is wrong.

#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

extern "C" int timerfd_settime(int timer, int flags, const itimerspec* wanted, itimerspec* before) {
  return static_cast<int>(syscall(SYS_timerfd_settime, timer, flags, wanted, before));
}
