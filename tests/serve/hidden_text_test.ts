/** Does any surface show, or give to a model, a text that nobody sees? */
import assert from "node:assert/strict";
import { clientHere, ERAS } from "../support/client.ts";
import { HIDDEN_TEXTS, PLAIN_TEXTS } from "../support/hidden_text.ts";
import { startHttp } from "../support/http.ts";
import { runCli } from "../support/program.ts";
import { HAS_TERMINAL, runOnTerminal } from "../support/terminal.ts";
import { treeTest, withTree } from "../support/trees.ts";

/** Half a character and a control cannot be in a file of text. */
const HIDDEN = Object.entries(HIDDEN_TEXTS).filter(([name]) => name !== "controls").map(([, [text]]) => text);
const SCOTLAND = PLAIN_TEXTS.at(-1)!;
const SECRET = `${HIDDEN.join(" ").replaceAll(/[\r\u2028\u2029]/g, "")} می‌خواهم 👩🏽‍💻 ${SCOTLAND}`;
/** For the name of a file: the shortest of each kind. */
const IN_NAME = "a\u200B\u202E\u{E0041}\u00ADb";

const FILES = {
  "garden/module.yaml": "code: garden\nname: Garden\n",
  "garden/garden-dig/SKILL.md":
    `---\nname: garden-dig\ndescription: ${JSON.stringify(`Digs ${SECRET}`)}\n---\n` +
    `# Dig\n\n${SECRET}\n\nRead ./soil.md.\n`,
  "garden/garden-dig/soil.md": `# Soil ${SECRET}\n\n${SECRET}\n`,
  [`garden/garden-dig/${IN_NAME}.md`]: `${SECRET}\n`,
  [`garden/garden-${IN_NAME}/SKILL.md`]: `---\nname: garden-x\ndescription: ${SECRET}\n---\n${SECRET}\n`,
  "_bmad/core/config.yaml": `user_name: ${JSON.stringify(SECRET)}\n`,
  "_bmad/sea/agents/scout.md": `---\nname: scout\ndescription: ${
    JSON.stringify(SECRET)
  }\n---\n# Scout\n\n${SECRET}\n`,
  "_bmad-output/planning-artifacts/epics.md":
    `## Epic 1: Q ${SECRET}\n### Story 1.1: A ${SECRET}\n${SECRET}\n`,
  "_bmad-output/implementation-artifacts/sprint-status.yaml": `development_status:\n  1-1-a: "backlog ${
    SECRET.replaceAll('"', "")
  }"\n`,
};

/** Characters that none of the needed ones is; the rest is compared with what is expected. */
const NEVER =
  /[\u200B\u2060\u{E0001}\u{E0072}\u{E0100}-\u{E01EF}\u202A-\u202E\u2066-\u2069\u00AD\u115F\u1160\u3164\uFFA0\u034F\u17B4\u2061-\u206F\uFFF9-\uFFFB\uFDD0\uFFFF\uFE00\u061C\u200E\u200F]/u;

function assertSeen(text: string, what: string): void {
  const plain = text.replaceAll(/葛\u{E0100}/gu, "葛");
  const at = plain.search(NEVER);
  assert.equal(
    at,
    -1,
    `${what}: U+${plain.codePointAt(at)?.toString(16)} in ${plain.slice(Math.max(0, at - 60), at + 20)}`,
  );
}

const PROJECT = (dir: string) => ["--project", dir, "--path", `${dir}/garden`, "--pack", "none"];

