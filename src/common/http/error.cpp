#include "common/http/error.hpp"

namespace rowrunner::http {

bool is_temporary(error_kind kind) noexcept {
  switch (kind) {
    case error_kind::resolve:
    case error_kind::connect:
    case error_kind::timeout:
    case error_kind::protocol:
    case error_kind::truncated:
    case error_kind::no_answer:
      return true;
    case error_kind::bad_url:
    case error_kind::bad_request:
    case error_kind::tls:
    case error_kind::too_large:
    case error_kind::redirect:
    case error_kind::refused:
      return false;
  }
  return false;
}

}  // namespace rowrunner::http
