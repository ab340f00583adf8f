// The copy button of a session copies what was typed, without prompts and outputs; drawings are marked.
const PROMPTS = { python: /^(>>>|\.\.\.)( |$)/, shell: /^\$ / };

function typed(session) {
  const lines = session.innerText.split("\n");
  const prompt = lines[0].startsWith("$") ? PROMPTS.shell : PROMPTS.python;
  return lines
    .filter((line) => prompt.test(line))
    .map((line) => line.replace(prompt, ""))
    .join("\n");
}

// Lines of a drawing are boxes and arrows, which would come apart on two lines.
function isDrawing(text) {
  return /[\u2500-\u257f\u25bc]/.test(text);
}

function prepare() {
  for (const block of document.querySelectorAll(".highlight")) {
    if (block.querySelector(".gp")) {
      block.setAttribute("data-copy", typed(block.querySelector("code")));
    }
    if (isDrawing(block.innerText)) {
      block.classList.add("drawing");
    }
  }
}

prepare();
