#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/http/message.hpp"
#include "workloads/providers/ocr.hpp"

namespace rowrunner::providers {

/// The API takes 20 MB for a whole request with its files in it.
inline constexpr std::size_t largest_gemini_file = std::size_t{14} << 20;
inline constexpr std::size_t largest_gemini_answer = std::size_t{8} << 20;

/// An answer of this line says that the page is none of those that are looked for: a prompt can ask
/// for it.
inline constexpr std::string_view non_order_mark = "NON_ORDER_PAGE";

/// The body of models/{model}:generateContent: prompt, masters and the page in one request.
std::string gemini_request(const page_input& page, std::string_view media_type,
                           std::string_view bytes);

/// Whether it can stand in an address: up to 100 letters, digits, dots, - and _.
bool is_model_name(std::string_view name);

/// The model of the page's settings, or the usual one. Throws provider_error (final) for a name
/// that cannot stand in an address.
std::string gemini_model(const page_input& page, const std::string& usual);

/// Throws provider_error for an answer without text: 429 and 5xx with the time to wait, which may
/// stand in a header or in the body (google.rpc.RetryInfo).
page_text gemini_answer(const http::response& answer);

}  // namespace rowrunner::providers
