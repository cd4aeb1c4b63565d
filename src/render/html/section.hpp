#pragma once
// A part of an HTML document about one run: its title, tensors with their formulas, pictures, what to look
// at, checks. What it shows of tensors goes into one book of cells, which closes the section; a lesson's
// section shows what render_screen shows, from the same trace and the same words, with every tensor of the
// run.

#include "render/html/cell_book.hpp"
#include "render/report.hpp"

namespace tfx {

class Section {
public:
  Section(const Trace& trace, BothWords words, const Style& style)
      : words_(trace, std::move(words), style), book_(words_) {}
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  const Bilingual& words() const { return words_; }
  CellBook& book() { return book_; }

  void add(const Html& html) { body_ += html; }
  /// The words of that key as paragraphs, where the run has their numbers.
  void paragraph(const std::string& key) { add(words_.paragraph(key)); }
  /// "lesson 3", its title, and its command.
  void title(const Screen& screen);
  /// A named line below the tensors: "look", "check".
  void row(const std::string& ui_key, const Html& content);

  /// The words of "look." and these names; without any of "look.1" and on.
  void looks(const std::vector<std::string>& names = {});
  void checks();

  /// The whole section; `id` is where links lead to.
  Html take(const std::string& id) const;

private:
  Bilingual words_;
  CellBook book_;
  Html body_, rows_;
};

/// A tensor's name, shape, formula and cost above `content`.
Html step_figure(const Bilingual& words, const Step& step, const Screen& screen, const Html& content);

/// Its shown matrices, side by side.
Html step_tables(const Bilingual& words, const Step& step, CellBook& book);

/// Weights as pictures, a heat map a shown matrix, under the words "ui." of that name.
Html step_pictures(const Bilingual& words, const Step& step, CellBook* book,
                   const std::string& legend = "page.heat");

/// "parameters 12, 48 MAC, 96 FLOP".
Html amount_in_both(const Bilingual& words, const Cost& cost);

/// `remark` stands below the title: what is special about this run in this document.
Html lesson_section(const Trace& trace, const Screen& screen, const BothWords& words, const Style& style,
                    const Html& remark = {});

/// What render_screen(report, …) shows, with the tensors of its run.
Html report_section(const Report& report, const BothWords& words, const Style& style);

} // namespace tfx
