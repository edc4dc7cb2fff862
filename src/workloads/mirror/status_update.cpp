#include "workloads/mirror/status_update.hpp"

namespace rowrunner::mirror {
namespace {

// Both scripts begin with it. Versions of another server say nothing about this one: after a
// restore into a new cluster its transactions are counted anew.
constexpr const char* refuse_older = R"lua(
local kept = redis.call('GET', KEYS[2])
if kept then
  local system, timeline, ended = string.match(kept, '^(%d+) (%d+) (%d+)$')
  if system == ARGV[1] then
    local old_line, new_line = tonumber(timeline), tonumber(ARGV[2])
    if old_line > new_line or (old_line == new_line and tonumber(ended) > tonumber(ARGV[3])) then
      return 0
    end
  end
end
local seen = ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3]
)lua";

// The value first: if Redis is full, the version must not get ahead of it. The version of a status
// that was removed stays, so that an old one does not come back.
constexpr const char* status_script = R"lua(
if ARGV[5] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[5], 'EX', ARGV[4])
end
redis.call('SET', KEYS[2], seen, 'EX', ARGV[4])
return 1
)lua";

// A thousand at a time: Lua takes only so many arguments.
constexpr const char* list_script = R"lua(
redis.call('DEL', KEYS[1])
for from = 5, #ARGV, 1000 do
  redis.call('RPUSH', KEYS[1], unpack(ARGV, from, math.min(from + 999, #ARGV)))
end
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('SET', KEYS[2], seen, 'EX', ARGV[4])
return 1
)lua";

redis_command script(const char* body, const std::string& key, const version& seen) {
  return {"EVAL",
          std::string(refuse_older) + body,
          "2",
          key,
          version_key(key),
          seen.system,
          std::to_string(seen.timeline),
          std::to_string(seen.ended),
          std::to_string(time_to_live.count())};
}

}  // namespace

std::string version_key(const std::string& key) { return "{" + key + "}:version"; }

redis_command set_status(const std::string& key, const version& seen, const std::string& value) {
  auto out = script(status_script, key, seen);
  out.push_back(value);
  return out;
}

redis_command set_list(const std::string& key, const version& seen,
                       const std::vector<std::string>& items) {
  auto out = script(list_script, key, seen);
  out.insert(out.end(), items.begin(), items.end());
  return out;
}

}  // namespace rowrunner::mirror
