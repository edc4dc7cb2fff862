#pragma once

#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "common/pg/exec.hpp"

namespace rowrunner::testing {

/// The notices and warnings that a connection gets from now on; libpqxx 7.10 has a new way to hear
/// them and deprecates the old one.
#ifdef ROWRUNNER_PQXX_PARAMS
class notices {
 public:
  explicit notices(pqxx::connection& from) {
    from.set_notice_handler([text = text_](pqxx::zview each) noexcept { *text += each; });
  }
  const std::string& all() const { return *text_; }

 private:
  std::shared_ptr<std::string> text_ = std::make_shared<std::string>();
};
#else
class notices : pqxx::errorhandler {
 public:
  explicit notices(pqxx::connection& from) : errorhandler(from) {}
  const std::string& all() const { return text_; }

 private:
  bool operator()(const char each[]) noexcept override {
    text_ += each;
    return false;
  }
  std::string text_;
};
#endif

}  // namespace rowrunner::testing