for (const era of ERAS) {
  treeTest(`a model gets nothing that nobody sees (${era}) [text:hidden]`, FILES, async (dir) => {
    await using client = await clientHere({ era, args: [...PROJECT(dir), "--toolsets", "all"] });
    const { items: resources } = await client.listResources();
    const asked: Record<string, unknown> = {
      instructions: client.instructions() ?? "",
      tools: await client.listTools(),
      prompts: await client.listPrompts(),
      resources: resources.map(({ uri: _, ...facts }) => facts),
      templates: await client.listResourceTemplates(),
    };
    for (const { name } of await client.listPrompts()) {
      asked[`prompt ${name}`] = await client.getPrompt(name);
    }
    const calls = [
      ...["agents", "workflows", "skills", "resources", "sources", "config", "next", "conflicts"]
        .flatMap((query) => [{ operation: "list", query }, { operation: "list", query, format: "json" }]),
      { operation: "search", query: "dig" },
      { operation: "execute", skill: "garden-dig" },
      { operation: "execute", skill: "garden-dig", raw: true },
      { operation: "execute", skill: "garden-dig", message: SECRET },
      { operation: "execute", agent: "scout" },
      { operation: "read", skill: "garden-dig" },
      { operation: "read", skill: "garden-dig", raw: true },
      { operation: "read", skill: "garden-dig", format: "json" },
      { operation: "read", skill: "garden-dig", uri: "soil.md" },
      { operation: "read", skill: "garden-dig", uri: `${IN_NAME}.md` },
      { operation: "read", skill: `no-${IN_NAME}` },
      { operation: "read", uri: `bmad://sea/${IN_NAME}` },
    ];
    for (const args of calls) asked[JSON.stringify(args)] = (await client.callTool("bmad", args)).content;
    for (const operation of ["board", "next", "check", "context"]) {
      asked[operation] = (await client.callTool("bmad_work", { operation, story: "1-1" })).content;
    }
    for (const [what, answer] of Object.entries(asked)) assertSeen(JSON.stringify(answer), what);
    const executed = JSON.stringify(asked[JSON.stringify({ operation: "execute", skill: "garden-dig" })]);
    for (const kept of ["می‌خواهم", "👩🏽‍💻", SCOTLAND, "\uFFFD"]) assert.ok(executed.includes(kept), kept);
    await assert.rejects(client.readResource(`bmad://sea/${IN_NAME}`), (error: Error) => {
      assertSeen(error.message, "an error");
      return true;
    });
    // A resource is the file.
    const { contents } = await client.readResource("bmad://sea/agents/scout.md");
    assert.equal(contents[0].text, FILES["_bmad/sea/agents/scout.md"]);
  });
}

treeTest("no page has anything that nobody sees [text:hidden]", FILES, async (dir) => {
  await using program = await startHttp(PROJECT(dir));
  const first = await (await fetch(program.url)).text();
  const queue = new Set([
    "/",
    "/board",
    "/documents",
    "/connect",
    "/?list=resources",
    "/?q=dig",
  ]);
  for (const [, link] of first.matchAll(/href="(\/\?[^"]*)"/g)) queue.add(link!.replaceAll("&#38;", "&"));
  let pages = 0;
  for (const path of queue) {
    const html = await (await fetch(program.url + path)).text();
    assertSeen(html, path);
    if (pages++ > 60) break;
    for (const [, link] of html.matchAll(/href="(\/\?[^"]*)"/g)) {
      queue.add(link!.replaceAll("&#38;", "&"));
    }
  }
  assert.ok(pages > 10, `${pages} pages`);
});

Deno.test("a terminal shows nothing that nobody sees [text:hidden]", { ignore: !HAS_TERMINAL }, async () => {
  await withTree(FILES, async (dir) => {
    const lines = [
      "list skills",
      "list agents",
      "show garden-dig",
      "show garden-dig --raw",
      "execute garden-dig",
    ];
    for (
      const words of [...lines, "board", "next", "check 1-1", "doctor", "search dig", "list resources"]
    ) {
      const screen = await runOnTerminal(`bmad-mcp ${words} ${PROJECT(dir).join(" ")}`);
      assertSeen(screen.text, words);
    }
    // What is printed for a model is marked in a pipe, too, and JSON escapes it.
    const { stdout } = await runCli(["execute", "garden-dig", ...PROJECT(dir)]);
    assertSeen(stdout, "execute in a pipe");
    const json = await runCli(["list", "skills", "--json", ...PROJECT(dir)]);
    assertSeen(json.stdout, "JSON");
    assert.ok(JSON.parse(json.stdout).items.some(({ description = "" }) => description.includes("\u200B")));
  });
});
