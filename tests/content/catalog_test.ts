/** Does a name find what a person would expect, and does the manifest keep the records that are overridden? */
import assert from "node:assert/strict";
import {
  buildManifest,
  effectiveEntries,
  type NameQuery,
  overriddenEntries,
  resolveName,
  visibleEntries,
} from "../../src/content/catalog/mod.ts";
import {
  type Inventory,
  type Item,
  type Kind,
  type OriginKind,
  qualifiedName,
} from "../../src/base/model.ts";

/** An item; what is not said is that of a plain workflow in the skills generation. */
function item(module: string, id: string, name: string, rest: Partial<Item> = {}): Item {
  return {
    kind: "skill",
    roles: ["workflow"],
    id,
    name,
    module,
    generation: "skills",
    status: "verified",
    folder: `${module}/${id}`,
    ownsFolder: true,
    file: `${module}/${id}/SKILL.md`,
    description: `About ${id}.`,
    ...rest,
  };
}

function source(kind: OriginKind, priority: number, items: readonly Item[], rest: Partial<Inventory> = {}) {
  const inventory: Inventory = { roots: [], modules: [], items, mounts: [], diagnostics: [], ...rest };
  return { origin: { id: kind, kind, priority, location: `/${kind}` }, inventory };
}

const agent = (displayName: string, title: string): Partial<Item> => ({
  roles: ["agent"],
  displayName,
  title,
});
const v4 = (kind: Kind, rest: Partial<Item> = {}): Partial<Item> => ({
  kind,
  roles: [],
  generation: "v4",
  ownsFolder: false,
  ...rest,
});

const SOURCES = [
  source("project", 1, [
    item("bmm", "bmad-agent-scout", "scout", agent("Rhea", "Field Scout")),
    item("bmm", "bmad-map", "map"),
    item("core", "bmad-notes", "notes", { roles: ["workflow", "task"] }),
    item("bmm", "bmad-ghost", "ghost", { status: "no-file-found", file: "_bmad/bmm/bmad-ghost/SKILL.md" }),
    item("bmm", "bmad-draw-map", "draw-map", { roles: ["workflow", "shim"] }),
  ]),
  source("user", 4, [
    item("bmm", "bmad-agent-scout", "scout", agent("Rhea", "Old Scout")),
    item("cis", "bmad-cis-map", "map"),
    item("cis", "bmad-cis-agent-poet", "poet", agent("Ada", "Poet")),
    item("tea", "bmad-tea", "tea", agent("Murat", "Tester")),
    item("one", "bmad-rest", "rest"),
    item("two", "bmad-rest", "rest"),
    item("bmm", "bmad-ghost", "ghost"),
  ]),
  source("package", 9, [
    item("bmad-core", "scout", "scout", v4("agent", { displayName: "Rex" })),
    item("bmad-core", "survey", "survey", v4("workflow")),
    item("bmad-core", "survey-agent", "survey-agent", v4("agent", { displayName: "Survey" })),
    item("bmad-core", "create-doc", "create-doc", v4("task")),
    item("bmad-core", "Field-Guide", "field-guide", v4("knowledge")),
  ]),
];

const { entries } = buildManifest(SOURCES);

/** An answer in one line: `origin module/id`, or the outcome and its names. */
function meaningOf(query: NameQuery): string {
  const answer = resolveName(entries, query);
  switch (answer.outcome) {
    case "found":
      return `${answer.entry.origin.id} ${qualifiedName(answer.entry)}`;
    case "ambiguous":
      return `ambiguous: ${answer.candidates.map(qualifiedName).join(" ")}`;
    case "missing":
      return `missing: ${answer.suggestions.join(" ")}`.trim();
  }
}

function check(table: Readonly<Record<string, readonly (string | NameQuery)[]>>): void {
  for (const [meaning, queries] of Object.entries(table)) {
    for (const query of queries) {
      const full = typeof query === "string" ? { name: query } : query;
      assert.equal(meaningOf(full), meaning, JSON.stringify(query));
    }
  }
}

