/** Is every command that the program prints built by the one function that quotes its words? */
import assert from "node:assert/strict";
import type { Config } from "../src/app.ts";
import { NO_COMMAND } from "../src/base/text.ts";
import { programOf } from "../src/commands/cli/commands_shown.ts";
import { renderLaunch, upgradeOf } from "../src/commands/clients/mod.ts";
import { memoryFix } from "../src/commands/doctor/memory.ts";
import { openReclaim } from "../src/commands/doctor/report.ts";
import { installCommand } from "../src/content/library/delivery/script_reports.ts";
import { withFix } from "../src/content/library/health/diagnose.ts";
import type { Library } from "../src/content/library/mod.ts";
import { checkSource } from "../src/serve/http/gate.ts";
import { shownIgnored } from "../src/settings/mod.ts";
import { BMM } from "./support/bmm_project.ts";
import { HOSTILE_WORDS } from "./support/hostile_words.ts";
import { runCli } from "./support/program.ts";
import { treeTest, withTree } from "./support/trees.ts";

/** A program with its first word, or a flag, and a value behind it. Values are `\0`. */
const LOOKS_LIKE_COMMAND = new RegExp(
  "(?:^|[^\\w./-])(?:bmad-mcp [a-z\\0-]|npx [a-z\\0-]|npm (?:i|install|run|exec)\\b|git (?:-C|clone|pull|fetch|log) |claude mcp |" +
    "deno (?:task|run) |uv run |(?:chmod|chown|rm|mv|cp|mkdir|sudo|curl) [\\w\\0'\"-])[^]*\\0|(?:^|\\s)--?[a-z][a-z-]*[ =]['\"]?\\0",
);

/** Texts whose values are our own words, by their file and a part of them, and what the values are. */
const OWN_WORDS: readonly (readonly [file: string, part: string, why: string])[] = [
  ["base/model.ts", "npx -y deno@", "the version of Deno in our manifest"],
  ["settings/arguments.ts", "bmad-mcp help", "the name of a command"],
  ["settings/arguments.ts", "Usage: bmad-mcp", "the usage of a command"],
  ["settings/plan/outputs.ts", "Use --to", "the forms of an export"],
  ["commands/cli/help.ts", "bmad-mcp", "the usage of a command"],
  ["commands/cli/commands_shown.ts", "bmad-mcp \0 DIR", "the flag of a setting"],
  ["commands/cli/serve.ts", "bmad-mcp", "what the person has just typed"],
  ["commands/cli/log.ts", "bmad-mcp \0: ", "the name of the program and a level, before a line of the log"],
  ["commands/team.ts", "case $? in", "the ending of a draft, for the shell that git starts"],
  ["process/supervisor.ts", "ulimit", "numbers, for our own supervisor"],
  ["content/repositories/fetching.ts", "-", "arguments of git, which nobody sees and no shell reads"],
  ["content/repositories/remote_refs.ts", "--force-with-lease", "an argument of git"],
  ["content/repositories/packages.ts", "--pack-destination", "an argument of npm"],
  ["project/work/check/history.ts", "--max-count", "a number, for git"],
  ["project/scripts/recon_kit.ts", "--today", "what a script of BMAD says about its own arguments"],
  ["project/scripts/git_evidence.ts", "invalid --", "what a script of BMAD says about its own arguments"],
  ["project/scripts/sprint_status.ts", "invalid --", "what a script of BMAD says about its own arguments"],
];

interface Found {
  readonly file: string;
  readonly text: string;
  readonly isBuilt: boolean;
}

function textsIn(folder: string, below = ""): readonly Found[] {
  return [...Deno.readDirSync(`${folder}/${below}`)].flatMap(({ name, isDirectory }) => {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) return textsIn(folder, path);
    return name.endsWith(".ts") ? textsOf(path, Deno.readTextFileSync(`${folder}/${path}`)) : [];
  });
}

function textsOf(file: string, source: string): readonly Found[] {
  const found: Found[] = [];
  const plugin: Deno.lint.Plugin = {
    name: "texts",
    rules: {
      texts: {
        create: () => ({
          TemplateLiteral({ quasis, expressions, parent }) {
            if (expressions.length === 0) return;
            const text = quasis.map(({ cooked, raw }) => cooked ?? raw).join("\0");
            const tag = parent.type === "TaggedTemplateExpression" && parent.tag.type === "Identifier"
              ? parent.tag.name
              : "";
            found.push({ file, text, isBuilt: tag === "command" });
          },
          BinaryExpression({ operator, left, right }) {
            const isText = left.type === "Literal" && typeof left.value === "string";
            if (operator === "+" && isText && right.type !== "Literal" && right.type !== "TemplateLiteral") {
              found.push({ file, text: `${left.value}\0`, isBuilt: false });
            }
          },
        }),
      },
    },
  };
  Deno.lint.runPlugin(plugin, "source.ts", source);
  return found;
}

