/**
 * Does a name find what a person would expect, and does the manifest keep the records that are overridden?
 *
 * Names are resolved over hand-made records of three origins. Their short names are written out as the inventory
 * would derive them.
 */
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
import { verifies } from "../support/requirements.ts";

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

function check(table: readonly (readonly [query: string | NameQuery, meaning: string])[]): void {
  for (const [query, meaning] of table) {
    const full = typeof query === "string" ? { name: query } : query;
    assert.equal(meaningOf(full), meaning, JSON.stringify(query));
  }
}

Deno.test(
  verifies(
    ["names:plain", "names:agent-generations"],
    "an agent answers to its id and its name, in any case",
  ),
  () =>
    check([
      ["scout", "project bmm/bmad-agent-scout"],
      ["bmad-agent-scout", "project bmm/bmad-agent-scout"],
      ["bmad-scout", "project bmm/bmad-agent-scout"],
      ["agent-scout", "project bmm/bmad-agent-scout"],
      ["SCOUT", "project bmm/bmad-agent-scout"],
      ["BMad-Agent-Scout", "project bmm/bmad-agent-scout"],
      ["  scout  ", "project bmm/bmad-agent-scout"],
      ["scout.md", "project bmm/bmad-agent-scout"],
      ["scout.agent.yaml", "project bmm/bmad-agent-scout"],
      ["poet", "user cis/bmad-cis-agent-poet"],
      ["bmad-cis-agent-poet", "user cis/bmad-cis-agent-poet"],
      ["tea", "user tea/bmad-tea"],
      ["field-guide", "package bmad-core/Field-Guide"],
    ]),
);

Deno.test(
  verifies("names:module-forms", "a module comes before a slash, a dot or a dash"),
  () =>
    check([
      ["bmm/scout", "project bmm/bmad-agent-scout"],
      ["bmm.scout", "project bmm/bmad-agent-scout"],
      ["bmm-scout", "project bmm/bmad-agent-scout"],
      ["bmm/bmad-agent-scout", "project bmm/bmad-agent-scout"],
      ["bmm.bmad-agent-scout", "project bmm/bmad-agent-scout"],
      ["BMM/Scout", "project bmm/bmad-agent-scout"],
      ["bmad-bmm-scout", "project bmm/bmad-agent-scout"],
      ["bmad-agent-bmm-scout", "project bmm/bmad-agent-scout"],
      ["cis-map", "user cis/bmad-cis-map"],
      ["cis-poet", "user cis/bmad-cis-agent-poet"],
      ["bmad-core/create-doc", "package bmad-core/create-doc"],
      ["bmad-core-create-doc", "package bmad-core/create-doc"],
    ]),
);

Deno.test("a name is found inside what coding tools and people put around it", () =>
  check([
    ["@scout", "project bmm/bmad-agent-scout"],
    ["/bmad-map", "project bmm/bmad-map"],
    ["bmm:scout", "project bmm/bmad-agent-scout"],
    ["/bmad:bmm:agents:scout", "project bmm/bmad-agent-scout"],
    ["/BMad:agents:scout", "project bmm/bmad-agent-scout"],
    ["bmad:cis:workflows:map", "user cis/bmad-cis-map"],
    // The word for the kind limits what is meant.
    ["bmm:agents:map", "missing: bmm/bmad-map cis/bmad-cis-map"],
    ["_bmad/bmm/agents/scout.md", "project bmm/bmad-agent-scout"],
    ["bmm/agents/scout", "project bmm/bmad-agent-scout"],
    ["create_doc", "package bmad-core/create-doc"],
    ["Create Doc", "package bmad-core/create-doc"],
    ["scout agent", "project bmm/bmad-agent-scout"],
    ["the scout", "project bmm/bmad-agent-scout"],
    ["@", "missing:"],
    [":", "missing:"],
  ]));

Deno.test(
  verifies("names:star-workflow", "a star means a workflow"),
  () =>
    check([
      ["*map", "project bmm/bmad-map"],
      ["*core/notes", "project core/bmad-notes"],
      ["*cis.map", "user cis/bmad-cis-map"],
      ["*survey", "package bmad-core/survey"],
      ["*poet", "missing: cis/bmad-cis-agent-poet"],
      ["*", "missing:"],
    ]),
);

Deno.test(
  verifies("names:persona", "an agent answers to its persona's name and to its title"),
  () =>
    check([
      ["Rhea", "project bmm/bmad-agent-scout"],
      ["rhea", "project bmm/bmad-agent-scout"],
      ["bmm/Rhea", "project bmm/bmad-agent-scout"],
      ["Rex", "package bmad-core/scout"],
      ["field scout", "project bmm/bmad-agent-scout"],
      ["Old Scout", "user bmm/bmad-agent-scout"],
    ]),
);

