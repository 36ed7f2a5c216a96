/**
 * Does every command behave alike? Help that fits the screen, failures as JSON, the same exit code for the same mistake.
 */
import assert from "node:assert/strict";
import { run } from "../../../src/commands/cli/mod.ts";
import { renderHelp } from "../../../src/commands/cli/help.ts";
import { BmadError, fail } from "../../../src/base/errors.ts";
import { denoHost, type Host } from "../../../src/process/host.ts";
import { printFailure } from "../../../src/commands/cli/output.ts";
import { actionsOf, COMMAND_NAMES, describeCommand, optionsOf } from "../../../src/operations/mod.ts";
import { SETTING_KEYS, SETTINGS } from "../../../src/settings/mod.ts";
import { resolveConfig } from "../../support/config.ts";
import { assertFailed, runHere } from "../../support/program.ts";
import { columnsOf } from "../../../src/commands/cli/columns.ts";
import { renderTable } from "../../../src/commands/cli/screen.ts";

Deno.test("help is as wide as the screen, but for what one copies [cli:help-and-version]", () => {
  for (const columns of [40, 60, 80, 100, 200]) {
    const pages = [[], ...COMMAND_NAMES.map((name) => [name])];
    for (const words of pages) {
      const lines = renderHelp(words, columns).split("\n");
      const told = lines.slice(0, lines.indexOf("Examples:")).filter((line) => !line.startsWith("Usage: "));
      const usages = COMMAND_NAMES.map((name) => `  ${describeCommand(name).usage}`);
      const wide = told.filter((line) =>
        line.length > Math.min(columns, 100) && !usages.includes(line) && line.trim().includes(" ")
      );
      assert.deepEqual(wide, [], `${words} ${columns}`);
    }
  }
});

Deno.test("every setting is in the whole help, once; that of serve fits a screen", () => {
  const help = renderHelp(["all"]);
  const lines = help.split("\n");
  for (const key of SETTING_KEYS) {
    const { flag, variables } = SETTINGS[key];
    const found = lines.filter((line) => line.trimStart().split(" ")[0] === flag);
    if (flag !== undefined) assert.equal(found.length, 1, flag);
    else assert.ok(help.includes(variables[0] ?? `${key} (file only)`), key);
  }
  assert.match(help, /^Git repositories:$/m);
  const serve = renderHelp(["serve"], 80).trimEnd().split("\n");
  assert.ok(serve.length <= 40 && serve.includes("  bmad-mcp serve --http 8080"), serve.join("\n"));
});

Deno.test("help has every command on one screen, the daily ones first [cli:help-and-version]", () => {
  const lines = renderHelp([], 80).trimEnd().split("\n");
  assert.ok(lines.length <= 24 && lines.every((line) => line.length <= 80), lines.join("\n"));
  assert.match(lines.slice(4, 7).join("\n"), /^Every day:\n {2}next +Show .*\n {2}board /);
  const words = lines.join(" ").match(/[\w-]+/g)!;
  for (const name of COMMAND_NAMES) assert.ok(words.includes(name), name);
  const whole = renderHelp(["all"], 80);
  for (const name of COMMAND_NAMES) assert.ok(whole.includes(`\n  ${describeCommand(name).usage}`), name);
});

Deno.test("an action has help of its own", () => {
  assert.match(renderHelp(["memory", "recall"]), /^Usage: bmad-mcp memory recall QUERY…\n\nFind memories/);
  for (const command of COMMAND_NAMES) {
    for (const [action, { usage }] of Object.entries(actionsOf(command))) {
      assert.ok(renderHelp([command, action]).startsWith(`Usage: bmad-mcp ${command} ${usage}\n`));
      assert.ok(renderHelp([command]).includes(`  ${usage}`), usage);
    }
  }
  assert.throws(
    () => renderHelp(["memory", "recal"]),
    /Unknown memory action "recal"\. Did you mean recall\?/,
  );
  assert.throws(() => renderHelp(["list", "x"]), BmadError);
  const { invocation } = resolveConfig({ ...denoHost("."), args: ["memory", "recall", "--help"] });
  assert.deepEqual(invocation.operands, ["memory", "recall"]);
});

function helpFor(flag: string, ...words: readonly string[]): string {
  const lines = renderHelp(words, 100).split("\n");
  const at = lines.findIndex((line) => line.trimStart().startsWith(`${flag} `));
  if (at < 0) return "";
  const end = lines.findIndex((line, i) => i > at && !/^ {24}/.test(line));
  return lines.slice(at, end).join(" ").replaceAll(/\s+/g, " ").trim();
}

