/**
 * What does a whole small project cost a client that takes our texts literally: brief, PRD, architecture, epics, sprint,
 * three stories with their reviews, and a retrospective?
 *
 * The calls are counted from the texts themselves. A stage begins with the call that `next` prints, or with the skill that
 * its user names; where `next` also prints a call that needs no model, that one is made. Of the skill's files that a text
 * names, those are read that it does not leave to another case than ours (`OTHER_CASE`). Script lines are run as an
 * activation prints them, those of one step in one call. What was delivered once is not asked for again in the same
 * conversation. Reviewers, and whoever else gets a printed call as a part of a prompt, are agents with a context of their
 * own, and counted apart. Documents and code are written with the client's own tools, which are not counted.
 *
 * Every call must succeed. Fails above 60 calls or 65,000 tokens (o200k) of requests, answers and the list of tools. The
 * same project took 136 calls and 68,000 tokens with BMAD's own files and Python at hand, for less of it, and 37,000 more
 * in fresh contexts.
 *
 *     deno run -A --config deno.dev.json bench/scenario.ts [--calls]
 */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { type ProgramClient, startClient } from "../tests/support/client.ts";
import { print } from "./support.ts";

const LIMITS = { calls: 60, tokens: 65_000 };

/** What texts say, and files hold, for another case than that of a person who makes something new, and whose tools work. */
const OTHER_CASE =
  /headless|\bupdat(?:e|ing)\b|\bvalidat(?:e|ing)\b|\breadiness\b[^.]*only|on failure|script fails|resum|\*\*status\*\*|\*\*fix\*\*|repair|fallback|in order of preference|change is small|cannot|EARLY EXIT|loop ?back|intent_gap|bad_spec|e\.g\.|skip by default|when the user asks/i;
const OF_OTHER_CASE = /headless|oneshot|(?:^|\/)validat[^/]*$|-validation-[^/]*$|fix-|status-view/;

type Arguments = Readonly<Record<string, unknown>>;

/** One conversation with the server. */
interface Reader {
  readonly calls: string[];
  tokens: number;
  /** Of agents with a context of their own. */
  readonly others: { calls: number; tokens: number };
  /** What was delivered, by the call that asked for it. */
  readonly delivered: Set<string>;
  ask(tool: string, args: Arguments, options?: { readonly isOther?: boolean }): Promise<string>;
}