Deno.test("every text of the program that is a command goes through the one function [commands:safe]", () => {
  const texts = textsIn(new URL("../src", import.meta.url).pathname);
  const commands = texts.filter(({ text }) => LOOKS_LIKE_COMMAND.test(text));
  const isOwn = ({ file, text }: Found) =>
    OWN_WORDS.some(([place, part]) => place === file && text.includes(part.replaceAll("\\0", "\0")));
  const pasted = commands.filter((found) => !found.isBuilt && !isOwn(found));
  assert.deepEqual(pasted.map(({ file, text }) => `${file}: ${text.replaceAll("\0", "${…}")}`), []);
  assert.ok(commands.filter(({ isBuilt }) => isBuilt).length >= 25);
  // Each row is needed, and the search finds what it should.
  for (const [file, part] of OWN_WORDS) {
    assert.ok(texts.some((found) => found.file === file && found.text.includes(part)), `${file}: ${part}`);
  }
  for (
    const source of [
      "`Run: bmad-mcp show ${x}`",
      "`git -C ${x} pull`",
      "`rm '${x}'`",
      "`a --by ${x}`",
      '"npx -y " + x',
    ]
  ) {
    assert.ok(textsOf("x.ts", `f(${source});`).some(({ text }) => LOOKS_LIKE_COMMAND.test(text)), source);
  }
});

const COMPILED = { path: "_bmad", generation: "v6", layout: "compiled" };

const library = (location: string, version: string, code: string, root = COMPILED): Library => ({
  manifest: { entries: [] },
  sources: [{
    origin: { id: "project", kind: "project", priority: 1, location },
    inventory: { roots: [{ ...root, version }], modules: [{ code }] },
  }],
} as unknown as Library);

const packDiagnosed = (word: string) =>
  withFix(
    library("/p/x", "1.0.0", "x", { path: `.${word}`, generation: "v4", layout: "v4" }),
    { code: "no-file-found", level: "warning", message: "", origin: "project", path: `.${word}/x` } as never,
  ).fix!;

const diagnosed = (code: string, word: string, version = "6.0.4", module = "bmm") =>
  withFix(
    library(`/p/${word}`, version, module),
    { code, level: "warning", message: "", origin: "project", path: "_bmad/_config/manifest.yaml" } as never,
  ).fix!;

const config = (project: string) =>
  ({ settings: { project }, provenance: { project: "--project" } }) as unknown as Config;

const memory = { memory: undefined, provenance: {} as Config["provenance"] };

const PLACES: Readonly<Record<string, (word: string) => string | undefined | Promise<string | undefined>>> = {
  "the source of a skill": (word) => installCommand(`github:${word}`, "garden-dig"),
  "the repository of a skill": (word) => installCommand(`github:acme/${word}`, "garden-dig"),
  "a skill": (word) => installCommand("github:acme/garden", word),
  "a link": (word) => diagnosed("link-refused", word),
  "a file that cannot be read": (word) => diagnosed("unreadable", word),
  "a broken manifest": (word) => diagnosed("broken-manifest", word),
  "the version in a manifest": (word) => diagnosed("broken-manifest", "x", word),
  "the module in a manifest": (word) => diagnosed("broken-manifest", "x", "6.0.4", word),
  "a version that is stale": (word) => diagnosed("stale-agent", "x", word),
  "a manifest that lists more than there is": (word) => diagnosed("no-file-found", word),
  "an expansion pack that misses files": packDiagnosed,
  "the project of the next command": (word) => `${programOf(config(`/p/${word}`))} plan`,
  "a damaged memory": (word) =>
    memoryFix(
      { of: "store", problem: "damaged", subject: `/p/${word}/memory.db`, reason: "" },
      memory,
      () => "",
      "linux",
    ),
  "a memory without access": (word) =>
    memoryFix(
      { of: "store", problem: "no-access", subject: `/p/${word}.db`, reason: "" },
      memory,
      () => "",
      "linux",
    ),
  "a foreign file": (word) =>
    openReclaim({ look: () => ({ owner: { uid: 7 } }) as never }, 1_000)([`/p/${word}`])?.replace(
      / && $/,
      "",
    ),
  "a project to trust": (word) =>
    shownIgnored({ setting: "paths", source: `/p/${word}/f:1`, reason: "", needsTrust: true } as never)
      .fix,
  "a program of a client": (word) => renderLaunch({ command: "npx", args: ["-y", word] }),
  "a checkout": async (word) =>
    (await upgradeOf({ command: "deno", args: ["task", "--config", `/p/${word}/deno.json`] })).command,
  "a package": async (word) =>
    (await upgradeOf({ command: "node", args: [`/p/${word}/node_modules/@x/bmad-mcp/launcher.cjs`] }))
      .command,
  "a host": (word) =>
    /[^ -~]/.test(word) ? undefined : checkSource(
      { headers: new Headers({ host: word.trim() || "x" }) } as never,
      { hosts: [], origins: [] } as never,
    )?.message.replace(/^.*start the server with: /, "bmad-mcp "),
};