Deno.test("an option is explained as the command means it [cli:help-options]", () => {
  assert.equal(helpFor("--to", "export"), "--to FORM The form to write: zip, web-bundle or skill.");
  assert.equal(helpFor("--to", "memory", "copy"), "--to STORE The store to copy to: sqlite or qdrant.");
  assert.equal(helpFor("--all", "check"), "--all Every story, as without STORY.");
  assert.equal(helpFor("--all", "install"), "--all Every client found on this machine.");
  assert.match(helpFor("--type", "memory", "remember"), /^--type TYPE The type of the memory: /);
  assert.match(helpFor("--type", "memory", "recall"), /^--type TYPE Only memories of this type: /);
  const forced = ["install", "uninstall", "mark", "plan", "claim", "release", "export"];
  const texts = forced.map((command) => helpFor("--force", command));
  assert.equal(new Set(texts).size, forced.length, texts.join("\n"));
  for (const command of COMMAND_NAMES) {
    for (const { help, flag } of optionsOf(command)) {
      // Its own actions may be named; another command says it in its own help.
      const [, named = command] = /^For ([\w ]+)[,:]/i.exec(help) ?? [];
      const own = [command, ...Object.keys(actionsOf(command))];
      assert.ok(named.split(" and ").every((word) => own.includes(word)), `${command} ${flag}: ${help}`);
    }
  }
});

Deno.test("an action takes its own options only [cli:help-options]", () => {
  const parse = (...args: readonly string[]) => resolveConfig({ ...denoHost("."), args });
  assert.equal(parse("memory", "recall", "x", "--limit", "3").invocation.options.limit, "3");
  assert.throws(
    () => parse("memory", "list", "--to", "qdrant"),
    /--to: memory list has no such option\. Flags: bmad-mcp help memory list/,
  );
  assert.equal(helpFor("--to", "memory", "list"), "");
  assert.throws(() => parse("export", "analyst", "--all"), /--all: export has no such option/);
});

Deno.test("words of other programs lead to our commands and actions", () => {
  const parse = (...args: readonly string[]) => () => resolveConfig({ ...denoHost("."), args });
  const actions = {
    memory: { search: "recall", find: "recall", add: "remember", delete: "forget", ls: "list" },
    cache: { fetch: "update", purge: "clear", ls: "list" },
    config: { show: "get", remove: "unset", reset: "unset" },
  };
  for (const [command, words] of Object.entries(actions)) {
    for (const [word, meant] of Object.entries(words)) {
      assert.throws(
        () => renderHelp([command, word]),
        new RegExp(`Did you mean ${meant}`),
        `${command} ${word}`,
      );
    }
  }
  // Behind an unknown flag, only a typo is refused: old entries have values there.
  assert.equal(parse("--transport", "start")().invocation.name, "serve");
});

Deno.test("a failure as JSON is one line, with the exit code [cli:json-errors]", () => {
  const printed: string[] = [];
  const print = (work: () => never, warnings?: readonly string[]) => {
    try {
      return work();
    } catch (error) {
      const code = printFailure({ writeErr: (text) => printed.push(text) }, error, { json: true, warnings });
      return { code, ...JSON.parse(printed.pop()!) };
    }
  };
  assert.deepEqual(
    print(() => fail({ code: "not-found", what: "agent", name: "a\u001b" }), ["One"]),
    {
      code: 1,
      error: { code: "not-found", message: 'No agent named "a\u001b"', exitCode: 1 },
      warnings: ["One"],
    },
  );
  const bug = print(() => {
    throw new Error("Oops");
  });
  assert.deepEqual([bug.code, bug.error.code, /Oops/.test(bug.error.message)], [70, "bug", true]);
});

Deno.test("a mistake has one exit code everywhere [cli:json-errors, cli:exit-codes]", async () => {
  for (
    const args of [["memory", "recal"], ["cache", "lst"], ["config", "trst"], ["call", "bmd"], [
      "install",
      "cursr",
    ]]
  ) {
    const { code, stdout, stderr } = await runHere([...args, "--json"]);
    const { error } = JSON.parse(stderr);
    assert.deepEqual([code, stdout, error.code, error.exitCode], [2, "", "invalid-input", 2], stderr);
    assert.match(error.message, /^Unknown [a-z ]+ "\w+"\. /);
  }
  assertFailed(await runHere(["help", "memory", "recal"]), 2, /Did you mean recall\?/);
  const { code, stderr } = await runHere(["show", "nobody", "--json"], {
    env: { BMAD_ROOT: "/nowhere/bmad" },
  });
  const { error, warnings } = JSON.parse(stderr);
  assert.deepEqual([code, error.code, warnings.length], [1, "not-found", 1]);
  assert.match(warnings[0], /Folder not found/);
  assert.equal(
    JSON.parse((await runHere(["list", "agents", "--pack", "x", "--json"])).stderr).error.exitCode,
    2,
  );
});