function openReader(client: ProgramClient): Reader {
  const reader: Reader = {
    calls: [],
    tokens: 0,
    others: { calls: 0, tokens: 0 },
    delivered: new Set(),
    ask: async (tool, args, { isOther = false } = {}) => {
      let whole = "";
      for (let [part, parts] = [1, 1]; part <= parts; part++) {
        const request = part === 1 ? args : { ...args, part };
        const answer = await client.callTool(tool, request);
        const text = answer.content.map((one) => one.text).join("\n");
        if (answer.isError) throw new Error(`${tool} ${JSON.stringify(request)}: ${text}`);
        parts = Number(/\n\[part \d+ of (\d+)/.exec(text)?.[1] ?? 1);
        whole += text;
        const tokens = countTokens(JSON.stringify(request)) + countTokens(text);
        if (isOther) {
          reader.others.calls++;
          reader.others.tokens += tokens;
        } else {
          reader.calls.push(`${tool} ${JSON.stringify(request)} (${tokens} tokens)`);
          reader.tokens += tokens;
        }
      }
      return whole;
    },
  };
  return reader;
}

/** A path of a file that a text names, in backticks, behind "Load" or on a line of its own. */
const NAMED =
  /`((?:\.{0,2}\/)?(?:[\w.-]+\/)*[\w.-]+\.(?:md|html|csv))`|\b(?:Load|follow:?|template:) ((?:\.{0,2}\/)?(?:[\w.-]+\/)*[\w.-]+\.md)|`(bmad:\/\/[^`]+)`/g;
const PRINTED_CALL = /`(bmad(?:_work)?) (\{[^`]*\})`/g;

/** Reads what a skill's text names, then what that names, in the order of the texts. */
async function follow(
  reader: Reader,
  skill: string,
  files: ReadonlySet<string>,
  text: string,
  from = "",
): Promise<void> {
  const values = new Map(
    Array.from(text.matchAll(/^ {2}(\w+): (\S+\.\w+)$/gm), ([, key, value]) => [key!, value!]),
  );
  for (const line of text.split("\n").flatMap((line) => line.split(/(?<=[.;:]) (?=[A-Z*`])/))) {
    // The name of a file says nothing about the case.
    if (OTHER_CASE.test(line.replaceAll(NAMED, ""))) continue;
    for (const [, tool, json] of line.matchAll(PRINTED_CALL)) {
      await reader.ask(tool!, JSON.parse(json!), { isOther: true });
    }
    const templates = Array.from(line.matchAll(/\{workflow\.(\w+)\}/g), ([, key]) => values.get(key!) ?? "");
    const named = Array.from(line.matchAll(NAMED), ([, quoted, bare, uri]) => quoted ?? bare ?? uri ?? "");
    for (const name of [...templates, ...named]) {
      const path = name.startsWith("bmad://") ? name : fileNamed(files, name, from);
      if (path === undefined || OF_OTHER_CASE.test(path) || reader.delivered.has(`${skill} ${path}`)) {
        continue;
      }
      reader.delivered.add(`${skill} ${path}`);
      const next = await reader.ask(
        "bmad",
        path.startsWith("bmad://") ? { uri: path } : { skill, uri: path },
      );
      await follow(reader, skill, files, next, path.slice(0, path.lastIndexOf("/") + 1));
    }
  }
}

/** The file of a skill that a name means, from the file that names it or from the skill's folder. */
function fileNamed(files: ReadonlySet<string>, name: string, from: string): string | undefined {
  const clean = (path: string) => new URL(path, "file:///").pathname.slice(1);
  return [clean(from + name), clean(name)].find((path) => files.has(path));
}

/** The files of each embedded skill. */
async function skillFiles(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const folders: Record<string, Record<string, unknown>> = JSON.parse(
    await Deno.readTextFile(new URL("../bmad-embedded/content/latest.files.json", import.meta.url)),
  );
  const found = new Map<string, Set<string>>();
  for (const [folder, files] of Object.entries(folders)) {
    const [, skill, rest = ""] = /(?:^|\/)(bmad-[^/]+)(?:\/(.*))?$/.exec(folder) ?? [];
    if (skill === undefined) continue;
    const own = found.getOrInsertComputed(skill, () => new Set());
    for (const name of Object.keys(files)) own.add(rest === "" ? name : `${rest}/${name}`);
  }
  return found;
}

/** Begins a skill with a call, reads what it tells us to, and runs its scripts; `lines` are those that our case needs. */
async function begin(
  reader: Reader,
  [tool, args]: readonly [string, Arguments],
  lines: readonly (readonly RegExp[])[] = [],
) {
  const text = await reader.ask(tool, args);
  const skill = /^(?:workflow|skill): (\S+)$/m.exec(text)?.[1] ?? "";
  const own = (await files).get(skill.split("/").at(-1)!) ?? new Set();
  // What comes along with the activation need not be asked for.
  const [main = "", ...sections] = text.split(/^(?==== [\w ]+: \S+ ===$)/m);
  const along = sections.map((section) => {
    const [, uri = ""] = /^=== [\w ]+: (\S+) ===/.exec(section)!;
    const path = uri.startsWith("bmad://rendered/") ? uri : uri.replace(`bmad://${skill}/`, "");
    reader.delivered.add(`${skill} ${path}`);
    return { section, from: path.slice(0, path.lastIndexOf("/") + 1) };
  });
  await follow(reader, skill, own, main);
  for (const { section, from } of along) await follow(reader, skill, own, section, from);
  for (const [, name, message] of text.matchAll(/^ {4}- skill:(\S+) (.+)$/gm)) {
    await reader.ask("bmad", { operation: "execute", skill: name, message }, { isOther: true });
  }
  const printed = Array.from(text.matchAll(/^ {4}- ([\w.]+\.py .+)$/gm), ([, line]) => line!);
  const workspace = /^ {2}(?:prd|brief|spine)_output_path: '?([^'\n]+)/m.exec(text)?.[1] ?? "";
  for (const wanted of lines) {
    const run = wanted.flatMap((one) => printed.filter((line) => one.test(line)))
      .map((line) => filled(line, workspace));
    if (run.length === 0) throw new Error(`${skill} prints no line for ${wanted}`);
    await reader.ask("bmad_work", { script: run });
  }
  return text;
}

/** A printed script line with what its placeholders stand for here. */
function filled(line: string, workspace: string): string {
  return line.replaceAll("{doc_workspace}", `${workspace.replaceAll("{planning_artifacts}", PLANNING)}/run`)
    .replaceAll("{implementation_artifacts}", IMPLEMENTATION)
    .replaceAll("{project_name}", "Tea").replaceAll("{{epic_number}}", "1")
    .replaceAll(/ \[--epic-file <path> \.\.\.\]/g, "").replaceAll("<path>", `${PLANNING}/epics.md`)
    .replaceAll("<N>", "1").replaceAll(
      /'\[\{"action".*?\]'/g,
      `'[{"action":"Write tests first","owner":"Ann"}]'`,
    )
    .replaceAll(/"<accepted \|[^>]*>"/g, "accepted")
    .replaceAll(/<([\w-]+)\|[^>]*>/g, "$1").replaceAll(/<[^>]*>|…/g, "what was decided, and why");
}

const OUTPUT = "_bmad-output";
const PLANNING = `${OUTPUT}/planning-artifacts`;
const IMPLEMENTATION = `${OUTPUT}/implementation-artifacts`;
const files = skillFiles();

const root = await Deno.makeTempDir({ prefix: "bmad-mcp-scenario-" });
const git = async (...args: readonly string[]) => {
  const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main"];
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: [...who, ...args],
    cwd: root,
    env,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
};
const write = async (path: string, text: string) => {
  await Deno.mkdir(`${root}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
  await Deno.writeTextFile(`${root}/${path}`, text);
};
/** The call that `next` prints behind a word. */
const printedCall = (text: string, word: string): readonly [string, Arguments] => {
  const [, tool, json] = new RegExp(`^${word}: (bmad(?:_work)?) (\\{.*\\})`, "m").exec(text) ?? [];
  if (tool === undefined) throw new Error(`next prints no ${word}: ${text}`);
  return [tool, JSON.parse(json!)];
};
const commit = async (message: string) => {
  await git("add", "--all");
  await git("commit", "--quiet", "--message", message);
};

try {
  await git("init", "--quiet");
  await write("src/shop.ts", "export const teas: readonly string[] = [];\n");
  await commit("chore: begin");
  await using client = await startClient({ era: "2025", cwd: root });
  const reader = openReader(client);
  reader.tokens += countTokens(JSON.stringify(await client.listTools())) +
    countTokens(client.instructions() ?? "");
  const next = () => reader.ask("bmad_work", { operation: "next" });
  const memlog = [[/memlog\.py init/, /memlog\.py append/], [/memlog\.py append/]];

  await begin(reader, ["bmad", { operation: "execute", workflow: "bmad-product-brief" }], memlog);
  await write(
    `${PLANNING}/briefs/brief-tea/brief.md`,
    "---\nstatus: final\n---\n\n# Brief: Tea\n\nA shop for tea.\n",
  );
  await begin(reader, printedCall(await next(), "Call"), memlog);
  await write(`${PLANNING}/prds/prd-tea/prd.md`, PRD());
  await begin(reader, printedCall(await next(), "Call"), [...memlog, [/lint_spine/]]);
  await write(`${PLANNING}/architecture/architecture-tea/ARCHITECTURE-SPINE.md`, SPINE());
  await begin(reader, printedCall(await next(), "Call"));
  await write(`${PLANNING}/epics.md`, EPICS());
  await reader.ask(...printedCall(await next(), "Or"));
  await commit("docs: plan");
  let advice = await next();
  for (const key of ["1-1-list-teas", "1-2-order-a-tea", "1-3-see-orders"]) {
    await begin(reader, printedCall(advice, "Call"));
    const baseline = await git("rev-parse", "HEAD");
    await write(`src/${key}.ts`, `export const isThere = "${key}";\n`);
    await write(`tests/${key}_test.ts`, `import { isThere } from "../src/${key}.ts";\n`);
    await write(`${IMPLEMENTATION}/spec-${key}.md`, SPEC(key, baseline));
    await commit(`feat: ${key}`);
    const review = await reader.ask(...printedCall(advice, "When finished"));
    await begin(reader, printedCall(review, "Call"));
    advice = await reader.ask(...printedCall(review, "When finished"));
  }
  await begin(reader, printedCall(advice, "Call"), [[/detect-epic/], [/sprint_status\.py update/]]);
  const last = await next();
  if (!/all|done|nothing/i.test(last)) throw new Error(`The project is not at its end: ${last}`);
  reader.calls.forEach((call) => Deno.args.includes("--calls") && print(call));
  const { calls, tokens, others } = reader;
  print(
    `a whole project: ${calls.length} calls (limit ${LIMITS.calls}), ${tokens} tokens (limit ${LIMITS.tokens}), and ` +
      `${others.calls} calls with ${others.tokens} tokens in fresh contexts; natively 136 calls, 68000 and 37000 tokens`,
  );
  if (calls.length > LIMITS.calls || tokens > LIMITS.tokens) Deno.exitCode = 1;
} finally {
  await Deno.remove(root, { recursive: true });
}

function PRD(): string {
  return "---\nstatus: final\n---\n\n# PRD: Tea\n\n## Functional requirements\n\n- FR1: A visitor sees the teas.\n" +
    "- FR2: A visitor orders a tea.\n- FR3: The owner sees the orders.\n\n## Non-functional requirements\n\n" +
    "- NFR1: A page loads within a second.\n";
}

function SPINE(): string {
  return "---\nstatus: final\n---\n\n# Architecture spine: Tea\n\n## AD-1: One process\n\n- **Rule:** All runs in one process.\n";
}

function EPICS(): string {
  const stories = [["List teas", "FR1"], ["Order a tea", "FR2"], ["See orders", "FR3"]].map((
    [title, id],
    at,
  ) =>
    `### Story 1.${at + 1}: ${title}\n\nAs a visitor, I want it (${id}).\n\n**Acceptance Criteria:**\n\n` +
    "**Given** the shop\n**When** I open it\n**Then** it works\n"
  );
  return `# Tea - Epic Breakdown\n\n## Epic 1: Shop\n\n${stories.join("\n")}`;
}

function SPEC(key: string, baseline: string): string {
  return `---\ntitle: '${key}'\ntype: 'feature'\nstatus: 'done'\nbaseline_commit: '${baseline}'\n---\n\n` +
    "<frozen-after-approval>\n\n## Intent\n\n**Problem:** It is missing.\n\n**Approach:** Add it.\n\n</frozen-after-approval>\n\n" +
    `## Tasks & Acceptance\n\n**Execution:**\n- [x] \`src/${key}.ts\` -- add it -- it is missing\n- [x] \`tests/${key}_test.ts\` -- test it -- to be sure\n\n` +
    "**Acceptance Criteria:**\n- Given the shop, when I open it, then it works\n\n## Verification\n\n**Commands:**\n- `deno test` -- expected: green\n";
}
