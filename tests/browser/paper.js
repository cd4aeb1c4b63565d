// Stands in a copy of a page that is laid out as on paper, without a policy: nothing may stand outside the sheet,
// since paper does not scroll; and on a screen a box may scroll only where something is cut.
"use strict";
addEventListener("load", () => {
  const found = [], shown = [...document.querySelectorAll("td, th, svg, pre, code, p, dd")].filter((e) => e.getClientRects().length > 0);
  const paper = document.documentElement.hasAttribute("data-paper");
  for (const element of shown) {
    const { right, left } = element.getBoundingClientRect();
    if (paper && (right > innerWidth + 0.5 || left < -0.5)) found.push(`${Math.round(right)}: ${element.textContent.slice(0, 30)}`);
  }
  let scrolling = 0;
  for (const box of document.querySelectorAll(".box")) {
    if (box.scrollWidth <= box.clientWidth) continue;
    scrolling++;
    const inner = box.firstElementChild.getBoundingClientRect().width, figure = getComputedStyle(box.closest(".step, dd, section"));
    const room = box.closest(".step, dd, section").clientWidth - parseFloat(figure.paddingLeft) - parseFloat(figure.paddingRight);
    if (inner <= room + 0.5) found.push(`scrolls with ${inner} in ${room}: ${box.textContent.slice(0, 30)}`);
  }
  const verdict = `${innerWidth} wide, ${shown.length} seen, ${found.length} wrong ${found.slice(0, 9).join(" | ")}`;
  parent.postMessage(verdict, "*");
});
