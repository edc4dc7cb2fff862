#pragma once

#include <qpdf/QPDF.hh>

namespace rowrunner::pdf {

/// Adds a font for any character of the basic plane, whose glyphs are empty and half as wide as
/// high. Inside of a child only.
QPDFObjectHandle add_invisible_font(QPDF& to);

}  // namespace rowrunner::pdf
