/**
 * What do whole pieces of work cost a client that takes our texts literally and knows nothing else (`walk.ts`)? A shop from
 * its brief to the retrospective, with three stories of which one is flawed; and a page that is there already, which gets
 * agent instructions, one change, and a review that finds something.
 *
 * Fails above the limits for calls and tokens (o200k) of requests, answers, instructions and the list of tools, and at each
 * call that nothing printed or that was refused. The shop took 136 calls and 68,000 tokens with BMAD's own files and
 * Python at hand, for less of it, and 37,000 more in fresh contexts.
 *
 * Then the same for a client with the skill and a shell instead of the server (`terminal.ts`), or with `--terminal` that
 * alone.
 *
 *     deno run -A --config deno.dev.json bench/scenario.ts [--calls] [--terminal] [NAME]
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { startClient } from "../tests/support/client.ts";
import { print } from "./support.ts";
import { openTerminal } from "./terminal.ts";
import { type Desk, type Scenario, type Stage, Walk } from "./walk.ts";

const PLANNING = "_bmad-output/planning-artifacts";
const IMPLEMENTATION = "_bmad-output/implementation-artifacts";
const LEDGER = `${IMPLEMENTATION}/sprint-status.yaml`;

const SHOP: Scenario = {
  name: "shop",
  limits: { calls: 62, tokens: 75_000 },
  terminal: { calls: 75, tokens: 75_000 },
  files: { "src/shop.ts": "export const teas: readonly string[] = [];\n" },
  wishes: ["product brief"],
  wantsAll: true,
  cases: ["story of a sprint"],
  words: [
    "Tea in three clicks, because visitors leave",
    "No accounts, because orders are few",
    "Write tests first",
  ],
  work: {
    "bmad-product-brief": (desk, stage) =>
      desk.write(`${folderOf(stage)}/brief.md`, final("# Brief: Tea\n\nA shop for tea.\n")),
    "bmad-prd": (desk, stage) => desk.write(`${folderOf(stage)}/prd.md`, final(PRD)),
    "bmad-architecture": (desk, stage) =>
      desk.write(`${folderOf(stage)}/ARCHITECTURE-SPINE.md`, final(SPINE)),
    "bmad-create-epics-and-stories": (desk) => desk.write(`${PLANNING}/epics.md`, epics()),
    "bmad-build": buildStory,
    "bmad-retrospective": (desk, stage) =>
      desk.write(
        `${IMPLEMENTATION}/epic-1-retro-${stage.value("date")}.md`,
        `---\nepic: 1\ndate: ${
          stage.value("date")
        }\nverdict: accepted\ncriteria: declared\nheadless: false\n---\n\n` +
          "# Retrospective of epic 1\n\n## Findings\n\nNone.\n",
      ),
  },
  flaw: {
    finder: "review",
    story: "1-2-order-a-tea",
    finding: "An order of nothing is accepted",
    file: "src/1-2-order-a-tea.ts",
    wrong: "count >= 0",
    right: "count > 0",
  },
};

const PAGE: Scenario = {
  name: "page",
  limits: { calls: 14, tokens: 26_000 },
  terminal: { calls: 17, tokens: 26_000 },
  files: {
    "index.html":
      '<!doctype html>\n<html lang="en"><title>Tea</title><script src="hours.js"></script><h1>Tea</h1></html>\n',
    "hours.js": "export const hours = {};\n",
    "README.md": "# The page of a shop for tea\n\n`npx serve` shows it.\n",
  },
  wishes: ["set up this repository for agents", "build the change: opening hours", "review the code"],
  wantsAll: false,
  cases: ["small change"],
  words: ["Opening hours on the page"],
  work: {
    "bmad-project-context": (desk) =>
      desk.write("AGENTS.md", "# Agents\n\n- `npx serve` shows the page; there is no build.\n"),
    "bmad-build": async (desk) => {
      await desk.write("hours.js", "export const isOpen = (hour) => hour >= 9 && hour <= 18;\n");
      await desk.write(
        `${IMPLEMENTATION}/spec-opening-hours.md`,
        "---\ntitle: 'Opening hours'\ntype: 'feature'\nroute: 'oneshot'\nstatus: 'done'\n---\n\n" +
          `${
            intent("Nobody knows when the shop is open.")
          }## Implementation Notes\n\n\`hours.js\` says it.\n`,
      );
      await desk.commit("feat: opening hours");
    },
  },
  flaw: {
    finder: "bmad-code-review",
    story: "opening-hours",
    finding: "At 18:59 the shop counts as open",
    file: "hours.js",
    wrong: "hour <= 18",
    right: "hour < 18",
  },
};

async function live(scenario: Scenario, isTerminal: boolean): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "bmad-mcp-scenario-" });
  try {
    const desk = deskIn(`${folder}/tea`);
    for (const [path, text] of Object.entries(scenario.files)) await desk.write(path, text);
    await desk.git("init", "--quiet", "--initial-branch", "main");
    await desk.git("config", "user.name", "Ann");
    await desk.git("config", "user.email", "ann@example.com");
    await desk.commit("chore: begin");
    await using server = isTerminal ? undefined : await startClient({ era: "2025", cwd: `${folder}/tea` });
    const terminal = openTerminal(`${folder}/tea`, countTokens);
    const walk = new Walk(scenario, server ?? terminal, desk, isTerminal ? terminal.count : countTokens);
    await walk.run().catch(({ message }) => walk.faults.push(message));
    const { flaw, name: title } = scenario;
    const limits = isTerminal ? scenario.terminal : scenario.limits;
    const name = isTerminal ? `${title} by the skill alone` : title;
    if ((await desk.read(flaw.file)).includes(flaw.wrong)) {
      walk.faults.push(`no review found “${flaw.wrong}”`);
    }
    if (Deno.args.includes("--calls")) walk.calls.forEach(print);
    walk.faults.forEach((fault) => print(`${name}: ${fault}`));
    const { calls, tokens, others, faults } = walk;
    print(
      `${name}: ${calls.length} calls (limit ${limits.calls}), ${tokens} tokens (limit ${limits.tokens}), and ` +
        `${others.calls} calls with ${others.tokens} tokens in fresh contexts; ${faults.length} faults (limit 0)`,
    );
    if (calls.length > limits.calls || tokens > limits.tokens || faults.length > 0) Deno.exitCode = 1;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function deskIn(root: string): Desk {
  const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = async (...args: readonly string[]) => {
    const { success, stdout, stderr } = await new Deno.Command("git", { args: [...args], cwd: root, env })
      .output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout).trim();
  };
  return {
    git,
    read: (path) => Deno.readTextFile(`${root}/${path}`).catch(() => ""),
    write: async (path, text) => {
      const at = path.startsWith("/") ? path : `${root}/${path}`;
      await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(at, text);
    },
    commit: async (message) => {
      await git("add", "--all");
      if (await git("status", "--porcelain") !== "") await git("commit", "--quiet", "--message", message);
    },
  };
}

/** Where the run of a planning skill is kept. */
function folderOf(stage: Stage): string {
  return stage.value("doc_workspace");
}

