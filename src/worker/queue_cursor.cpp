#include "worker/queue_cursor.hpp"

#include <algorithm>
#include <utility>

namespace rowrunner {

queue_position queue_cursor::start(clock::time_point now) {
  from_front_ = at_front() || now >= next_front_;
  return from_front_ ? queue_position{} : behind_;
}

queue_cursor::clock::duration queue_cursor::cost_of_front(clock::duration took) {
  const auto walk = std::max<clock::duration>(took - usual_, {});
  const auto lasting = std::min(walk, std::exchange(last_walk_, walk));
  return workers_ == 1 ? lasting : took;
}

void queue_cursor::saw(int seen, int asked, queue_position last, clock::time_point begun,
                       clock::time_point now) {
  if (from_front_) {
    const clock::duration alone = cost_of_front(now - begun) * front_share;
    const auto for_all =
        std::min(alone * workers_, std::max<clock::duration>(alone, longest_for_others));
    next_front_ = now + std::max<clock::duration>(front_interval, for_all);
  } else {
    usual_ = (usual_ + (now - begun)) / 2;
  }
  if (seen < asked) {
    // The end of the queue; what comes next may be anywhere.
    behind_ = queue_position{};
  } else if (!from_front_ || at_front() || last > behind_) {
    behind_ = last;
  }
  // Otherwise a claim from the front found a full batch before the point reached so far: there may
  // be more, so the next claim starts from the front too.
  else {
    next_front_ = now;
  }
}

}  // namespace rowrunner
