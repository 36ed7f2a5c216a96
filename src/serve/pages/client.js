// @ts-check
/// <reference lib="dom" />
/**
 * Shows the buttons that copy a text, and the forms that answer a question. Every page is whole without it.
 */
const told = document.createElement("p");
told.className = "told";
told.setAttribute("role", "status");
document.body.append(told);

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (button instanceof HTMLElement) button.hidden = false;
}

document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-copy]") : null;
  if (!(button instanceof HTMLElement)) return;
  const isCopied = await copy(button.dataset["copy"] ?? "");
  told.textContent = isCopied ? "Copied." : "Cannot copy: select the text and press Ctrl+C.";
  button.textContent = isCopied ? "Copied" : "Select it";
  setTimeout(() => {
    told.textContent = "";
    button.textContent = "Copy";
  }, 3_000);
});

/**
 * Browsers offer the clipboard only to pages of this machine and to encrypted ones.
 * @param {string} text
 */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "told";
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}

/** Where the board keeps the name of whoever acts, too. */
const NAME = "bmad-mcp name";

for (const form of document.querySelectorAll("form.answer")) {
  if (!(form instanceof HTMLFormElement)) continue;
  form.hidden = false;
  const unscripted = form.previousElementSibling;
  if (unscripted instanceof HTMLElement) unscripted.hidden = true;
  const known = localStorage.getItem(NAME);
  const by = form.elements.namedItem("by");
  if (known && by instanceof HTMLInputElement && by.type !== "hidden") by.value = known;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches("form.answer")) return;
  event.preventDefault();
  const fields = new FormData(form);
  const text = String(fields.get("text") ?? "").trim() || String(fields.get("choice") ?? "");
  const by = String(fields.get("by") ?? "").trim();
  const alert = form.querySelector("[role=alert]");
  const refuse = (/** @type {string} */ words) => {
    if (alert !== null) alert.textContent = words;
  };
  if (text === "") return refuse("Choose or type an answer.");
  // A name that the server knows is not what the person would say elsewhere.
  if (form.querySelector("input[name=by][type=hidden]") === null) localStorage.setItem(NAME, by);
  const { acts = "", proof = "", number } = form.dataset;
  try {
    const answer = await fetch(acts, {
      method: "POST",
      headers: { "content-type": "application/json", "x-bmad-proof": proof },
      body: JSON.stringify({ action: "answer", number, text, by }),
    });
    const { refused } = await answer.json();
    if (refused === undefined) location.reload();
    else refuse(refused.message);
  } catch {
    refuse("The server cannot be reached.");
  }
});
