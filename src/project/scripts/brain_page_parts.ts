/** The style and the script of the page of techniques. */

export const PAGE_STYLE: string = `
:root{color-scheme:light dark;--line:light-dark(#d8dbe4,#3a3f4d)}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;font:16px/1.5 system-ui,sans-serif}
header,main{max-width:72rem;margin:auto;padding:1rem}
h1{font-size:1.4rem;margin:0}
h2{font-size:1rem;border-bottom:2px solid var(--hue);grid-column:1/-1;margin:1rem 0 0}
.bar,nav{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;margin:.5rem 0}
nav a{color:inherit;text-decoration:none;border-left:.5rem solid var(--hue);padding-left:.4rem}
input[type=number]{width:4rem}
textarea{width:100%;font:inherit}
section{display:grid;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr));gap:.6rem}
.card,.invent{display:flex;gap:.6rem;align-items:flex-start;border:1px solid var(--line);border-radius:.5rem;padding:.6rem}
.card:has(:checked),.invent:has(:checked){outline:2px solid var(--hue)}
.invent{border-style:dashed}
.card svg{width:2.2rem;height:2.2rem;flex:none;color:var(--hue)}
.card b,.card small{display:block}
`;

/** It reads what it shows from the page, as text. */
export const PAGE_SCRIPT: string = String.raw`
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const cards = all(".card");
  const goals = all("#goals input[value]");
  const isChosen = (card) => card.querySelector("input").checked;
  const count = (id) => Math.max(0, Math.min(20, Number.parseInt(byId(id).value, 10) || 0));
  const plural = (number, noun) => number + " " + noun + (number === 1 ? "" : "s");
  let drawn = [];

  const filter = () => {
    const terms = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = goals.filter((goal) => goal.checked).map((goal) => goal.value);
    for (const card of cards) {
      const text = (card.dataset.category + " " + card.textContent).toLowerCase();
      const tags = card.dataset.goals.split("|");
      card.hidden = !terms.every((term) => text.includes(term)) ||
        wanted.length > 0 && !wanted.some((goal) => tags.includes(goal)) ||
        byId("proven").checked && card.dataset.proven === undefined;
    }
    for (const section of all("section")) section.hidden = section.querySelector(".card:not([hidden])") === null;
  };

  const draw = () => {
    const pool = cards.filter((card) => !isChosen(card) && !card.hidden);
    drawn = drawn.filter((card) => pool.includes(card)).slice(0, count("random"));
    const rest = pool.filter((card) => !drawn.includes(card));
    while (drawn.length < count("random") && rest.length > 0) {
      drawn.push(rest.splice(Math.floor(Math.random() * rest.length), 1)[0]);
    }
  };

  const compose = () => {
    const techniques = [...cards.filter(isChosen), ...drawn].map((card, at) =>
      (at + 1) + ". " + (drawn.includes(card) ? "(random pick) " : "") + card.querySelector("b").textContent + " · " +
      card.dataset.category + "\n   " + card.querySelector("span > span").textContent
    );
    const more = [
      ...count("invent") > 0 ? ["invent " + plural(count("invent"), "new technique")] : [],
      ...all(".invent input:checked").map((one) => "invent 1 new technique in the spirit of " + one.dataset.invent),
      ...count("choose") > 0 ? ["you choose " + plural(count("choose"), "technique") + " for my goal"] : [],
    ];
    const mode = byId("mode").value;
    const isOpen = techniques.length + more.length === 0;
    const open = mode === "Ideate for me" ? "The choice of techniques is yours." : "Suggest three or four techniques.";
    return [
      "Start a brainstorming session with this choice.",
      "Facilitation mode: " + mode + ".",
      ...techniques.length > 0 ? ["Techniques:\n" + techniques.join("\n")] : [],
      ...more.length > 0 ? ["Also: " + more.join("; ") + "."] : [],
      ...isOpen ? [open] : [],
    ].join("\n\n");
  };

  const update = () => {
    filter();
    draw();
    byId("prompt").value = compose();
    byId("said").value = "";
  };

  const copyByHand = () => {
    byId("prompt").select();
    return document.execCommand("copy");
  };

  byId("copy").addEventListener("click", async () => {
    let isCopied = false;
    try {
      await navigator.clipboard.writeText(byId("prompt").value);
      isCopied = true;
    } catch {
      isCopied = copyByHand();
    }
    byId("said").value = isCopied ? "Copied. Paste it into the chat." : "Copy the text below yourself.";
  });
  document.addEventListener("input", update);
  update();
})();
`;
