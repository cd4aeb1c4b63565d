// What the page does beyond being read: a cell that is asked for says its arithmetic, and the cells it was made of
// light up. The text is the program's; nothing is computed here.
"use strict";
(() => {
  const page = document.documentElement;
  const gap = -1; // where cells are left out
  const colours = ["first", "second", "third"];

  // Which rows or columns of a table stand where: 0 1 2 13 14 15 are six positions and a gap.
  const places = (positions) =>
    positions.flatMap((p, i) => (i > 0 && p !== positions[i - 1] + 1 ? [gap, p] : [p]));
  const placeOf = (list, position) => (list.includes(position) ? list.indexOf(position) : list.indexOf(gap));

  // A tensor of a section: what the book says of its cells, and the tables and pictures that show it.
  class Tensor {
    constructor(entry) {
      Object.assign(this, entry);
      const rank = this.shape.length;
      this.height = rank === 0 ? 1 : rank === 1 ? this.shape[0] : this.shape[rank - 2];
      this.width = rank < 2 ? 1 : this.shape[rank - 1];
      this.views = [];
    }
    place(cell) {
      return {
        slice: Math.floor(cell / (this.width * this.height)),
        row: Math.floor(cell / this.width) % this.height,
        column: cell % this.width,
      };
    }
    cell(slice, row, column) {
      return row === gap || column === gap ? undefined : (slice * this.height + row) * this.width + column;
    }
    // Where the book has it; undefined for a cell that is left out.
    entry(cell) {
      const { slice, row, column } = this.place(cell);
      const r = this.rows.indexOf(row), c = this.columns.indexOf(column);
      return slice >= this.slices || r < 0 || c < 0
        ? undefined
        : (slice * this.rows.length + r) * this.columns.length + c;
    }
  }

  // Elements in lines, of which one can be reached with the Tab key and the others from it with the arrows.
  const seats = new Map(); // element → { view, line, at }
  class View {
    constructor(root, lines) {
      this.root = root;
      this.lines = lines;
      lines.forEach((line, l) => line.forEach((element, at) => seats.set(element, { view: this, line: l, at })));
      this.reach(lines[0][0]);
    }
    reach(element) {
      if (this.reached) this.reached.setAttribute("tabindex", "-1");
      this.reached = element;
      element.setAttribute("tabindex", "0");
    }
    cellOf() {}
    find() {}
  }

  class TableView extends View {
    constructor(table, tensor) {
      super(table, [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1)));
      table.setAttribute("role", "grid");
      this.tensor = tensor;
      this.slice = Number(table.dataset.s);
      this.turned = "transposed" in table.dataset;
      this.rows = places(tensor.rows);
      this.columns = places(tensor.columns);
    }
    cellOf({ line, at }) {
      const [r, c] = this.turned ? [at, line] : [line, at];
      return this.tensor.cell(this.slice, this.rows[r], this.columns[c]);
    }
    find(cell) {
      const { slice, row, column } = this.tensor.place(cell);
      if (slice !== this.slice) return undefined;
      const r = placeOf(this.rows, row), c = placeOf(this.columns, column);
      return this.turned ? this.lines[c]?.[r] : this.lines[r]?.[c];
    }
  }

  // Squares of a heat map, points of a line: each says its title below the picture.
  class PictureView extends View {
    constructor(svg, tensor) {
      const elements = [...svg.querySelectorAll("g")];
      const lines = new Map();
      for (const element of elements) {
        const row = tensor && "i" in element.dataset ? Math.floor(element.dataset.i / tensor.width) : 0;
        lines.set(row, [...(lines.get(row) ?? []), element]);
        element.setAttribute("role", "img");
      }
      super(svg, [...lines.values()]);
      this.tensor = tensor;
      this.squares = new Map(elements.map((element) => [Number(element.dataset.i), element]));
      this.readout = document.createElement("p");
      this.readout.className = "readout";
      this.readout.setAttribute("aria-hidden", "true"); // a screen reader has the title itself
      svg.parentElement.after(this.readout);
      const say = (event) => {
        const element = event.target.closest("g");
        if (element) this.readout.textContent = element.querySelector("title").textContent;
      };
      svg.addEventListener("mouseover", say);
      svg.addEventListener("focusin", say);
    }
    cellOf({ line, at }) {
      const element = this.lines[line][at];
      return this.tensor ? Number(element.dataset.i) : undefined;
    }
    find(cell) {
      return this.squares.get(cell);
    }
  }

  for (const section of document.querySelectorAll("section")) {
    const book = section.querySelector('script[type="application/json"]');
    const tensors = book ? JSON.parse(book.textContent).tensors.map((entry) => new Tensor(entry)) : [];
    for (const tensor of tensors) tensor.all = tensors;
    for (const table of section.querySelectorAll("table[data-t]")) {
      const tensor = tensors[table.dataset.t];
      tensor.views.push(new TableView(table, tensor));
    }
    for (const svg of section.querySelectorAll("svg")) {
      const tensor = tensors[svg.dataset.t];
      const view = new PictureView(svg, tensor);
      if (tensor) tensor.views.push(view);
    }
  }

  const panel = document.getElementById("explanation");
  const lines = document.getElementById("lines");
  const sources = document.getElementById("sources");
  const back = document.getElementById("back");
  const asked = []; // the way here
  let lit = [];

  const light = (tensor, cell, ...classes) => {
    for (const view of tensor.views) {
      const element = view.find(cell);
      if (!element) continue;
      element.classList.add(...classes);
      lit.push(element);
    }
  };

  // Four numbers a run: tensor, first cell, how many, step.
  const runsOf = (numbers) => {
    const runs = [];
    for (let i = 0; i < numbers.length; i += 4) runs.push(numbers.slice(i, i + 4));
    return runs;
  };

  const write = (text) => {
    const texts = Array.isArray(text) ? [["en", text[0]], ["zh", text[1]]] : [["", text]];
    lines.replaceChildren(
      ...texts.map(([language, words]) => {
        const span = document.createElement("span");
        if (language) span.lang = language;
        span.textContent = words;
        return span;
      }),
    );
  };

  const close = () => {
    for (const element of lit) element.classList.remove("chosen", "source", ...colours);
    lit = [];
    panel.hidden = true;
    page.classList.remove("explaining");
  };

  const show = ({ tensor, cell, element }) => {
    close();
    const entry = tensor.entry(cell);
    write(tensor.text[entry]);
    const buttons = new Map(); // one a tensor
    for (const [number, first, count, step] of runsOf(tensor.sources[entry])) {
      const source = tensor.all[number];
      if (!buttons.has(source)) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = colours[Math.min(buttons.size, colours.length - 1)];
        button.textContent = source.name;
        button.addEventListener("click", () => climb(element, source, first));
        buttons.set(source, button);
      }
      for (let i = 0; i < count; ++i) light(source, first + i * step, "source", buttons.get(source).className);
    }
    light(tensor, cell, "chosen");
    sources.replaceChildren(...buttons.values());
    sources.parentElement.hidden = buttons.size === 0;
    back.hidden = asked.length < 2;
    panel.hidden = false;
    page.classList.add("explaining");
  };

  const ask = (element) => {
    const seat = seats.get(element);
    const cell = seat?.view.cellOf(seat);
    const tensor = seat?.view.tensor;
    if (cell === undefined || tensor.entry(cell) === undefined) return;
    asked.push({ tensor, cell, element });
    show(asked.at(-1));
  };

  const go = (element) => {
    const folded = element.closest("details");
    if (folded) folded.open = true;
    seats.get(element).view.reach(element);
    element.focus();
  };

  // To the first cell that a cell was made of: in the same figure where it stands there, else in its first table.
  const climb = (from, source, cell) => {
    const near = source.views.find((view) => view.root.closest("figure") === from.closest("figure"));
    const element = (near ?? source.views[0])?.find(cell);
    if (!element) return;
    go(element);
    ask(element);
  };

  const goBack = () => {
    asked.pop();
    go(asked.at(-1).element);
    show(asked.at(-1));
  };

  document.addEventListener("click", (event) => {
    const element = event.target.closest("td, g");
    if (!seats.has(element)) return;
    go(element);
    ask(element);
  });

  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      const element = asked.at(-1)?.element;
      close();
      if (element && panel.contains(event.target)) element.focus();
    }
    const seat = seats.get(event.target);
    if (!seat || event.ctrlKey || event.altKey || event.metaKey) return;
    const line = seat.view.lines[seat.line];
    let next;
    if (event.key in steps) {
      const [down, along] = steps[event.key];
      next = seat.view.lines[seat.line + down]?.[seat.at + along];
    } else if (event.key === "Home") {
      next = line[0];
    } else if (event.key === "End") {
      next = line.at(-1);
    } else if (event.key === "Enter" || event.key === " ") {
      ask(event.target);
    } else {
      return;
    }
    event.preventDefault();
    if (next) go(next);
  });
  document.getElementById("close").addEventListener("click", () => {
    close();
    asked.at(-1).element.focus();
  });
  back.addEventListener("click", goBack);

  const speak = () => {
    const chosen = document.querySelector(".language:checked").value;
    page.lang = chosen;
    document.title = page.dataset[chosen];
  };
  for (const radio of document.querySelectorAll(".language")) radio.addEventListener("change", speak);
  speak(); // a browser may have kept the choice
  page.classList.add("live");
})();
