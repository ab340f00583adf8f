"use strict";

// The page: its head, the source, and what is lit up.

function sourcePane() {
  const select = document.getElementById("file");
  const listing = new Listing(document.getElementById("source-listing"), "python");
  let file = 0;
  const used = DATA.files.map(() => new Set());
  for (const place of DATA.origins) if (place) used[place[0]].add(place[1]);
  const open = (number) => {
    file = number;
    select.value = number;
    const lines = DATA.files[number].lines;
    listing.show(
      lines.length ? lines : ["(the text of this file is not known)"],
      (k) => (lit.chosen && lit.chosen.file === file && lit.chosen.line === k + 1 ? "same" : ""),
      (k) => (used[file].has(k + 1) ? { file, line: k + 1, op: 0 } : null),
    );
    const first = Math.min(...used[number]);
    if (Number.isFinite(first)) listing.root.scrollTop = Math.max(0, (first - 6) * ROW);
  };
  DATA.files.forEach((f, k) => select.append(new Option(f.name, k)));
  select.addEventListener("change", () => open(Number(select.value)));
  if (DATA.files.length) open(0);
  lit.listeners.push(() => {
    const chosen = lit.chosen;
    if (!chosen || !lit.pinned) return;
    if (chosen.file !== file) open(chosen.file);
    listing.reveal(chosen.line - 1);
  });
}

function tell() {
  const chosen = lit.chosen;
  const status = document.getElementById("status");
  if (!chosen) return;
  const file = DATA.files[chosen.file];
  const text = (file.lines[chosen.line - 1] || "").trim();
  const what = chosen.op ? `op ${chosen.op} of ` : "";
  status.textContent = `${lit.pinned ? "Kept (Esc lets go): " : ""}${what}${file.name}:${chosen.line}   ${text}`;
}

function start() {
  document.getElementById("title").textContent = DATA.title;
  const signature = document.getElementById("signature");
  signature.textContent = signature.title = DATA.signature;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme").addEventListener("click", () => {
    const now = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = now;
    for (const listener of themeListeners) listener();
    lit.tell();
  });
  sourcePane();
  lit.listeners.push(tell);
  openTabs(document.getElementById("tabs"), document.getElementById("content"));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") lit.pin(null);
  });
}

start();
