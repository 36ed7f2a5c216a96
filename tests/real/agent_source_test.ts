/** Is a real agent compiled as BMAD's own installer compiles it? */
import assert from "node:assert/strict";
import { type AgentFacts, parseAgentFile, parseAgentSource } from "../../src/content/inventory/agent_file.ts";
import { compileEntry } from "../../src/content/library/delivery/compile_agent.ts";
import { type Library, openLibrary, readResource, resolveEntry } from "../../src/content/library/mod.ts";
import { rawText } from "../../src/content/library/files/reading.ts";
import { type Entry, hasKind, type MenuItem } from "../../src/base/model.ts";
import { parseYaml } from "../../src/content/parse.ts";
import { installation, sourceTree } from "../support/installs.ts";
import { opening } from "../support/library.ts";

/** What installers add to every menu: to 6.0.0-alpha.7 the first two, to later ones the others. */
const ADDED = ["help", "exit", "MH", "CH", "PM", "DA"];

const openSource = (dir: string) => openLibrary([opening("cli", 1, dir)]);

const uninstalled = (library: Library) =>
  library.manifest.entries.filter(({ file }) => file.endsWith(".agent.yaml"));

function compile(library: Library, entry: Entry): string {
  const { value, problem } = compileEntry(library, entry, rawText(library, entry));
  assert.equal(problem, undefined, entry.key);
  return value;
}

const ownItems = (menu: readonly MenuItem[]) => menu.filter(({ code }) => !ADDED.includes(code));

/**
 * What an agent is, without what installers add. They put a list of principles on one line, with or without its marks,
 * and the white space in a text is theirs to choose.
 */
function comparable({ displayName, title, icon, description, persona }: AgentFacts) {
  const { role, identity, communicationStyle, principles, capabilities, menu } = persona!;
  const line = (text = "") => text.replaceAll(/\s+/g, " ");
  return {
    displayName,
    title,
    icon,
    description,
    role: line(role),
    identity: line(identity),
    communicationStyle: line(communicationStyle),
    principles: line(principles.join(" ").replaceAll(/(^|\s)- /g, " ")),
    capabilities,
    menu: ownItems(menu).map(({ code, label, target, prompt }) => ({
      code,
      label: line(label),
      target,
      prompt,
    })),
  };
}

