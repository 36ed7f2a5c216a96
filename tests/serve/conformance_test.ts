/** Does the server pass the protocol's own conformance suite, for both protocol versions that it serves? */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type HttpProgram, startHttp } from "../support/http.ts";
import { treeTest, withTree } from "../support/trees.ts";

const OWN_TOOL = "calls a tool of the suite's own";
const OWN_PROMPT = "gets a prompt of the suite's own";
const OWN_RESOURCE = "reads a resource of the suite's own";
const TASKS = "an extension for work that goes on in the background, which serving texts never does";

const OUT_OF_PLACE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "2025-11-25": {
    "tools-call-simple-text": OWN_TOOL,
    "tools-call-image": OWN_TOOL,
    "tools-call-audio": OWN_TOOL,
    "tools-call-embedded-resource": OWN_TOOL,
    "tools-call-mixed-content": OWN_TOOL,
    "tools-call-with-logging": OWN_TOOL,
    "tools-call-error": OWN_TOOL,
    "tools-call-with-progress": OWN_TOOL,
    "tools-call-sampling": OWN_TOOL,
    "tools-call-elicitation": OWN_TOOL,
    "elicitation-sep1034-defaults": OWN_TOOL,
    "elicitation-sep1330-enums": OWN_TOOL,
    "json-schema-2020-12": OWN_TOOL,
    "resources-read-text": OWN_RESOURCE,
    "resources-read-binary": OWN_RESOURCE,
    "resources-templates-read": OWN_RESOURCE,
    "prompts-get-simple": OWN_PROMPT,
    "prompts-get-with-args": OWN_PROMPT,
    "prompts-get-embedded-resource": OWN_PROMPT,
    "prompts-get-with-image": OWN_PROMPT,
  },
  "2026-07-28": {
    "server-stateless": "some of its checks call tools of the suite's own",
    "tools-call-simple-text": OWN_TOOL,
    "tools-call-image": OWN_TOOL,
    "tools-call-audio": OWN_TOOL,
    "tools-call-embedded-resource": OWN_TOOL,
    "tools-call-mixed-content": OWN_TOOL,
    "tools-call-error": OWN_TOOL,
    "tools-call-with-progress": OWN_TOOL,
    "resources-read-text": OWN_RESOURCE,
    "resources-read-binary": OWN_RESOURCE,
    "resources-templates-read": OWN_RESOURCE,
    "prompts-get-simple": OWN_PROMPT,
    "prompts-get-with-args": OWN_PROMPT,
    "prompts-get-embedded-resource": OWN_PROMPT,
    "prompts-get-with-image": OWN_PROMPT,
    "input-required-result-basic-elicitation": OWN_TOOL,
    "input-required-result-basic-sampling": OWN_TOOL,
    "input-required-result-basic-list-roots": OWN_TOOL,
    "input-required-result-request-state": OWN_TOOL,
    "input-required-result-multiple-input-requests": OWN_TOOL,
    "input-required-result-multi-round": OWN_TOOL,
    "input-required-result-non-tool-request": OWN_PROMPT,
    "input-required-result-result-type": OWN_TOOL,
    "input-required-result-tampered-state": OWN_TOOL,
    "input-required-result-capability-check": OWN_TOOL,
    "json-schema-2020-12": OWN_TOOL,
    "http-custom-header-server-validation": OWN_TOOL,
    "tasks-lifecycle": TASKS,
    "tasks-capability-negotiation": TASKS,
    "tasks-wire-fields": TASKS,
    "tasks-request-state-removal": TASKS,
    "tasks-mrtr-input": TASKS,
    "tasks-request-headers": TASKS,
    "tasks-dispatch-and-envelope": TASKS,
    "tasks-required-task-error": TASKS,
    "tasks-mrtr-composition": TASKS,
  },
};

/** Runs the suite, or what of it the arguments choose, and gives what it says. */
async function runSuite(url: string, ...args: readonly string[]): Promise<string> {
  const suite = fileURLToPath(new URL("conformance/deno.json", import.meta.url));
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-all",
      "--quiet",
      "--config",
      suite,
      "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
      "server",
      "--url",
      url,
      ...args,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  return new TextDecoder().decode(stdout);
}

async function runRevision(
  url: string,
  revision: string,
): Promise<Record<"failed" | "passed", readonly string[]>> {
  const said = await runSuite(url, "--requirements", revision);
  const marked = (mark: string) =>
    [...said.matchAll(new RegExp(`^${mark} ([\\w-]+): `, "gm"))].map(([, name]) => name!);
  assert.ok(said.includes("=== SUMMARY ==="), said.slice(-2_000));
  return { failed: marked("✗"), passed: marked("✓") };
}

function serveProject(dir: string, ...args: readonly string[]): Promise<HttpProgram> {
  return startHttp(["--project", dir, ...args]);
}

/** The suite checks what is done with foreign names for this machine, and so has to begin with one that is not. */
function addressOf({ url }: HttpProgram): string {
  return `${url.replace("127.0.0.1", "localhost")}/mcp`;
}

for (const [revision, outOfPlace] of Object.entries(OUT_OF_PLACE)) {
  treeTest(`the conformance suite of ${revision} passes where it applies`, {}, async (dir) => {
    await using server = await serveProject(dir);
    const { failed, passed } = await runRevision(addressOf(server), revision);
    assert.deepEqual(failed.toSorted(), Object.keys(outOfPlace).sort());
    assert.ok(passed.length >= 9, `${passed.length} scenarios passed`);
    assert.doesNotMatch(server.stderr(), / error: /);
  });
}

/** Extensions are in no revision's set, and their scenarios look at the first skill alone: here it has a folder. */
const ONE_SKILL = {
  ".claude/skills/bmad-map/SKILL.md": "---\nname: bmad-map\ndescription: Draws maps\n---\nDraw.\n",
  ".claude/skills/bmad-map/references/scale.md": "One to one.\n",
};

for (const part of ["directory", "enumeration", "manifest"]) {
  Deno.test(`the conformance scenario of the ${part} of skills passes [resources:skills-extension]`, () =>
    withTree(ONE_SKILL, async (dir) => {
      await using server = await serveProject(dir, "--pack", "none");
      const said = await runSuite(addressOf(server), "--scenario", `sep-2640-skills-${part}`);
      const [, passed, all, rest] = /^Passed: (\d+)\/(\d+), (.*)$/m.exec(said) ?? [];
      assert.deepEqual([passed, rest], [all, "0 failed, 0 warnings"], said);
      assert.ok(Number(passed) >= 5, said);
      assert.doesNotMatch(server.stderr(), / error: /);
    }));
}
