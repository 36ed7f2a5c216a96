// @ts-check
/// <reference lib="dom" />
/**
 * Shows the buttons that copy a text, and leads to the search by its key. Every page is whole without it.
 */
const told = document.createElement("p");
told.className = "told";
told.setAttribute("role", "status");
document.body.append(told);

// What is drawn later has such buttons, too.
document.documentElement.classList.add("copies");

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

document.addEventListener("keydown", (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  const isWriting = target instanceof Element && target.closest("input, textarea, select, dialog") !== null;
  const field = document.querySelector("header input[type=search]");
  if (key !== "/" || ctrlKey || metaKey || altKey || isWriting || !(field instanceof HTMLElement)) return;
  event.preventDefault();
  field.focus();
});
