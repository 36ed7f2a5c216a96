// @ts-check
/// <reference no-default-lib="true" />
/// <reference lib="esnext" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * What a board does in a browser: cards move by pointer, keys or menu, stories are claimed and given back, filters hide
 * cards, and what others do appears by itself. Pages with forms that act do the same without cards.
 *
 * The same text runs on the page, which talks to its server, and in the MCP App, which talks to its client. The server
 * decides about every action; what it sends is parsed as a document and never run.
 */
"use strict";
(() => {
  /**
   * @typedef {{ readonly message: string, readonly objections?: readonly { readonly problem: string, readonly fix: string }[],
   *   readonly way?: "force" | "reason", readonly isOutdated?: boolean }} Refused
   * @typedef {{ readonly text: string, readonly undo?: Fields }} Done
   * @typedef {{ readonly done?: Done, readonly refused?: Refused }} Answer
   * @typedef {Record<string, string | boolean | undefined>} Fields
   * @typedef {{
   *   load(): Promise<Document>,
   *   act(fields: Fields, lanes: HTMLElement): Promise<Answer>,
   *   open(card: HTMLElement): void,
   * }} Transport
   */

  const UNDO_MS = 10_000;
  const FILTERS = ["words", "only", "epic", "holder"];
  /** Where pages keep the name of whoever acts; an app forgets it. */
  const NAME = "bmad-mcp name";

  /** @param {string} id @returns {any} */
  const byId = (id) => document.getElementById(id);
  const root = () => /** @type {HTMLElement} */ (byId("board"));
  /** @param {ParentNode} from @param {string} selector @returns {any} */
  const first = (from, selector) => from.querySelector(selector);
  /** @param {Element | EventTarget | null} from @param {string} selector @returns {any} */
  const around = (from, selector) => from instanceof Element ? from.closest(selector) : null;
  /** @param {ParentNode} from @param {string} selector @returns {HTMLElement[]} */
  const all = (from, selector) => /** @type {HTMLElement[]} */ ([...from.querySelectorAll(selector)]);
  /** @param {string} name @param {...(string | Node)} content */
  const element = (name, ...content) => {
    const made = document.createElement(name);
    made.append(...content);
    return made;
  };
  /** @param {string} words */
  const tell = (words) => {
    const line = byId("live");
    if (line !== null) line.textContent = words;
  };

  /** @type {Transport} */
  let transport;
  /** @type {HTMLElement | null} */
  let dragged = null;
  /** Whether somebody waits for a drawing that could not be put in place yet. */
  let isPending = false;
  let acting = 0;
  let ownName = "";
  const isBusy = () => dragged !== null || acting > 0;

  // What the server draws takes the place of what is shown.

  let loading = 0;
  /** Draws the board as it is now; the last of several calls wins. */
  const load = async () => {
    // A card that is being moved must not be taken from under the pointer.
    if (isBusy()) return void (isPending = true);
    const own = ++loading;
    const next = (await transport.load()).getElementById("board");
    if (own !== loading || next === null) return;
    if (isBusy()) isPending = true;
    else show(next);
  };

  /** @param {HTMLElement} next */
  const show = (next) => {
    const now = root();
    for (const name of ["version", "who"]) now.dataset[name] = next.dataset[name] ?? "";
    for (const fold of all(next, "details[id]")) {
      const old = byId(fold.id);
      if (old !== null) fold.toggleAttribute("open", old.open);
    }
    const focus = focusedPlace();
    const filters = byId("filters");
    if (filters === null) {
      /** @type {any[]} */
      const fields = all(now, ".act :is(input, textarea)[id]");
      const typed = fields.filter((one) =>
        one.value !== one.defaultValue || one.checked !== one.defaultChecked
      );
      now.replaceChildren(...next.childNodes);
      for (const { id, value, checked } of typed) Object.assign(byId(id) ?? {}, { value, checked });
    } else {
      for (const name of ["only", "epic", "holder"]) {
        const [list, fresh] = [now, next].map((one) => first(one, `[name=${name}]`));
        if (list === null) continue;
        const { value } = list;
        if (fresh !== null) list.replaceChildren(...fresh.childNodes);
        choose(list, value);
      }
      for (const id of ["summary", "drawn"]) byId(id).replaceWith(first(next, `#${id}`));
    }
    filter();
    focus();
    if (menuOf !== null) placeMenu(byId(menuOf));
  };

  /** Remembers what has the focus; returns a function that gives it back, in the new drawing. */
  const focusedPlace = () => {
    const at = document.activeElement;
    const owner = around(at, "#board [id]");
    if (at === null || owner === null) return () => {};
    const [id, part] = [owner.id, at === owner ? "" : at.className.split(" ")[0] || at.tagName.toLowerCase()];
    return () => {
      const found = byId(id);
      const target = part === ""
        ? found
        : found?.querySelector(/^[A-Z]|summary|^a$/.test(part) ? part : `.${part}`);
      target?.focus({ preventScroll: true });
    };
  };

  const settle = () => {
    if (!isPending || isBusy()) return;
    isPending = false;
    refresh();
  };

  const refresh = () => load().catch(() => tell("Cannot reach the server."));

  // Filters hide cards; they are kept in the address.

  /** @param {string} name @returns {any} */
  const filterField = (name) => first(root(), `#filters [name=${name}]`);

  /** Those that there are: of a board alone, no project. @returns {any[]} */
  const filterFields = () => FILTERS.map(filterField).filter((field) => field !== null);

  /** @param {any} field @param {string} value */
  const choose = (field, value) => {
    field.value = value;
    // An option that is no longer there.
    if (field.value !== value) field.value = "";
  };

  const filter = () => {
    const [words, only, epic, holder] = FILTERS.map(filterField);
    if (words === null) return;
    const project = only?.value ?? "";
    for (const section of all(root(), "[data-project]")) {
      section.hidden = project !== "" && section.dataset.project !== project;
    }
    const terms = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFiltered = terms.length > 0 || project !== "" || epic.value !== "" || holder.value !== "";
    for (const card of all(root(), ".story")) {
      const text = (card.textContent ?? "").toLowerCase();
      const { epic: ofEpic, holder: ofHolder, free } = card.dataset;
      card.hidden = !(terms.every((/** @type {string} */ term) => text.includes(term)) &&
        (epic.value === "" || epic.value === ofEpic) &&
        (holder.value === "" || (holder.value === "-" ? free !== undefined : holder.value === ofHolder)));
    }
    for (const column of all(root(), ".column")) {
      const cards = all(column, ".story");
      const shown = cards.filter((card) => !card.hidden).length;
      const count = column.querySelector(".count");
      const total = Number(column.dataset.total ??= count?.textContent ?? "0");
      if (count !== null) count.textContent = isFiltered ? `${shown} of ${total}` : String(total);
    }
    byId("clear").hidden = !isFiltered;
  };

  const keepFilters = () => {
    if (transport !== page) return;
    const all = new URLSearchParams(location.search);
    for (const { name, value } of filterFields()) {
      if (value === "") all.delete(name);
      else all.set(name, value);
    }
    history.replaceState(null, "", location.pathname + (all.size === 0 ? "" : `?${all}`));
  };

  const restoreFilters = () => {
    const chosen = new URLSearchParams(location.search);
    for (const field of filterFields()) choose(field, chosen.get(field.name) ?? "");
  };

  // Actions: who does it is asked once, a refusal is shown, and forcing is a second step.

  /**
   * Shows a dialog with a field; empty unless the person confirms it.
   * @param {any} dialog @param {string} value @returns {Promise<string>}
   */
  const askIn = async (dialog, value) => {
    const field = first(dialog, "input");
    field.value = value;
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    return dialog.returnValue === "ok" ? field.value.trim() : "";
  };

  /** The server may know it; otherwise it is what the person has said. */
  const knownName = () =>
    root().dataset.name ?? (transport === page ? localStorage.getItem(NAME) ?? ownName : ownName);

  /** @returns {Promise<string>} Empty if the person would not say. */
  const nameOfPerson = async () => {
    const known = knownName();
    if (known !== "") return known;
    ownName = await askIn(byId("who"), root().dataset.who ?? "");
    if (ownName !== "" && transport === page) localStorage.setItem(NAME, ownName);
    return ownName;
  };

  /**
   * Sends an action, again by force if the person wants that.
   * @param {HTMLElement} lanes @param {Fields} fields @returns {Promise<Done | undefined>}
   */
  const send = async (lanes, fields) => {
    const by = await nameOfPerson();
    if (by === "") return undefined;
    let { done, refused } = await transport.act({ ...fields, by }, lanes);
    while (refused !== undefined) {
      const reason = await askToForce(refused);
      if (reason === "") return undefined;
      const force = refused.way === "force" || undefined;
      ({ done, refused } = await transport.act({ ...fields, by, force, reason }, lanes));
    }
    return done;
  };

  /** @param {string} words */
  const sentence = (words) =>
    words.replace(/^[a-z](?=[a-z]*(?:[ ,]|$))/, (one) => one.toUpperCase()).replace(/[^.?!]$/, "$&.");

  /** @param {Refused} refused @returns {Promise<string>} The reason for force; empty for none. */
  const askToForce = async ({ message, objections = [], way }) => {
    const [what, why] = message.split(/: ([^]*)/);
    byId("refusal-title").textContent = why === undefined ? "That did not work" : what;
    byId("refusal-why").textContent = sentence(why ?? message);
    byId("refusal-list").replaceChildren(
      ...objections.map(({ problem, fix }) => element("li", problem, element("span", `Fix: ${fix}`))),
    );
    const [more, force, label] = [byId("refusal-more"), byId("refusal-force"), byId("refusal-reason")];
    more.hidden = way === undefined;
    force.textContent = way === "reason" ? "Confirm" : "Force it";
    more.textContent = way === "reason" ? "Confirm …" : "Do it anyway …";
    force.hidden = label.hidden = true;
    more.onclick = () => {
      more.hidden = true;
      force.hidden = label.hidden = false;
      first(label, "input").focus();
    };
    return await askIn(byId("refusal"), "");
  };

  /**
   * Acts on the story of a card. The board is not redrawn until that is done.
   * @template T @param {HTMLElement} card @param {() => Promise<T>} work @returns {Promise<T | undefined>}
   */
  const doing = async (card, work) => {
    acting++;
    card.setAttribute("aria-busy", "true");
    try {
      return await work();
    } catch {
      await askToForce({ message: "Cannot reach the server." });
      return undefined;
    } finally {
      acting--;
      card.removeAttribute("aria-busy");
      isPending = true;
      settle();
    }
  };

  /** @param {HTMLElement} card @returns {HTMLElement} */
  const lanesOf = (card) => around(card, "[data-acts]");
  /** @param {HTMLElement} card @returns {HTMLElement} */
  const columnOf = (card) => around(card, ".column");
  /** @param {HTMLElement} card */
  const focusCard = (card) => first(card, ".title")?.focus();

  /** @param {HTMLElement} card @param {HTMLElement} column */
  const move = (card, column) => {
    const { state, title } = column.dataset;
    if (state === undefined || state === card.dataset.state) return;
    const [from, next, hadFocus] = [columnOf(card), card.nextSibling, card.contains(document.activeElement)];
    const lanes = lanesOf(card);
    const { story, ref, claim } = card.dataset;
    /** @param {HTMLElement} to @param {HTMLElement} away @param {Node | null} before */
    const put = (to, away, before) => {
      to.querySelector("ul")?.insertBefore(card, before);
      recount(away, -1);
      recount(to, 1);
      if (hadFocus) focusCard(card);
    };
    put(column, from, null);
    return doing(card, async () => {
      const done = await send(lanes, { action: "mark", story, status: state });
      if (done !== undefined) {
        return toastDone(card, done, claim, `Moved ${ref} to ${title}.`);
      }
      put(from, column, next);
    });
  };

  /** @param {HTMLElement} column @param {number} by */
  const recount = (column, by) => {
    column.dataset.total = String(Number(column.dataset.total) + by);
    filter();
  };

  /**
   * Says what was done, and what there is to know of it. What moved back belongs to whom it belonged before.
   * @param {HTMLElement} at @param {Done} done @param {string=} claim @param {string=} words
   */
  const toastDone = (at, done, claim, words) => {
    const [line = "", ...more] = done.text.split("\n");
    const notes = more.filter((one) => one.startsWith("Note: ")).map((one) => sentence(one.slice(6)));
    const lanes = lanesOf(at);
    const undo = () =>
      doing(at, async () => {
        const fields = done.undo ?? {};
        if (await send(lanes, fields) === undefined) return;
        const [{ action, story }, by] = [fields, knownName()];
        if (action === "mark" && claim === undefined) {
          await transport.act({ action: "release", story, by }, lanes);
        } else if (action === "mark" && claim === by) {
          await transport.act({ action: "claim", story, by }, lanes);
        }
        toast("Undone: it is as it was.");
      });
    toast([words ?? line, ...notes].join(" "), done.undo && undo);
  };

  /** @param {HTMLElement} at @param {Fields} fields */
  const perform = (at, fields) =>
    doing(at, async () => {
      const done = await send(lanesOf(at), fields);
      if (done === undefined) return void first(at, "input[id]")?.focus();
      if (at instanceof HTMLFormElement) at.reset();
      toastDone(at, done, at.dataset.claim);
    });

  let toastEnds = 0;
  /** @param {string} words @param {(() => unknown)=} undoing */
  const toast = (words, undoing) => {
    const [box, button] = [byId("toast"), byId("undo")];
    byId("toast-text").textContent = words;
    button.hidden = undoing === undefined;
    button.onclick = () => {
      box.hidden = true;
      undoing?.();
    };
    box.hidden = false;
    const own = ++toastEnds;
    const end = () => {
      if (own !== toastEnds) return;
      // Whoever is about to press it gets the time to do so.
      if (box.matches(":hover, :focus-within")) setTimeout(end, 1_000);
      else box.hidden = true;
    };
    setTimeout(end, UNDO_MS);
  };

  // The menu of a card.

  /** @type {string | null} The id of the card whose menu is open. */
  let menuOf = null;

  /** @param {HTMLElement} card */
  const openMenu = (card) => {
    closeMenu();
    const menu = byId("menu");
    const others = all(lanesOf(card), ".column").filter(({ dataset }) =>
      dataset.state !== card.dataset.state
    );
    const moves = others.map(({ dataset: { state, title } }) => {
      const dot = element("i");
      dot.className = `dot s-${state}`;
      const chosen = () => {
        // The board may have been drawn again.
        const now = byId(card.id);
        const target = first(lanesOf(now), `.column[data-state="${state}"]`);
        if (target !== null) move(now, target);
      };
      return menuItem(chosen, dot, `Move to ${title}`);
    });
    const { claim, state } = card.dataset;
    const isHeld = claim !== undefined;
    const holding = menuItem(
      () => perform(byId(card.id), { action: isHeld ? "release" : "claim", story: card.dataset.story }),
      isHeld ? "Release" : "Claim",
    );
    menu.replaceChildren(
      ...moves,
      element("hr"),
      ...(isHeld || state !== "done" ? [holding] : []),
      menuItem(() => transport.open(byId(card.id)), "Open story"),
    );
    menu.hidden = false;
    menuOf = card.id;
    placeMenu(card);
    menu.querySelector("button")?.focus();
  };

  /** @param {() => unknown} chosen @param {...(string | Node)} content */
  const menuItem = (chosen, ...content) => {
    const item = /** @type {HTMLButtonElement} */ (element("button", ...content));
    item.type = "button";
    item.setAttribute("role", "menuitem");
    item.tabIndex = -1;
    item.onclick = () => {
      closeMenu(true);
      chosen();
    };
    return item;
  };

  /** @param {HTMLElement | null} card */
  const placeMenu = (card) => {
    const menu = byId("menu");
    const button = card?.querySelector(".more");
    if (!button) return closeMenu();
    button.setAttribute("aria-expanded", "true");
    const { left, right, bottom } = button.getBoundingClientRect();
    const width = menu.offsetWidth;
    const at = right - width >= 8 ? right - width : Math.min(left, innerWidth - width - 8);
    menu.style.left = `${Math.max(8, at) + scrollX}px`;
    menu.style.top = `${bottom + 4 + scrollY}px`;
  };

  const closeMenu = (isBack = false) => {
    if (menuOf === null) return;
    const button = byId(menuOf)?.querySelector(".more");
    button?.setAttribute("aria-expanded", "false");
    menuOf = null;
    byId("menu").hidden = true;
    if (isBack) button?.focus();
  };

  /** @param {KeyboardEvent} event */
  const menuKey = (event) => {
    const items = all(byId("menu"), "button");
    const at = items.findIndex((item) => item === document.activeElement);
    /** @type {Record<string, number | undefined>} */
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 };
    const step = steps[event.key];
    if (event.key === "Escape" || event.key === "Tab") closeMenu(true);
    else if (step !== undefined) items[step % items.length]?.focus();
    else return;
    event.preventDefault();
  };

  // Keys on a card: arrows walk over the board, with Shift they move the card.

  /** @param {KeyboardEvent} event */
  const cardKey = (event) => {
    const card = around(event.target, ".story");
    if (card === null || event.altKey || event.ctrlKey || event.metaKey || !event.key.startsWith("Arrow")) {
      return;
    }
    const columns = all(lanesOf(card), ".column");
    const at = columns.indexOf(columnOf(card));
    /** @param {HTMLElement} column */
    const cardsIn = (column) => all(column, ".story").filter((one) => !one.hidden);
    const own = cardsIn(columnOf(card));
    const row = own.indexOf(card);
    const isAcross = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
    if (event.shiftKey) {
      const target = isAcross ? columns[at + step] : undefined;
      if (target === undefined || lanesOf(card).dataset.acts === undefined) return;
      move(card, target);
    } else {
      const beyond = step > 0 ? columns.slice(at + 1) : columns.slice(0, at).reverse();
      const cards = beyond.map(cardsIn).find((some) => some.length > 0) ?? [];
      const next = isAcross ? cards[Math.min(row, cards.length - 1)] : own[row + step];
      if (next !== undefined) focusCard(next);
    }
    event.preventDefault();
  };

  /** Closes a dialog with what it asks for, once that is there. @param {any} dialog */
  const confirmIn = (dialog) => {
    const field = dialog.querySelector("input");
    field.value = field.value.trim();
    if (field.closest("[hidden]") === null && field.reportValidity()) dialog.close("ok");
  };

  const listen = () => {
    document.addEventListener("click", (event) => {
      const card = around(event.target, ".story");
      const button = around(event.target, "button");
      if (button?.classList.contains("more") && card !== null) {
        if (menuOf === card.id) closeMenu(true);
        else openMenu(card);
        return;
      }
      if (around(event.target, "#menu") === null) closeMenu();
      if (button?.dataset.do === "close") around(button, "dialog").close();
      if (button?.dataset.do === "open" && card !== null) transport.open(card);
      if (button?.dataset.do === "ok") confirmIn(around(button, "dialog"));
      if (button?.id === "clear") {
        for (const field of filterFields()) field.value = "";
        filter();
        keepFilters();
      }
    });
    document.addEventListener("submit", (event) => {
      const form = around(event.target, "form.act");
      if (form === null) return;
      event.preventDefault();
      const fields = [...new FormData(form, event.submitter)].filter(([, value]) => value !== "");
      perform(form, Object.fromEntries(fields.map(([name, value]) => [name, String(value)])));
    });
    document.addEventListener("input", (event) => {
      if (around(event.target, "#filters") === null) return;
      filter();
      keepFilters();
    });
    document.addEventListener("keydown", (event) => {
      const dialog = around(event.target, "dialog input") && around(event.target, "dialog");
      if (dialog !== null && event.key === "Enter") {
        // What gets the focus back must not be pressed, too.
        event.preventDefault();
        confirmIn(dialog);
      } else if (menuOf === null) cardKey(event);
      else menuKey(event);
    });
    document.addEventListener("dragstart", (event) => {
      const card = around(event.target, ".story[draggable]");
      if (card === null || event.dataTransfer === null) return;
      closeMenu();
      dragged = card;
      event.dataTransfer.setData("text/plain", card.dataset.ref ?? "");
      event.dataTransfer.effectAllowed = "move";
      card.classList.add("dragged");
    });
    /** @param {DragEvent} event */
    const target = (event) => {
      /** @type {HTMLElement | null} */
      const column = around(event.target, ".column");
      return dragged !== null && column !== null && lanesOf(column) === lanesOf(dragged) ? column : null;
    };
    /** @param {HTMLElement | null} column */
    const light = (column) =>
      all(root(), ".column").forEach((one) => one.classList.toggle("over", one === column));
    document.addEventListener("dragover", (event) => {
      const column = target(event);
      light(dragged !== null && columnOf(dragged) === column ? null : column);
      if (column !== null) event.preventDefault();
    });
    document.addEventListener("drop", (event) => {
      const column = target(event);
      if (column === null || dragged === null) return;
      event.preventDefault();
      const card = dragged;
      endDrag();
      move(card, column);
    });
    const endDrag = () => {
      dragged?.classList.remove("dragged");
      dragged = null;
      light(null);
      settle();
    };
    document.addEventListener("dragend", endDrag);
  };

  /** @param {string} text */
  const parse = (text) => new DOMParser().parseFromString(text, "text/html");

  // The page: its server draws the board, answers actions, and tells of changes in a stream.

  /** @type {Transport} */
  const page = {
    load: async () => {
      const answer = await fetch(location.pathname + location.search);
      if (!answer.ok) throw new Error("no page");
      return parse(await answer.text());
    },
    act: async (fields, lanes) => {
      /** @returns {Promise<Answer>} */
      const ask = async () => {
        const answer = await fetch(lanes.dataset.acts ?? "", {
          method: "POST",
          headers: { "content-type": "application/json", "x-bmad-proof": lanes.dataset.proof ?? "" },
          body: JSON.stringify(fields),
        });
        const body = await answer.json();
        return answer.ok && body.refused === undefined
          ? { done: body }
          : { refused: body.refused ?? body.error };
      };
      const answer = await ask();
      if (!answer.refused?.isOutdated) return answer;
      // The server was restarted, and wants a new proof.
      const fresh = first(await page.load(), `[data-acts="${lanes.dataset.acts}"]`);
      lanes.dataset.proof = fresh?.dataset.proof ?? "";
      return await ask();
    },
    open: (card) => card.querySelector("a")?.click(),
  };

  const follow = () => {
    // A page of very many boards is not kept up to date.
    const address = root().dataset.events;
    if (!address) return;
    const events = new EventSource(address);
    let isFirst = true;
    events.addEventListener("board", ({ data }) => {
      tell(
        isFirst || data === root().dataset.version
          ? "Updates by itself."
          : `Updated at ${new Date().toLocaleTimeString()}.`,
      );
      isFirst = false;
      if (data !== root().dataset.version) refresh();
    });
    events.addEventListener("error", () => tell("Connection lost: reload the page if it stays so."));
  };

  // The app: its client passes calls on to the server, in the messages of the extension.

  const openApp = () => {
    const waiting = new Map();
    let last = 0;
    let canCall = false;
    /** @param {object} message */
    const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
    /** @param {string} method @param {object} params @returns {Promise<any>} */
    const ask = (method, params) =>
      new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        post({ id: last, method, params });
      });
    /** @param {{ readonly content?: readonly { readonly text?: string }[] }} result */
    const textIn = ({ content = [] }) => content.map((block) => block.text ?? "").join("\n");
    /** The tool that reads; what changes something is another's. */
    const reader = root().dataset.app;
    /** Calls a tool, and joins the parts of its answer. @param {string | undefined} name @param {Fields} fields */
    const call = async (name, fields) => {
      let text = "";
      for (let part = 1; part <= 1000; part++) {
        const args = { ...fields, ...(part > 1 && { part }) };
        const result = await ask("tools/call", { name, arguments: args });
        const piece = textIn(result);
        const note = /\n\[part (\d+) of (\d+)[^\n]*\]$/.exec(piece);
        text += note === null ? piece : piece.slice(0, note.index);
        if (note === null || note[1] === note[2]) return { text, isError: result.isError === true };
      }
      throw new Error("too long");
    };
    transport = {
      load: async () => {
        const { text, isError } = await call(reader, { operation: "board", format: "app" });
        if (isError) throw new Error(text);
        return parse(text);
      },
      act: async ({ action, ...fields }) => {
        const { text, isError } = await call("bmad_work", { operation: action, format: "app", ...fields });
        try {
          return isError ? { refused: JSON.parse(text) } : { done: JSON.parse(text) };
        } catch {
          return { refused: { message: text } };
        }
      },
      open: async (card) => {
        const { text } = await call(reader, { operation: "show", story: card.dataset.story });
        byId("told-title").textContent = card.querySelector(".title")?.textContent ?? "";
        byId("told-text").textContent = text;
        byId("told").showModal();
      },
    };
    const showAll = () =>
      load().then(() => tell(""), (error) => tell(`The board cannot be read: ${error.message}`));
    /** @param {string | undefined} theme */
    const setTheme = (theme) => {
      if (theme) document.documentElement.dataset.theme = theme;
    };
    addEventListener("message", ({ source, data }) => {
      if (source !== parent || data?.jsonrpc !== "2.0") return;
      const { id, method, params, result, error } = data;
      if (method === undefined) {
        const { resolve, reject } = waiting.get(id) ?? {};
        waiting.delete(id);
        if (error) reject?.(new Error(error.message));
        else resolve?.(result);
      } else if (id !== undefined) post({ id, result: {} });
      else if (method === "ui/notifications/tool-result") {
        if (canCall) showAll();
        else byId("drawn").replaceChildren(element("pre", textIn(params)));
      } else if (method === "ui/notifications/tool-input") {
        // A call about content alone has nothing to do with the board.
        const operation = String(params.arguments?.operation ?? "").toLowerCase();
        document.body.hidden = ["list", "read", "execute", "search"].includes(operation);
      } else if (method === "ui/notifications/host-context-changed") setTheme(params.theme);
    });
    const begin = async () => {
      const { hostCapabilities, hostContext } = await ask("ui/initialize", {
        appInfo: { name: "bmad-board", version: "1" },
        appCapabilities: {},
        protocolVersion: "2026-01-26",
      });
      setTheme(hostContext?.theme);
      canCall = hostCapabilities?.serverTools !== undefined;
      post({ method: "ui/notifications/initialized", params: {} });
      new ResizeObserver(() => {
        const { scrollWidth: width, scrollHeight: height } = document.documentElement;
        post({ method: "ui/notifications/size-changed", params: { width, height } });
      }).observe(document.body);
      byId("refresh").hidden = !canCall;
      byId("refresh").onclick = showAll;
      if (canCall) showAll();
      else tell("");
    };
    begin();
  };

  if (root() === null) return;
  root().classList.add("works");
  listen();
  if (root().dataset.app !== undefined) openApp();
  else {
    transport = page;
    restoreFilters();
    filter();
    follow();
  }
})();
