#pragma once

/// The words of the document.
namespace rowrunner::ocr_relay::words {

inline constexpr const char* page_result = "PAGE_RESULT";
inline constexpr const char* job_summary = "JOB_SUMMARY";

inline constexpr const char* invalid_argument = "INVALID_ARGUMENT";
/// Those that it does not name, in the same manner.
inline constexpr const char* unauthenticated = "UNAUTHENTICATED";
inline constexpr const char* not_found = "NOT_FOUND";
inline constexpr const char* unavailable = "UNAVAILABLE";
inline constexpr const char* failed_precondition = "FAILED_PRECONDITION";
inline constexpr const char* internal = "INTERNAL";

}  // namespace rowrunner::ocr_relay::words