for (const [version, agents] of [["6.0.4", 10], ["6.1.0", 10], ["6.2.0", 9]] as const) {
  Deno.test(`agents of ${version} equal the installer's [tool:execute-agent-source]`, async (t) => {
    const source = await openSource(await sourceTree(`bmad-method@${version}`));
    const project = await installation(version);
    const installed = await openLibrary([opening("project", 1, project)], { project });
    assert.equal(uninstalled(source).length, agents);
    for (const entry of uninstalled(source)) {
      const { module, id } = entry;
      await t.step(`${module}/${id}`, () => {
        const theirs = rawText(installed, resolveEntry(installed, { name: id, module, kind: "agent" }));
        assert.match(theirs, /<agent id="/);
        const [made, wanted] = [compile(source, entry), theirs].map((text) => parseAgentFile(text).value);
        assert.deepEqual(comparable(made!), comparable(wanted!));
        assert.ok(comparable(made!).menu.length > 0);
        const added = wanted!.persona!.menu.map(({ code }) => code).filter((code) => ADDED.includes(code));
        assert.deepEqual(
          made!.persona!.menu.map(({ code }) => code).filter((code) => ADDED.includes(code)),
          added,
        );
      });
    }
  });
}

Deno.test("the agents of 6.0.0-alpha.7 that its package also has compiled are the same", async () => {
  const library = await openSource(await sourceTree("bmad-method@6.0.0-alpha.7"));
  const pairs = uninstalled(library).flatMap((entry) =>
    library.manifest.entries.filter(({ kind, module, id, file }) =>
      kind === "agent" && module === entry.module && id === entry.id && file.endsWith(".md")
    ).map((compiled) => [entry, compiled] as const)
  );
  assert.deepEqual(pairs.map(([{ id }]) => id).sort(), ["bmad-builder", "bmad-master"]);
  for (const [entry, compiled] of pairs) {
    const [made, wanted] = [compile(library, entry), rawText(library, compiled)].map((text) =>
      parseAgentFile(text).value
    );
    assert.deepEqual(comparable(made!), comparable(wanted!));
  }
});

const SOURCES = [
  ["6.0.4", "", 10],
  ["6.0.0-Beta.5", "", 10],
  ["6.0.0-alpha.22", "", 25],
  ["6.0.0-alpha.22", "/samples/sample-custom-modules/sample-wellness-module", 2],
  ["6.0.0-alpha.22", "/samples/sample-custom-modules/sample-unitary-module", 2],
  ["6.0.0-alpha.7", "", 22],
] as const;

for (const [version, folder, agents] of SOURCES) {
  Deno.test(`every agent of the source ${version}${folder} has the facts of its source when compiled`, async () => {
    const library = await openSource(await sourceTree(`bmad-method@${version}`) + folder);
    assert.equal(uninstalled(library).length, agents);
    for (const entry of uninstalled(library)) {
      const source = rawText(library, entry);
      const text = compile(library, entry);
      const [made, wanted] = [parseAgentFile(text).value, parseAgentSource(source).value];
      assert.deepEqual(comparable(made), comparable(wanted), entry.key);
      assert.deepEqual([made.form, wanted.form], ["element", "source"]);
      const principles = wanted.persona!.principles.map((text) => text.replaceAll(/\s+/g, " "));
      assert.deepEqual(made.persona!.principles, principles, entry.key);
      assertAllIsThere(text, parseYaml(source).value["agent"] as Source, entry.key);
    }
  });
}

interface Source {
  readonly critical_actions?: readonly string[];
  readonly prompts?: readonly { readonly id: string; readonly content: string }[];
  readonly menu: readonly {
    readonly data?: string;
    readonly checklist?: string;
    readonly multi?: string;
    readonly triggers?: readonly Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>[];
  }[];
}

function assertAllIsThere(
  text: string,
  { critical_actions = [], prompts = [], menu }: Source,
  key: string,
): void {
  const isThere = (part: string) => assert.ok(text.includes(part), `${key} lacks ${part}`);
  for (const action of critical_actions) isThere(`>${action.trim()}</step>`);
  for (const { id, content } of prompts) {
    isThere(`<prompt id="${id}"><content>\n${content.trim()}\n</content>`);
  }
  for (const { data, checklist, multi, triggers = [] } of menu) {
    if (data !== undefined) isThere(` data="${data}"`);
    if (checklist !== undefined) isThere(` checklist="${checklist}"`);
    if (multi !== undefined) isThere(`<item type="multi">${multi}\n`);
    for (
      const { input, route, action } of triggers.flatMap(Object.values).map((parts) =>
        Object.assign({}, ...parts)
      )
    ) {
      isThere(`<handler match="${input}"`);
      isThere(route === undefined ? ` action="${action}"` : ` exec="${route}"`);
    }
  }
}

Deno.test("everything that a compiled agent of 6.0.4 opens or starts exists", async () => {
  const library = await openSource(await sourceTree("bmad-method@6.0.4"));
  for (const entry of uninstalled(library)) {
    const text = compile(library, entry);
    const paths = [
      ...text.matchAll(/ (?:workflow|exec|tmpl|data)="(\{[^"]*)"|(\{project-root\}\/_bmad\/core\/[\w./-]+)/g),
    ];
    for (const [, target, engine] of paths) {
      assert.ok((await readResource(library, target ?? engine!)).text, `${entry.key}: ${target ?? engine}`);
    }
    const [, skill] = / exec="skill:([^"]*)"/.exec(text) ?? [];
    assert.ok(hasKind(resolveEntry(library, { name: skill! }), "workflow"));
    const [, sidecar] = / (bmad:\S*-sidecar\/)FILE/.exec(text) ?? [];
    assert.equal(
      sidecar,
      entry.id === "tech-writer" ? "bmad://bmm/agents/tech-writer/tech-writer-sidecar/" : undefined,
    );
    if (sidecar !== undefined) {
      assert.ok((await readResource(library, `${sidecar}documentation-standards.md`)).text);
    }
  }
});