Deno.test("an agent answers to id and name [names:plain, names:agent-generations]", () =>
  check({
    "project bmm/bmad-agent-scout": [
      "scout",
      "bmad-agent-scout",
      "bmad-scout",
      "agent-scout",
      "SCOUT",
      "BMad-Agent-Scout",
      "  scout  ",
      "scout.md",
      "scout.agent.yaml",
    ],
    "user cis/bmad-cis-agent-poet": ["poet", "bmad-cis-agent-poet"],
    "user tea/bmad-tea": ["tea"],
    "package bmad-core/Field-Guide": ["field-guide"],
  }));

Deno.test("a module comes before a slash, a dot or a dash [names:module-forms]", () =>
  check({
    "project bmm/bmad-agent-scout": [
      "bmm/scout",
      "bmm.scout",
      "bmm-scout",
      "bmm/bmad-agent-scout",
      "bmm.bmad-agent-scout",
      "BMM/Scout",
      "bmad-bmm-scout",
      "bmad-agent-bmm-scout",
    ],
    "user cis/bmad-cis-map": ["cis-map"],
    "user cis/bmad-cis-agent-poet": ["cis-poet"],
    "package bmad-core/create-doc": ["bmad-core/create-doc", "bmad-core-create-doc"],
  }));

Deno.test("a name is found inside what coding tools and people put around it", () =>
  check({
    "project bmm/bmad-agent-scout": [
      "@scout",
      "bmm:scout",
      "/bmad:bmm:agents:scout",
      "/BMad:agents:scout",
      "_bmad/bmm/agents/scout.md",
      "bmm/agents/scout",
      "scout agent",
      "the scout",
    ],
    "project bmm/bmad-map": ["/bmad-map"],
    "user cis/bmad-cis-map": ["bmad:cis:workflows:map"],
    "missing: bmm/bmad-map cis/bmad-cis-map": ["bmm:agents:map"],
    "package bmad-core/create-doc": ["create_doc", "Create Doc"],
    "missing:": ["@", ":"],
  }));

Deno.test("a star means a workflow [names:star-workflow]", () =>
  check({
    "project bmm/bmad-map": ["*map"],
    "project core/bmad-notes": ["*core/notes"],
    "user cis/bmad-cis-map": ["*cis.map"],
    "package bmad-core/survey": ["*survey"],
    "missing: cis/bmad-cis-agent-poet": ["*poet"],
    "missing:": ["*"],
  }));

Deno.test("an agent answers to its persona's name and to its title [names:persona]", () =>
  check({
    "project bmm/bmad-agent-scout": ["Rhea", "rhea", "bmm/Rhea", "field scout"],
    "package bmad-core/scout": ["Rex"],
    "user bmm/bmad-agent-scout": ["Old Scout"],
  }));

Deno.test("a given module limits the lookup to that module [names:module-limits]", () =>
  check({
    "user cis/bmad-cis-map": [{ name: "map", module: "cis" }, { name: "map", module: "CIS" }, "cis/map"],
    "package bmad-core/scout": [{ name: "scout", module: "bmad-core" }],
    "project bmm/bmad-agent-scout": [{ name: "scout", module: " " }],
    "missing: cis/bmad-cis-agent-poet": [{ name: "poet", module: "bmm" }, "bmm/poet"],
    "missing: core/bmad-notes": [{ name: "notes", module: "nowhere" }],
  }));

Deno.test("a shared name means the best origin's item [names:best-origin, origins:priority-order]", () =>
  check({
    "project bmm/bmad-map": ["map"],
    "project bmm/bmad-agent-scout": ["scout", "bmm/scout"],
  }));

Deno.test("a name shared by two modules of one origin is ambiguous until the module is given", () =>
  check({
    "ambiguous: one/bmad-rest two/bmad-rest": ["rest", "bmad-rest", "*rest"],
    "user two/bmad-rest": ["two/rest"],
    "user one/bmad-rest": [{ name: "rest", module: "one" }],
  }));

Deno.test("a shim is found only when nothing else matches", () =>
  check({
    "project bmm/bmad-draw-map": ["draw-map", "bmad-draw-map", "bmm/draw-map"],
  }));

