#include "workloads/spot_images/poster/png.hpp"

#include <stdexcept>

namespace rowrunner::spot_images {

std::string encode_png(const canvas& of) {
  of.throw_if_failed();
  std::string png;
  const auto append = [](void* to, const unsigned char* bytes, unsigned count) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  };
  const auto status = cairo_surface_write_to_png_stream(of.surface(), append, &png);
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cannot encode the poster: ") +
                             cairo_status_to_string(status));
  }
  return png;
}

}  // namespace rowrunner::spot_images
