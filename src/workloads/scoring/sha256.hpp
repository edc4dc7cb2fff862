#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace rowrunner::scoring {

/// A hash over fields. Each goes in behind its length, so that no two lists of fields are the same
/// bytes.
class sha256 {
 public:
  sha256();
  ~sha256();
  sha256(const sha256&) = delete;
  sha256& operator=(const sha256&) = delete;

  void add_field(std::string_view text);
  /// 64 hexadecimal digits. Ends the hash.
  std::string hex();

 private:
  struct release {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, release> context_;
};

}  // namespace rowrunner::scoring
