#pragma once
// A lesson as a section of an HTML document: what render_screen shows, from the same trace and the same
// words, in both languages, with every tensor of the run.

#include "render/html/section.hpp"

namespace tfx {

/// `remark` stands below the title: what is special about this run in this document.
Html lesson_section(const Trace& trace, const Screen& screen, const BothWords& words, const Style& style,
                    const Html& remark = {});

} // namespace tfx
