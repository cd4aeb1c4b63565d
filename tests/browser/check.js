// Stands before everything else in a copy of a page (tests/browser/report.sh puts it there and allows it in the
// copy's policy): uses the page as a reader would, and writes into the page what it found.
"use strict";
(() => {
  const found = [];
  const wrong = (what) => found.length < 20 && found.push(what);
  addEventListener("error", (event) => wrong(`error: ${event.message}`));
  addEventListener("securitypolicyviolation", (event) => wrong(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  const require = (truth, what) => truth || wrong(what);
  const visible = (element) => element.getClientRects().length > 0;
  const all = (selector, below = document) => [...below.querySelectorAll(selector)];

  // --- colours ---
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const over = (top, ground) => {
    const alpha = top[3] ?? 1;
    return [0, 1, 2].map((i) => alpha * top[i] + (1 - alpha) * ground[i]);
  };
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(channels(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const checkContrast = (when) => {
    const seen = new Set();
    for (const element of all("body *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!own || !visible(element) || element.closest("script, style, title, .unseen")) continue;
      const style = getComputedStyle(element);
      const square = element.closest("svg.heat g")?.querySelector("rect");
      let behind = ground(element);
      if (square) {
        const fill = channels(getComputedStyle(square).fill);
        behind = over([...fill.slice(0, 3), Number(square.getAttribute("fill-opacity") ?? 1)], behind);
      }
      const ink = channels(element.closest("svg") ? style.fill : style.color);
      const key = [ink, behind.map(Math.round), style.fontSize].join();
      if (seen.has(key)) continue;
      seen.add(key);
      const ratio = contrast(over(ink, behind), behind);
      require(ratio >= 4.5, `${when}: contrast ${ratio.toFixed(2)} of "${element.textContent.slice(0, 30)}"`);
    }
  };

  const checkWidth = (when) => {
    const wide = document.documentElement.scrollWidth;
    require(wide <= innerWidth, `${when}: the page is ${wide} wide in a window of ${innerWidth}`);
  };

  // --- cells ---
  const press = (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const lines = () => document.getElementById("lines");
  const said = () => (lines().querySelector(`[lang="${document.documentElement.lang}"]`) ?? lines()).textContent;
  const index = (cell, shape) => {
    const places = [];
    for (const extent of [...shape].reverse()) places.unshift(cell % extent), (cell = Math.floor(cell / extent));
    return places.join(" ");
  };

  // Where the cells of a book's tensor stand in a table that shows it: by the book, not by the page's script.
  const cellsOf = (table, tensor) => {
    const rank = tensor.shape.length;
    const height = rank < 1 ? 1 : rank < 2 ? tensor.shape[0] : tensor.shape[rank - 2];
    const width = rank < 2 ? 1 : tensor.shape[rank - 1];
    const cells = new Map();
    const turned = table.hasAttribute("data-transposed");
    const rows = all("tbody tr", table).map((row) => all("td", row).slice(row.querySelector("th") ? 0 : 1));
    const at = (list, position) => list.indexOf(position) + (list[0] + list.indexOf(position) !== position ? 1 : 0);
    for (const row of tensor.rows)
      for (const column of tensor.columns) {
        const [r, c] = [at(tensor.rows, row), at(tensor.columns, column)];
        cells.set((Number(table.dataset.s) * height + row) * width + column, turned ? rows[c][r] : rows[r][c]);
      }
    return cells;
  };

  const checkSection = (section, expected) => {
    const block = section.querySelector('script[type="application/json"]');
    if (!block) return 0;
    const { tensors } = JSON.parse(block.textContent);
    const tables = all("table[data-t]", section).map((table) => {
      const tensor = tensors[table.dataset.t];
      return { table, tensor, number: Number(table.dataset.t), cells: cellsOf(table, tensor) };
    });
    const byCell = new Map(); // "tensor cell" → where it stands
    for (const { number, cells } of tables)
      for (const [cell, td] of cells) byCell.set(`${number} ${cell}`, [...(byCell.get(`${number} ${cell}`) ?? []), td]);
    let asked = 0;
    for (const { table, tensor, cells } of tables) {
      require(all('[tabindex="0"]', table).length === 1, `${tensor.name}: not one tab stop`);
      let item = 0;
      for (const [cell, element] of cells) {
        const at = Number(table.dataset.s) * tensor.rows.length * tensor.columns.length + item++;
        const folded = element.closest("details");
        if (folded) folded.open = true;
        element.click();
        asked++;
        const name = `${tensor.name} ${index(cell, tensor.shape)}`;
        require(!document.getElementById("explanation").hidden, `${name}: no explanation`);
        require(element.classList.contains("chosen"), `${name}: is not marked`);
        require(document.activeElement === element, `${name}: has no focus`);
        const text = tensor.text[at];
        require(said() === (Array.isArray(text) ? text[document.documentElement.lang === "zh" ? 1 : 0] : text), `${name}: says "${said()}"`);
        if (expected) require(said() === expected[name], `${name}: says "${said()}", tfx explain "${expected[name]}"`);
        const number = (t) => Number(t.replace("−∞", "-Infinity").replace("∞", "Infinity").replace("nan", "NaN"));
        const value = said().split("\n").at(-1).match(/= (\S+)(  .*)?$/)?.[1] ?? "";
        require(Object.is(number(value), number(element.textContent)), `${name}: is ${element.textContent}, explained as ${value}`);
        const sources = new Set();
        for (let i = 0; i < tensor.sources[at].length; i += 4) {
          const [source, first, count, step] = tensor.sources[at].slice(i, i + 4);
          for (let j = 0; j < count; ++j) sources.add(`${source} ${first + j * step}`);
        }
        const wanted = new Set();
        for (const source of sources) for (const td of byCell.get(source) ?? []) wanted.add(td);
        for (const td of wanted) require(td.classList.contains("source"), `${name}: a source is not lit: ${td.textContent}`);
        for (const td of section.querySelectorAll("td.source"))
          require(wanted.has(td) || td.textContent === "…", `${name}: is lit, but no source: ${td.textContent}`);
      }
    }
    return asked;
  };

  // A click lays the page out again: the others are hidden, so that as many clicks take as long on a longer page.
  const alone = (section, check) => {
    const others = all("section").filter((other) => other !== section);
    for (const other of others) other.hidden = true;
    const result = check();
    for (const other of others) other.hidden = false;
    return result;
  };

  const checkKeyboard = () => {
    const table = document.querySelector("table[data-t]");
    const [first, second] = all("tbody tr td", table).filter((td) => td.previousElementSibling);
    first.focus();
    press(first, "ArrowRight");
    const row = second && first.parentElement === second.parentElement;
    require(document.activeElement === (row ? second : first), "the right arrow does not move");
    press(document.activeElement, "Enter");
    require(!document.getElementById("explanation").hidden, "Enter explains nothing");
    press(document.activeElement, "Escape");
    require(document.getElementById("explanation").hidden, "Escape does not close");
    require(all(".chosen, .source").length === 0, "cells stay lit");
    for (const svg of all("svg")) {
      const title = svg.querySelector("g title");
      svg.querySelector("g").dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
      require(svg.parentElement.nextElementSibling?.textContent === title.textContent, "a picture does not say its value");
      require(all('g[tabindex="0"]', svg).length === 1, "a picture has not one tab stop");
    }
  };

  const checkLanguage = (language, other) => {
    const before = document.title;
    document.getElementById(`lang-${language}`).click();
    require(document.documentElement.lang === language, `the switch does not choose ${language}`);
    require(document.title === document.documentElement.dataset[language] && document.title !== before, "the title stays");
    for (const element of all(`body [lang="${other}"]`)) require(!visible(element), `${language}: still shows "${element.textContent.slice(0, 40)}"`);
    require(all(`body [lang="${language}"]`).some(visible), `${language}: shows nothing`);
  };

  addEventListener("load", () => {
    const pages = JSON.parse(document.getElementById("expected")?.textContent ?? "{}");
    const first = document.documentElement.lang, second = first === "en" ? "zh" : "en";
    let asked = 0;
    try {
      checkWidth("at first");
      checkContrast("at first");
      checkKeyboard();
      for (const section of all("section")) asked += alone(section, () => checkSection(section, pages[section.id]?.[first]));
      checkWidth("with an explanation");
      checkContrast("with an explanation");
      document.getElementById("back").click();
      document.getElementById("close").click();
      require(document.getElementById("explanation").hidden, "the button does not close");
      checkLanguage(second, first);
      checkWidth("in the other language");
      for (const section of all("section"))
        if (pages[section.id]) alone(section, () => checkSection(section, pages[section.id][second]));
      checkLanguage(first, second);
    } catch (error) {
      wrong(`the check itself: ${error.stack}`);
    }
    const verdict = document.createElement("pre");
    const scheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    verdict.id = "verdict";
    verdict.textContent = [`width ${innerWidth}, ${scheme}, ${asked} cells asked, ${found.length} wrong`, ...found].join("\n");
    document.body.replaceChildren(verdict);
    if (parent !== window) parent.postMessage(verdict.textContent, "*");
  });
})();