/** Runs `config` on a host with these features. */
async function runConfig(words: readonly string[], more: Partial<Host> = {}) {
  let out = "", err = "";
  const host: Host = {
    ...denoHost("."),
    ...more,
    args: ["config", ...words],
    writeOut: (text) => void (out += text),
    writeErr: (text) => void (err += text),
  };
  const rights = { sandboxed: true, read: [], write: [], run: [], net: false, refused: ["fly"] };
  const code = await run(host, resolveConfig(host), rights, { printVersion: () => {} });
  return { code, out, err };
}

Deno.test("one setting can be printed alone [cli:config]", async () => {
  const given = ["--toolsets", "bmad,work", "--token", "sixteen-letters-and-more"];
  const get = async (...words: readonly string[]) => {
    const { err, ...result } = await runConfig(["get", ...words, ...given]);
    return { ...result, err: err.replace(/^.*without permission.*\n/, "") };
  };
  assert.deepEqual(await get("toolsets"), { code: 0, out: "bmad\nwork\n", err: "" });
  assert.deepEqual(await get("log-level"), { code: 0, out: "info\n", err: "" });
  assert.deepEqual(JSON.parse((await get("toolsets", "--json")).out), {
    value: ["bmad", "work"],
    from: "--toolsets",
  });
  assert.ok(!(await get("token")).out.includes("sixteen"));
  const typo = await get("tolsets");
  assert.deepEqual([typo.code, typo.out], [2, ""]);
  assert.match(typo.err, /Unknown setting "tolsets"\. Did you mean toolsets\?/);
  assert.throws(
    () => resolveConfig({ ...denoHost("."), args: ["config", "get"] }),
    /Missing SETTING\. Usage: bmad-mcp config get/,
  );
});

Deno.test("serve --test checks the setup and does not serve", () => {
  const { invocation, settings } = resolveConfig({ ...denoHost("."), args: ["serve", "/srv/x", "--test"] });
  assert.deepEqual([invocation.name, settings.paths], ["doctor", ["/srv/x"]]);
});

Deno.test("quiet and plain output, if somebody wants it [cli:quiet]", async () => {
  const print = async (...args: readonly string[]) => {
    const { code, ...printed } = await runConfig(args, {
      columns: 80,
      colours: { stdout: true, stderr: true },
    });
    assert.equal(code, 0);
    return printed;
  };
  const loud = await print();
  assert.match(loud.err, /Started without permission to fly/);
  // deno-lint-ignore no-control-regex
  assert.match(loud.out, /^\x1b\[1mSETTING/);
  const plain = await print("--no-color", "--quiet");
  assert.match(plain.out, /^SETTING/);
  assert.equal(plain.err, "");
});

Deno.test("sentences of a list are wrapped below their beginning, and nothing of them is lost", () => {
  const about = "1 file differs: agents/architect.md; project wins over cli: priority 1 before 2";
  for (const list of ["conflicts", "next"]) {
    for (const columns of [50, 60, 80, 200]) {
      const rows = [{ name: "bmm/architect", about, data: {} }];
      const [, ...lines] = renderTable(rows, columnsOf(list, rows), { columns, paint: (_, text) => text });
      assert.deepEqual(lines.filter((line) => line.length > columns), [], list);
      assert.equal(lines.map((line) => line.slice(15)).join(" "), about);
      assert.ok(lines.slice(1).every((line) => line.startsWith(" ".repeat(15))));
    }
  }
});

Deno.test("a narrow board keeps holder and boxes, and has a status only where it says more than the state", () => {
  const row = (name: string, state: string, status: string, title: string) => ({
    name,
    about: "",
    columns: { "held by": "Ann", boxes: "1/3" },
    data: { state, status, title },
  });
  const rows = [
    row("1-3", "in-progress", "InProgress", "Cancel a booking"),
    row("2-1", "ready", "ready-for-dev", "Map"),
  ];
  const draw = (columns: number, shown = rows) =>
    renderTable(shown, columnsOf("board", shown), { columns, paint: (_, text) => text });
  for (const columns of [60, 120]) {
    assert.match(
      draw(columns).join("\n"),
      /^STORY {2}STATE +HELD BY {2}BOXES {2}TITLE\n1-3 {4}in-progress {2}Ann +1\/3 {2}Cancel/,
    );
  }
  const odd = row("2-2", "blocked", "awaiting-operator", "Report");
  assert.match(draw(120, [...rows, odd]).at(-1)!, /^2-2 +blocked +Ann +1\/3 +awaiting-operator +Report$/);
});
