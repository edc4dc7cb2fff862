#include "worker/line_cursor.hpp"

#include <algorithm>

namespace rowrunner {

place line_cursor::start(clock::time_point now) {
  looking_from_front_ = at_front() || now >= next_front_;
  return looking_from_front_ ? place{} : behind_;
}

void line_cursor::saw(int seen, int asked, place last, clock::time_point begun,
                      clock::time_point now) {
  if (looking_from_front_) {
    const clock::duration alone = (now - begun) * front_share;
    const auto for_all =
        std::min(alone * workers_, std::max<clock::duration>(alone, longest_for_others));
    next_front_ = now + std::max<clock::duration>(front_interval, for_all);
  }
  if (seen < asked) {
    // The end of the line; what comes next may be anywhere.
    behind_ = place{};
  } else if (!looking_from_front_ || at_front() || last > behind_) {
    behind_ = last;
  }
  // Otherwise a look from the front found a full batch before the point reached so far: more may
  // stand there, so the next claim looks from the front too.
  else {
    next_front_ = now;
  }
}

}  // namespace rowrunner
