/**
 * Can a reader finish a workflow with nothing but the calls that answers print?
 *
 * A scripted reader starts every workflow of real installations through the tool `bmad`, in this process. It opens every
 * path in every text with the call that the text's own answer names, and goes on from there. A path may fail only where
 * the file does not exist. The first part of each answer must hold what the installation's own command loads first.
 */
import assert from "node:assert/strict";
import { type App, openApp } from "../../src/app.ts";
import { denoHost } from "../../src/process/host.ts";
import { type Entry, hasKind, qualifiedName } from "../../src/base/model.ts";
import { referencesIn } from "../../src/content/library/health/closure.ts";
import { callTool } from "../../src/serve/mcp/mod.ts";
import { resolveConfig } from "../support/config.ts";
import { installation, type InstallVersion, type SourcePackage, sourceTree } from "../support/installs.ts";
import { openIn } from "../support/printed_reader.ts";
import { withTree } from "../support/trees.ts";

type Args = Readonly<Record<string, unknown>>;

function openAt(dir: string, args: readonly string[]): App {
  const host = denoHost(dir);
  return openApp(resolveConfig({ ...host, home: undefined, args, env: () => undefined }), host);
}

/** An answer in its parts, of which each names the call for the next. */
async function ask(app: App, args: Args): Promise<string[]> {
  const parts: string[] = [];
  for (let call: Args | undefined = args; call !== undefined;) {
    const { content: [block] } = await callTool(app, "bmad", call);
    const [note, next] = /\n\[part \d+ of \d+(?:; next: bmad (\{.*\}))?\]$/.exec(block!.text!) ?? [""];
    parts.push(block!.text!.slice(0, block!.text!.length - note.length));
    call = next === undefined ? undefined : JSON.parse(next);
  }
  return parts;
}

interface Walk {
  readonly answers: ReadonlyMap<Entry, readonly string[]>;
  readonly opened: ReadonlySet<string>;
  readonly failures: readonly { readonly item: string; readonly path: string; readonly message: string }[];
}

async function readAll(app: App): Promise<Walk> {
  const workflows = (await app.entries()).filter((entry) => hasKind(entry, "workflow"));
  const answers = new Map<Entry, readonly string[]>();
  const opened = new Set<string>();
  const fromRoot = new Set<string>();
  const failures: Walk["failures"][number][] = [];
  const items = new Map(workflows.map((entry) => [qualifiedName(entry), entry]));
  for (const [item, entry] of items) {
    const parts = await ask(app, { operation: "execute", skill: item });
    // In the place of its text, bmad-help answers what is next, and names the call for the text.
    const [, whole] = /^The skill's text, for other questions: bmad (\{.*\})$/m.exec(parts.at(-1)!) ?? [];
    if (whole === undefined) answers.set(entry, parts);
    else parts.push(...await ask(app, JSON.parse(whole)));
    const [, files] = /^Files: bmad (\{.*?\}) with PATH as spelled/m.exec(parts[0]!) ?? [];
    const call = files ?? whole ?? assert.fail(item);
    const seen = new Set<string>();
    const texts = [parts.join("")];
    for (const text of texts) {
      for (const path of pathsIn(text)) {
        // A path from the root means the same in every item.
        const known = /^(\{project-root\}|bmad:)/.test(path) ? fromRoot : seen;
        if (known.has(path)) continue;
        known.add(path);
        try {
          const args = { ...JSON.parse(call), uri: path };
          const { uri, item: other, content } = JSON.parse(
            (await ask(app, { ...args, format: "json" })).join(""),
          );
          opened.add(uri);
          if (other === undefined) texts.push(withoutComments(content, uri));
          else if (!items.has(other)) {
            // Its own paths have another call, which the answer names.
            const [, own] = /\n\[file of .*; its paths: bmad (\{.*\})\]$/.exec(
              (await ask(app, args)).join(""),
            ) ?? [];
            items.set(other, await app.resolve({ name: JSON.parse(own!).skill }));
          }
        } catch (error) {
          failures.push({ item, path, message: (error as Error).message });
        }
      }
    }
  }
  return { answers, opened, failures };
}

