// The copy button of a session copies what was typed, without prompts and outputs.
const PROMPTS = { python: /^(>>>|\.\.\.)( |$)/, shell: /^\$ / };

function typed(session) {
  const lines = session.innerText.split("\n");
  const prompt = lines[0].startsWith("$") ? PROMPTS.shell : PROMPTS.python;
  return lines
    .filter((line) => prompt.test(line))
    .map((line) => line.replace(prompt, ""))
    .join("\n");
}

function prepare() {
  for (const block of document.querySelectorAll(".highlight")) {
    if (block.querySelector(".gp")) {
      block.setAttribute("data-copy", typed(block.querySelector("code")));
    }
  }
}

prepare();
