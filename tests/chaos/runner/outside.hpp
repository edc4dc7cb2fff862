#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "chaos/runner/history.hpp"
#include "support/http_stand_in.hpp"

namespace rowrunner::chaos {

/// An image server that misbehaves as its seed says: 429, 5xx, silence, half a body, nonsense. What
/// it does is a function of the seed, the key of the request and how often that key has come. Each
/// request stands in the record: KEY WHAT-IT-DID.
class image_server {
 public:
  image_server(std::uint64_t seed, const std::string& record_path);
  ~image_server();

  std::string base_url() const { return http_.url("/v1"); }
  /// From now on, nothing works / what the seed says / everything works.
  enum class mood { down, seeded, well };
  void set(mood now);

 private:
  void answer(testing::http_exchange& with);
  std::string choose(const std::string& key);
  void do_it(const std::string& what, testing::http_exchange& with);

  std::uint64_t seed_;
  history record_;
  std::atomic<mood> mood_ = mood::seeded;
  std::mutex mutex_;
  std::map<std::string, int> calls_;
  // Last, since its threads use the others.
  testing::http_stand_in http_;
};

}  // namespace rowrunner::chaos
