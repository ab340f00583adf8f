"use strict";

// The colours of a line of code: pairs of a class and a piece of text. Nothing of a listing is ever parsed as HTML.

const PATTERNS = {
  mlir: /(?<c>\/\/.*$)|(?<v>%[\w.$#-]+|@[\w.$]+)|(?<t>!?\b(?:tensor|vector|memref)<[^>]*>|![\w.]+|\b[if](?:1|8|16|32|64)\b|\bindex\b)|(?<n>\b[a-z_]+\.[a-z_.]+\b)|(?<d>-?\b\d[\w.+]*)/g,
  llvm: /(?<c>;.*$)|(?<v>[%@][\w.$-]+)|(?<t>\b(?:i\d+|double|float|ptr|void|label)\b)|(?<n>^\s*(?:define|declare)\b|\b(?:call|load|store|br|phi|fmul|fadd|fsub|fdiv|getelementptr|icmp|fcmp|select|ret)\b)|(?<d>-?\b\d[\w.+]*)/g,
  asm: /(?<c>#.*$)|(?<v>%\w+)|(?<n>^\s+[a-z]\w*)|(?<t>^[.\w$]+:)|(?<d>\$-?\w+)/g,
  python: /(?<c>#.*$)|(?<d>"""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b\d[\w.]*)|(?<n>\b(?:def|return|for|in|if|else|elif|while|import|from|as|lambda|class|with|not|and|or|None|True|False)\b)/g,
};

function coloured(text, language) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(PATTERNS[language])) {
    const kind = Object.keys(match.groups).find((k) => match.groups[k] !== undefined);
    if (match.index > end) parts.push(["", text.slice(end, match.index)]);
    parts.push([kind, match[0]]);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(["", text.slice(end)]);
  return parts;
}

function element(tag, kind, text) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (text !== undefined) made.textContent = text;
  return made;
}