Deno.test(
  verifies("names:module-limits", "a given module limits the lookup to that module"),
  () =>
    check([
      [{ name: "map", module: "cis" }, "user cis/bmad-cis-map"],
      [{ name: "map", module: "CIS" }, "user cis/bmad-cis-map"],
      ["cis/map", "user cis/bmad-cis-map"],
      [{ name: "scout", module: "bmad-core" }, "package bmad-core/scout"],
      [{ name: "scout", module: " " }, "project bmm/bmad-agent-scout"],
      [{ name: "poet", module: "bmm" }, "missing: cis/bmad-cis-agent-poet"],
      ["bmm/poet", "missing: cis/bmad-cis-agent-poet"],
      [{ name: "notes", module: "nowhere" }, "missing: core/bmad-notes"],
    ]),
);

Deno.test(
  verifies(
    ["names:best-origin", "origins:priority-order"],
    "a name shared by several items means the one of the best origin, in any module",
  ),
  () =>
    check([
      ["map", "project bmm/bmad-map"],
      ["scout", "project bmm/bmad-agent-scout"],
      ["bmm/scout", "project bmm/bmad-agent-scout"],
    ]),
);

Deno.test("a name shared by two modules of one origin is ambiguous until the module is given", () =>
  check([
    ["rest", "ambiguous: one/bmad-rest two/bmad-rest"],
    ["bmad-rest", "ambiguous: one/bmad-rest two/bmad-rest"],
    ["*rest", "ambiguous: one/bmad-rest two/bmad-rest"],
    ["two/rest", "user two/bmad-rest"],
    [{ name: "rest", module: "one" }, "user one/bmad-rest"],
  ]));

Deno.test("a shim is found only when nothing else matches", () =>
  check([
    ["draw-map", "project bmm/bmad-draw-map"],
    ["bmad-draw-map", "project bmm/bmad-draw-map"],
    ["bmm/draw-map", "project bmm/bmad-draw-map"],
  ]));

Deno.test("a record without a file is skipped in favour of the next origin", () => {
  check([["ghost", "user bmm/bmad-ghost"], ["bmm/bmad-ghost", "user bmm/bmad-ghost"]]);
  const { entries } = buildManifest(SOURCES.slice(0, 1));
  assert.deepEqual(resolveName(entries, { name: "ghost" }), { outcome: "missing", suggestions: [] });
});

Deno.test("a requested kind excludes the others, by role too", () =>
  check([
    [{ name: "notes", kind: "task" }, "project core/bmad-notes"],
    [{ name: "map", kind: "skill" }, "project bmm/bmad-map"],
    [{ name: "map", kind: "agent" }, "missing:"],
    [{ name: "scout", kind: "agent" }, "project bmm/bmad-agent-scout"],
    [{ name: "Survey", kind: "agent" }, "package bmad-core/survey-agent"],
    [{ name: "survey" }, "package bmad-core/survey"],
  ]));

Deno.test(
  verifies("names:near-names", "an unknown name gets up to five suggestions"),
  () => {
    check([
      ["scuot", "missing: bmad-core/scout bmm/bmad-agent-scout"],
      ["bmm/scot", "missing: bmad-core/scout bmm/bmad-agent-scout"],
      ["Rhae", "missing: bmm/bmad-agent-scout"],
      ["poe", "missing: cis/bmad-cis-agent-poet"],
      ["bmad-agent-pot", "missing: cis/bmad-cis-agent-poet"],
      ["xylophone-repair", "missing:"],
      ["", "missing:"],
      ["   ", "missing:"],
      ["/", "missing:"],
      ["constructor", "missing:"],
      ["../../etc/passwd", "missing:"],
    ]);
    const many = Array.from({ length: 9 }, (_, i) => item("bmm", `bmad-test-${i}`, `test-${i}`));
    const crowd = buildManifest([source("project", 1, many)]).entries;
    assert.deepEqual(resolveName(crowd, { name: "test" }), {
      outcome: "missing",
      suggestions: [
        "bmm/bmad-test-0",
        "bmm/bmad-test-1",
        "bmm/bmad-test-2",
        "bmm/bmad-test-3",
        "bmm/bmad-test-4",
      ],
    });
  },
);

Deno.test(
  verifies(
    ["origins:nothing-flattened", "origins:record-facts"],
    "the manifest keeps every record, with its origin, position and key",
  ),
  () => {
    assert.equal(entries.length, 17);
    const scouts = entries.filter(({ id }) => id === "bmad-agent-scout");
    assert.deepEqual(
      scouts.map(({ key, origin, rank, position, status, generation, module, file }) => ({
        key,
        origin: origin.id,
        rank,
        position,
        status,
        generation,
        module,
        file,
      })),
      [
        {
          key: "project:bmm:skill:bmad-agent-scout",
          origin: "project",
          rank: 0,
          position: 0,
          status: "verified",
          generation: "skills",
          module: "bmm",
          file: "bmm/bmad-agent-scout/SKILL.md",
        },
        {
          key: "user:bmm:skill:bmad-agent-scout",
          origin: "user",
          rank: 1,
          position: 0,
          status: "verified",
          generation: "skills",
          module: "bmm",
          file: "bmm/bmad-agent-scout/SKILL.md",
        },
      ],
    );
    assert.equal(new Set(entries.map(({ key }) => key)).size, 17);
  },
);

Deno.test(
  verifies(
    "origins:priority-order",
    "the effective view has one record of each item, that of the best origin",
  ),
  () => {
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
  },
);

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
