// The copy button of a session of Python copies the code, without prompts and outputs.
function codeOf(session) {
  const lines = session.innerText.split("\n");
  return lines
    .filter((line) => /^(>>>|\.\.\.)( |$)/.test(line))
    .map((line) => line.slice(4))
    .join("\n");
}

function prepare() {
  for (const session of document.querySelectorAll(".language-pycon code, .language-console code")) {
    const block = session.closest(".highlight");
    if (block.classList.contains("language-pycon")) {
      block.setAttribute("data-copy", codeOf(session));
    } else {
      const commands = session.innerText.split("\n").filter((line) => line.startsWith("$ "));
      block.setAttribute("data-copy", commands.map((line) => line.slice(2)).join("\n"));
    }
  }
}

document.addEventListener("DOMContentLoaded", prepare);