Deno.test("a record without a file is skipped in favour of the next origin", () => {
  check({ "user bmm/bmad-ghost": ["ghost", "bmm/bmad-ghost"] });
  const { entries } = buildManifest(SOURCES.slice(0, 1));
  assert.deepEqual(resolveName(entries, { name: "ghost" }), {
    outcome: "missing",
    suggestions: [],
    isLost: true,
  });
});

Deno.test("a requested kind excludes the others, by role too", () =>
  check({
    "project core/bmad-notes": [{ name: "notes", kind: "task" }],
    "project bmm/bmad-map": [{ name: "map", kind: "skill" }],
    "missing:": [{ name: "map", kind: "agent" }],
    "project bmm/bmad-agent-scout": [{ name: "scout", kind: "agent" }],
    "package bmad-core/survey-agent": [{ name: "Survey", kind: "agent" }],
    "package bmad-core/survey": [{ name: "survey" }],
  }));

Deno.test("an unknown name gets up to five suggestions [names:near-names]", () => {
  check({
    "missing: bmad-core/scout bmm/bmad-agent-scout": ["scuot", "bmm/scot"],
    "missing: bmm/bmad-agent-scout": ["Rhae"],
    "missing: cis/bmad-cis-agent-poet": ["poe", "bmad-agent-pot"],
    "missing:": ["xylophone-repair", "", "   ", "/", "constructor", "../../etc/passwd"],
  });
  const many = Array.from({ length: 9 }, (_, i) => item("bmm", `bmad-test-${i}`, `test-${i}`));
  const crowd = buildManifest([source("project", 1, many)]).entries;
  const suggestions = [0, 1, 2, 3, 4].map((at) => `bmm/bmad-test-${at}`);
  assert.deepEqual(resolveName(crowd, { name: "test" }), { outcome: "missing", suggestions });
});

Deno.test("the manifest keeps every record [origins:nothing-flattened, origins:record-facts]", () => {
  assert.equal(entries.length, 17);
  const scouts = entries.filter(({ id }) => id === "bmad-agent-scout");
  for (const [rank, origin] of ["project", "user"].entries()) {
    assert.partialDeepStrictEqual(scouts[rank], {
      key: `${origin}:bmm:skill:bmad-agent-scout`,
      origin: { id: origin },
      ...{ rank, position: 0, status: "verified", generation: "skills", module: "bmm" },
      file: "bmm/bmad-agent-scout/SKILL.md",
    });
  }
  assert.equal(new Set(entries.map(({ key }) => key)).size, 17);
});

Deno.test("each item is effective once, from the best origin [origins:priority-order]", () => {
  const effective = effectiveEntries(buildManifest(SOURCES));
  assert.deepEqual(effective.map((entry) => `${entry.origin.id} ${qualifiedName(entry)}`), [
    "project bmm/bmad-agent-scout",
    "project bmm/bmad-map",
    "project core/bmad-notes",
    "project bmm/bmad-draw-map",
    "user cis/bmad-cis-map",
    "user cis/bmad-cis-agent-poet",
    "user tea/bmad-tea",
    "user one/bmad-rest",
    "user two/bmad-rest",
    "user bmm/bmad-ghost",
    "package bmad-core/survey",
    "package bmad-core/survey-agent",
    "package bmad-core/create-doc",
    "package bmad-core/Field-Guide",
  ]);
});

Deno.test("items that several origins hold are grouped, the effective record first", () => {
  const groups = overriddenEntries(buildManifest(SOURCES));
  assert.deepEqual(groups.map((group) => group.map(({ origin, id }) => `${origin.id} ${id}`)), [
    ["project bmad-agent-scout", "user bmad-agent-scout", "package scout"],
  ]);
});

Deno.test("an item that a better origin has only as a shim is listed and found as the real one", () => {
  const manifest = buildManifest([
    source("project", 1, [item("bmm", "bmad-route", "route", { roles: ["workflow", "shim"] })]),
    source("package", 9, [item("bmm", "bmad-route", "route")]),
  ]);
  const found = resolveName(manifest.entries, { name: "bmm/bmad-route" });
  assert.equal(found.outcome === "found" && found.entry.key, "package:bmm:skill:bmad-route");
  assert.deepEqual(visibleEntries(effectiveEntries(manifest)).map(({ key }) => key), [
    "package:bmm:skill:bmad-route",
  ]);
});