function pathsIn(text: string): readonly string[] {
  const uris = text.matchAll(/bmad:\/\/[\w./-]+\.\w+/g);
  const bare = text.matchAll(/(?<![\w./*{}-])step-\d\w*-[\w-]+\.md/g);
  return [
    ...referencesIn(text).filter((path) => !path.startsWith("skill:")),
    ...[...uris, ...bare].map(([path]) => path),
  ];
}

/** Comments of settings only give examples. */
function withoutComments(text: string, uri: string): string {
  return /\.(toml|ya?ml)$/.test(uri) ? text.replaceAll(/^[ \t]*#.*$/gm, "") : text;
}

async function checkReading(app: App, { opened, failures, answers }: Walk): Promise<void> {
  const resources = await app.resources();
  const uris = resources.map(({ uri }) => uri);
  const folders = new Map(
    resources.map(({ uri, entry }) => [entry && qualifiedName(entry), uri.replace(/[^/]*$/, "")]),
  );
  const exists = (item: string, path: string) => {
    const tail = `/${path.replace(/^(\.{1,2}\/|\{[\w-]+\}\/)+/, "")}`;
    return uris.some((uri) => uri.endsWith(tail) && uri.startsWith(folders.get(item) ?? "bmad://"));
  };
  const unexpected = failures.filter(({ item, path }) => exists(item, path));
  assert.deepEqual(unexpected.map(({ item, path, message }) => `${item}: ${path}: ${message}`), []);
  assert.ok(opened.size >= answers.size / 2, `${opened.size} files were opened`);
}

const LIMIT = 20_400 - 200;

const sizeOf = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length;

async function nativeFiles(dir: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const native = new Map<string, readonly string[]>();
  for (const folder of ["commands", "skills"]) {
    const entries = await Array.fromAsync(Deno.readDir(`${dir}/.claude/${folder}`)).catch(() => []);
    for (const { name, isDirectory } of entries) {
      const file = `.claude/${folder}/${name}${isDirectory ? "/SKILL.md" : ""}`;
      const text = await Deno.readTextFile(`${dir}/${file}`).catch(() => "");
      const loaded = text.matchAll(/(?:LOAD the FULL|workflow-config) @?\{project-root\}\/([\w./-]+\.\w+)/g);
      const files = Array.from(loaded, ([, path]) => path!);
      native.set(file, [file]);
      if (files.length > 0) native.set(files.at(-1)!, files);
    }
  }
  return native;
}

/** Resolved values and calls, and then the text. */
const FIRST = /^Already resolved [^]*\nFiles: .*\n---\n\n[^]/m;

/** Fails unless what an answer leaves out, because it has the result, can be opened whole. */
async function checkLeftOut(app: App, first: string, text: string): Promise<void> {
  const [, call] = /^left out: .*: bmad (\{.*\})\)$/m.exec(first) ?? assert.fail(first);
  assert.equal((await ask(app, JSON.parse(call!))).join("").trimEnd(), text);
}

async function checkFirstParts(app: App, dir: string, { answers }: Walk): Promise<number> {
  const native = await nativeFiles(dir);
  let checked = 0;
  for (const [entry, parts] of answers) {
    const first = parts[0]!;
    assert.match(first, FIRST, entry.id);
    // A launcher's command renders and loads its workflow.
    if (first.includes("\nhow: Rendering is done")) continue;
    let end = 0;
    for (const path of native.get(entry.file) ?? []) {
      const text = (await Deno.readTextFile(`${dir}/${path}`)).trimEnd();
      if (/^left out: /m.test(first)) {
        await checkLeftOut(app, first, text);
        continue;
      }
      const start = parts.join("").indexOf(text, end);
      assert.ok(start >= end && end <= first.length, `${entry.id} has ${path} in its place`);
      end = start + text.length;
      const size = sizeOf(parts.join("").slice(0, end));
      assert.ok(end <= first.length || size > LIMIT, `${entry.id} has all of ${path} in its first part`);
      checked++;
    }
  }
  return checked;
}

function checkEngines({ answers }: Walk): number {
  const workflows = [...answers].filter(([, parts]) => parts[0]!.includes("\n=== engine: "));
  const torn = workflows.map(([entry, parts]) => {
    const text = parts.join("");
    const at = text.indexOf("\n=== instructions: ");
    const end = at < 0 ? text.length : at;
    return { id: entry.id, size: sizeOf(text.slice(0, end)), isTorn: end > parts[0]!.length };
  }).filter(({ isTorn }) => isTorn);
  assert.deepEqual(torn, []);
  return workflows.length;
}

const VERSIONS: readonly InstallVersion[] = ["4.44.3", "6.0.4", "6.2.0", "6.5.0", "6.12.0"];
const SOURCES: readonly SourcePackage[] = [
  "bmad-method@6.0.0-alpha.7",
  "bmad-method@6.0.0-alpha.22",
  "bmad-method@6.0.0-Beta.5",
];

const ENGINES: Readonly<Partial<Record<SourcePackage, number>>> = {
  "bmad-method@6.0.0-alpha.7": 62,
  "bmad-method@6.0.0-alpha.22": 49,
  "bmad-method@6.0.0-Beta.5": 13,
};

Deno.test("a reader gets everywhere with the printed calls [tool:execute-followed]", async (t) => {
  for (const version of VERSIONS) {
    await t.step(version, async () => {
      const dir = await installation(version);
      const app = openAt(dir, ["--project", dir, "--pack", "none"]);
      const walk = await readAll(app);
      await checkReading(app, walk);
      const checked = await checkFirstParts(app, dir, walk);
      assert.ok(version.startsWith("4.") || checked > 15, `${checked} first parts were compared`);
      assert.equal(checkEngines(walk), version === "6.0.4" ? 9 : 0);
    });
  }
  for (const pack of ["latest", "v4"]) {
    await t.step(`the embedded pack ${pack}`, () =>
      withTree({}, async (dir) => {
        const app = openIn(dir, "--pack", pack);
        await checkReading(app, await readAll(app));
      }));
  }
  for (const name of SOURCES) {
    await t.step(`the sources of ${name}`, async () => {
      const dir = await sourceTree(name);
      const app = openAt(dir, ["--mode", "strict", "--path", dir]);
      const walk = await readAll(app);
      await checkReading(app, walk);
      assert.equal(checkEngines(walk), ENGINES[name]);
    });
  }
});