/** A story as the build leaves it: its spec, its status, its code and its tests in one commit. */
async function buildStory(desk: Desk, { message }: Stage): Promise<void> {
  const [key = ""] = /\d+-\d+-[\w-]+/.exec(message) ?? [];
  const ledger = await desk.read(LEDGER);
  await desk.write(
    LEDGER,
    ledger.replace(new RegExp(`(${key}: )\\S+`), "$1review").replace(
      "epic-1: backlog",
      "epic-1: in-progress",
    ),
  );
  await desk.write(
    `${IMPLEMENTATION}/epic-1-context.md`,
    "# Epic 1 Context: Shop\n\n## Goal\n\nSell tea.\n\n## Stories\n\n- all\n",
  );
  await desk.write(`${IMPLEMENTATION}/spec-${key}.md`, spec(key, await desk.git("rev-parse", "HEAD")));
  await desk.write(`src/${key}.ts`, "export const isOrder = (count: number) => count >= 0;\n");
  await desk.write(
    `tests/${key}_test.ts`,
    `import { isOrder } from "../src/${key}.ts";\n// AC1\nif (!isOrder(1)) throw new Error();\n`,
  );
  await desk.commit(`feat: ${key}`);
}

function final(text: string): string {
  return `---\nstatus: final\n---\n\n${text}`;
}

const PRD =
  "# PRD: Tea\n\n## Functional requirements\n\n- FR1: A visitor sees the teas.\n- FR2: A visitor orders a tea.\n" +
  "- FR3: The owner sees the orders.\n\n## Non-functional requirements\n\n- NFR1: A page loads within a second.\n";

const SPINE =
  "# Architecture spine: Tea\n\n### AD-1 — One process\n\n- **Binds:** all\n- **Prevents:** two carts\n- **Rule:** All runs in one process.\n";

function epics(): string {
  const stories = [["List teas", "FR1"], ["Order a tea", "FR2"], ["See orders", "FR3"]].map((
    [title, id],
    at,
  ) =>
    `### Story 1.${at + 1}: ${title}\n\nAs a visitor, I want it (${id}).\n\n**Acceptance Criteria:**\n\n` +
    "**Given** the shop\n**When** I open it\n**Then** it works\n"
  );
  return `# Tea - Epic Breakdown\n\n## Epic List\n\n### Epic 1: Shop\n\nSell tea.\n**FRs covered:** FR1, FR2, FR3\n\n## Epic 1: Shop\n\n${
    stories.join("\n")
  }`;
}

function intent(problem: string): string {
  return `<frozen-after-approval>\n\n## Intent\n\n**Problem:** ${problem}\n\n**Approach:** Add it.\n\n</frozen-after-approval>\n\n`;
}

function spec(key: string, baseline: string): string {
  return `---\ntitle: '${key}'\ntype: 'feature'\nroute: 'dispatch'\nstatus: 'done'\nbaseline_commit: '${baseline}'\n---\n\n` +
    `${intent("It is missing.")}## Code Map\n\n- \`src/${key}.ts\` -- new\n\n` +
    `## Tasks & Acceptance\n\n**Execution:**\n- [x] \`src/${key}.ts\` -- add it -- it is missing\n- [x] \`tests/${key}_test.ts\` -- test it -- to be sure\n\n` +
    "**Acceptance Criteria:**\n- Given the shop, when I open it, then it works\n\n" +
    (key.startsWith("1-1")
      ? ""
      : '## Review Triage Log\n\n- false: "isOrder is not used" -- the page imports it\n\n') +
    "## Verification\n\n**Commands:**\n- `deno test` -- expected: green\n";
}

const wanted = Deno.args.filter((arg) => !arg.startsWith("--"));
for (const scenario of [SHOP, PAGE].filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  if (!Deno.args.includes("--terminal")) await live(scenario, false);
  await live(scenario, true);
}
