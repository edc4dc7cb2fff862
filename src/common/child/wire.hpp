#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/descriptor.hpp"

/// What goes between parent and child: the length of a JSON text, 4 bytes in the order of the
/// machine, then the text. Open files travel with the first byte.
/// The sender of a message waits for the answer, so no message ends in the middle of a read.
namespace rowrunner::child {

inline constexpr std::size_t max_files = 8;

inline constexpr std::size_t head_bytes = sizeof(std::uint32_t);

/// The length and the text.
std::string frame_of(const std::string& text);
/// The length that a frame begins with.
std::size_t length_in(const char* frame);

/// Invalid UTF-8 becomes U+FFFD.
std::string text_of(const nlohmann::json& value);

/// Sends the beginning of a frame, with open files. Returns how much of it; 0 if the socket cannot
/// take it now. Throws std::system_error.
std::size_t send_start(int socket, const std::string& frame, std::span<const descriptor> files);

struct message {
  nlohmann::json body;
  std::vector<descriptor> files;
};

/// Reads one message; blocks. Nothing if the other side has gone, or nothing comes within the time.
/// Throws std::system_error, or nlohmann's error for what is no JSON.
std::optional<message> receive(int socket, int patience_ms);

/// Writes one message without files; blocks. Throws std::system_error.
void send(int socket, const std::string& text);

}  // namespace rowrunner::child
