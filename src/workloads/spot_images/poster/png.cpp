#include "workloads/spot_images/poster/png.hpp"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

// Cairo can write a PNG too, but always at zlib's level 6, which takes longer than all of the
// painting and saves a tenth of the file. The format is small enough to write here.

namespace rowrunner::spot_images {
namespace {

using bytes = std::vector<unsigned char>;

void append_number(std::string& to, std::uint32_t number) {
  for (unsigned shift : {24U, 16U, 8U, 0U}) to.push_back(static_cast<char>(number >> shift));
}

void append_chunk(std::string& to, std::string_view type, std::string_view body) {
  append_number(to, static_cast<std::uint32_t>(body.size()));
  std::size_t start = to.size();
  to.append(type).append(body);
  uLong sum = crc32(0, reinterpret_cast<const Bytef*>(to.data() + start),
                    static_cast<uInt>(to.size() - start));
  append_number(to, static_cast<std::uint32_t>(sum));
}

/// One row of Cairo's 32-bit pixels as red, green, blue.
void unpack_row(const unsigned char* row, bytes& to) {
  const auto* pixels = reinterpret_cast<const std::uint32_t*>(row);
  for (std::size_t x = 0; x * 3 < to.size(); ++x) {
    to[x * 3] = static_cast<unsigned char>(pixels[x] >> 16U);
    to[x * 3 + 1] = static_cast<unsigned char>(pixels[x] >> 8U);
    to[x * 3 + 2] = static_cast<unsigned char>(pixels[x]);
  }
}

enum filter : unsigned char { from_left = 1, from_above = 2 };

/// Writes the row as differences to its left or upper neighbours. Gives their sum: the smaller it
/// is, the better the row will compress.
std::uint64_t filter_row(const bytes& row, const bytes& above, filter by, bytes& to) {
  std::uint64_t sum = 0;
  to[0] = by;
  for (std::size_t i = 0; i < row.size(); ++i) {
    int neighbour = by == from_above ? above[i] : (i >= 3 ? row[i - 3] : 0);
    auto difference = static_cast<unsigned char>(row[i] - neighbour);
    to[i + 1] = difference;
    sum += static_cast<std::uint64_t>(std::abs(static_cast<signed char>(difference)));
  }
  return sum;
}

bytes filtered_rows(cairo_surface_t* surface) {
  auto wide = static_cast<std::size_t>(cairo_image_surface_get_width(surface));
  auto high = static_cast<std::size_t>(cairo_image_surface_get_height(surface));
  auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  const unsigned char* data = cairo_image_surface_get_data(surface);
  bytes all;
  all.reserve((wide * 3 + 1) * high);
  bytes row(wide * 3);
  bytes above(row.size());
  bytes left_filtered(row.size() + 1);
  bytes up_filtered(row.size() + 1);
  for (std::size_t y = 0; y < high; ++y) {
    unpack_row(data + stride * y, row);
    bool left = filter_row(row, above, from_left, left_filtered) <
                filter_row(row, above, from_above, up_filtered);
    const bytes& chosen = left ? left_filtered : up_filtered;
    all.insert(all.end(), chosen.begin(), chosen.end());
    row.swap(above);
  }
  return all;
}

std::string compressed(const bytes& plain) {
  uLongf size = compressBound(static_cast<uLong>(plain.size()));
  std::string packed(size, '\0');
  int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, plain.data(),
                         static_cast<uLong>(plain.size()), 2);
  if (status != Z_OK) throw std::runtime_error("cannot compress the poster: zlib has failed");
  packed.resize(size);
  return packed;
}

}  // namespace

std::string encode_png(const canvas& of) {
  of.throw_if_failed();
  cairo_surface_flush(of.surface());
  std::string header;
  append_number(header, static_cast<std::uint32_t>(cairo_image_surface_get_width(of.surface())));
  append_number(header, static_cast<std::uint32_t>(cairo_image_surface_get_height(of.surface())));
  // Eight bits for each of three colours; the usual methods, not interlaced.
  header.append({8, 2, 0, 0, 0});
  std::string png("\x89PNG\r\n\x1a\n");
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", compressed(filtered_rows(of.surface())));
  append_chunk(png, "IEND", {});
  return png;
}

}  // namespace rowrunner::spot_images
