"use strict";

// A listing of any length: only the rows in view are elements. A strip at its side shows where lit lines are.

const ROW = 18;

class Listing {
  constructor(root, language) {
    this.root = root;
    this.rows = element("div", "rows");
    root.replaceChildren(this.rows);
    this.language = language;
    this.lines = [];
    this.matches = [];
    this.at = -1;
    this.needle = "";
    this.closeness = () => "";
    this.pointed = () => null;
    root.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(root);
    this.rows.addEventListener("mouseover", (event) => {
      const row = event.target.closest(".row");
      if (row) lit.point(this.pointed(Number(row.dataset.line)));
    });
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row && !String(getSelection())) lit.pin(this.pointed(Number(row.dataset.line)), this);
    });
    lit.listeners.push(() => root.isConnected && this.draw());
  }

  show(lines, closenessOf, pointed) {
    this.lines = lines;
    this.closeness = closenessOf;
    this.pointed = pointed;
    this.rows.style.height = `${lines.length * ROW}px`;
    this.search(this.needle);
  }

  draw() {
    const first = Math.max(0, Math.floor(this.root.scrollTop / ROW) - 10);
    const last = Math.min(this.lines.length, first + Math.ceil(this.root.clientHeight / ROW) + 20);
    const found = new Set(this.matches);
    const made = [];
    for (let k = first; k < last; k++) {
      const row = element("div", "row");
      row.dataset.line = k;
      row.style.top = `${k * ROW}px`;
      row.append(element("span", "number", k + 1));
      for (const [kind, text] of coloured(this.lines[k], this.language)) row.append(element("span", kind, text));
      const close = this.closeness(k);
      if (close) row.classList.add(close);
      if (this.pointed(k)) row.classList.add("has");
      if (found.has(k)) row.classList.add("found");
      if (this.matches[this.at] === k) row.classList.add("at");
      made.push(row);
    }
    this.rows.replaceChildren(...made);
    this.mark();
  }

  mark() {
    if (!this.marks) return;
    const height = this.marks.clientHeight;
    this.marks.height = height;
    this.marks.width = 12;
    const context = this.marks.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const scale = Math.min(ROW, height / Math.max(1, this.lines.length));
    const paint = (k, colour) => {
      context.fillStyle = style.getPropertyValue(colour);
      context.fillRect(1, k * scale, 10, Math.max(2, scale));
    };
    for (const k of this.matches) paint(k, "--s3");
    if (lit.chosen) this.lines.forEach((_, k) => this.closeness(k) === "same" && paint(k, "--strong-edge"));
  }

  search(needle) {
    this.needle = needle;
    const wanted = needle.toLowerCase();
    this.matches = [];
    if (wanted) this.lines.forEach((text, k) => text.toLowerCase().includes(wanted) && this.matches.push(k));
    this.at = this.matches.length ? 0 : -1;
    if (this.at >= 0) this.reveal(this.matches[0]);
    this.draw();
  }

  next(step) {
    if (!this.matches.length) return;
    this.at = (this.at + step + this.matches.length) % this.matches.length;
    this.reveal(this.matches[this.at]);
    this.draw();
  }

  reveal(k) {
    const top = k * ROW;
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop || top > scrollTop + clientHeight - 2 * ROW) {
      this.root.scrollTop = Math.max(0, top - clientHeight / 3);
    }
  }

  revealLit() {
    const first = this.lines.findIndex((_, k) => this.closeness(k) === "same");
    if (first >= 0) this.reveal(first);
  }
}