const PROGRAMS = [
  "bmad-mcp",
  "npx",
  "npm",
  "git",
  "chmod",
  "chown",
  "sudo",
  "rm",
  "mkdir",
  "mv",
  "printf",
  "cd",
];

treeTest("no name makes a printed command run anything else [commands:safe]", {}, async (dir) => {
  const stubs = PROGRAMS.map((name) => `${name}() { command printf '<%s>' ${name} "$@"; echo; }`).join(
    "\n",
  );
  let [shown, refused] = [0, 0];
  for (const [place, print] of Object.entries(PLACES)) {
    for (const word of HOSTILE_WORDS) {
      const text = await print(word);
      const line = text?.match(/(?:^|: |\()((?:bmad-mcp|npx|npm|git|chmod|sudo|rm|mkdir|cd) [^]*)$/)?.[1];
      if (text === undefined || line === undefined || text.includes(NO_COMMAND) || text.startsWith("[")) {
        refused++;
        assert.ok(!text?.includes("\n"), place);
        continue;
      }
      shown++;
      assert.ok(!/[\n\r\u0085\u2028]/.test(line), `${place}: ${line}`);
      const { stdout, stderr, success } = await new Deno.Command("bash", {
        // Nothing is written: where to, is a word like the others.
        args: ["-c", `${stubs}\n${line.replace(/ > (?=["'/])/, " ")}`],
        cwd: dir,
      }).output();
      const read = new TextDecoder();
      assert.ok(success, `${place}: ${line}: ${read.decode(stderr)}`);
      // Every program that ran is one of ours, called by its own name.
      for (const called of read.decode(stdout).trim().split("\n")) {
        assert.match(called, new RegExp(`^(?:<(?:${PROGRAMS.join("|")})>|$)`), `${place}: ${line}`);
      }
      assert.deepEqual(
        [...Deno.readDirSync(dir)].map(({ name }) => name),
        [],
        `${place}: ${line}`,
      );
    }
  }
  assert.ok(shown > 200 && refused > 200, `${shown} commands, ${refused} refusals`);
});

Deno.test("a ledger's own words become no command of the next step [commands:safe]", async () => {
  const keys = [
    "1-1-$(touch PWNED)",
    "1-1-`touch PWNED`",
    "1-1-a;touch PWNED",
    "1-1-a' & touch PWNED '",
    "1-1-a\\ntouch PWNED",
  ];
  for (const key of keys) {
    const files = {
      ...BMM,
      "out/plan/epics.md": `## Epic 1: A\n### Story 1.1: ${key}\n`,
      "out/impl/sprint-status.yaml":
        `development_status:\n  epic-1: in-progress\n  "${key}": ready-for-dev\n`,
    };
    await withTree({ ...files, "my $(touch PWNED) shop/x": "" }, async (dir) => {
      const by = "Ann'; touch PWNED; '";
      const { stdout } = await runCli(["next", "--project", dir, "--by", by, "--pack", "none"], { cwd: dir });
      const calls = [...stdout.matchAll(/^(?:Before|Call|Or|When finished): (.*)$/gm)].map(([, call]) =>
        call!
      );
      assert.ok(calls.length > 0, stdout);
      for (const call of calls.filter((call) => call !== NO_COMMAND)) {
        const line = call.replace(/ \(makes the sprint .*$/, "");
        const { stdout } = await new Deno.Command("bash", {
          args: ["-c", `bmad-mcp() { printf '<%s>' "$@"; echo; }\n${line}`],
          cwd: dir,
        }).output();
        assert.match(new TextDecoder().decode(stdout), /^(?:<[^\n]*>)+\n$/, line);
      }
      assert.ok(![...Deno.readDirSync(dir)].some(({ name }) => name === "PWNED"), stdout);
    });
  }
});
