/**
 * Do real clients see us after `bmad-mcp install`, and does their model get what our tool returns?
 *
 * Installs each client from npm into a cache, gives it a home of its own with files as users have them, lets
 * `bmad-mcp install` tell it of us, and runs it: first to connect, then, where that is possible without an account,
 * with a fake model that calls our tool. After `bmad-mcp uninstall` it must have forgotten us. Then, in another home, it
 * gets nothing but our plugin. Not a part of the test suite, because the clients are large; `--write` keeps what was
 * seen in docs/clients.md.
 *
 *     deno task test:clients [--write] [NAME…]
 */
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { temporaryFolder } from "../../.github/release/deno.ts";
import { buildPlugins } from "../../.github/release/plugins.ts";
import { describeRelease } from "../../.github/release/release.ts";
import { findClient } from "../../src/commands/clients/table.ts";
import { SKILL } from "../../src/commands/clients/skill.ts";
import { type Check, type Client, CLIENTS } from "./clients.ts";
import { print } from "../../bench/support.ts";
import { cleanEnv, PROGRAM } from "../support/program.ts";
import { type FakeModel, startFakeModel } from "./fake_model.ts";
import { makeProgram } from "../support/programs.ts";

const REPO = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = `${temporaryFolder().replace(/\/$/, "")}/bmad-mcp-test-clients`;

const GREETING = /The MCP server bmad-mcp/g;

const REMINDER = /none is open, and it is still in progress/g;

const FINISHED = {
  "_bmad/bmm/config.yaml": "",
  "_bmad-output/implementation-artifacts/sprint-status.yaml":
    "development_status:\n  epic-1: in-progress\n  1-1-book: in-progress\n",
  "_bmad-output/implementation-artifacts/1-1-book.md":
    "# Story 1.1: Book\n\nStatus: in-progress\n\n## Tasks\n\n- [x] One\n",
};

/** What a persona begins with that only our tool can have told the model. */
const PERSONA = /agent: bmm\/bmad-agent-analyst[\s\S]*Already resolved/;

type Seen = Awaited<ReturnType<typeof see>>;

async function see(client: Client) {
  const folder = `${CACHE}/${client.package.replaceAll(/[^\w.-]/g, "_")}`;
  await install(client, folder);
  const home = await Deno.makeTempDir({ prefix: "bmad-mcp-client-" });
  await using model = startFakeModel();
  try {
    const project = `${home}/project`;
    await makeProject(project);
    const files = client.files?.(model.url) ?? {};
    await writeFiles(home, files);
    // Not every client passes DENO_DIR on to the server, which must find its packages without a network.
    await Deno.mkdir(`${home}/.cache`);
    await Deno.symlink(cleanEnv(home)["DENO_DIR"]!, `${home}/.cache/deno`);
    const program = `${folder}/node_modules/.bin/${client.program}`;
    await ourselves(["install", "--hooks"], client, home);
    await ourselves(["install", "--skill"], client, home);
    const said = await run(program, client.connect, home, project);
    const talk = client.talk?.(model.url);
    const told = talk && await run(program, talk, home, project).then(() => toldBy(model));
    const greet = client.greet?.(model.url);
    if (greet !== undefined) await run(program, greet, home, project);
    const hasHooks = findClient(client.id)?.hooks !== undefined;
    const greeted = hasHooks ? greetedOnce(model) : undefined;
    const isAsked = talk !== undefined || greet !== undefined;
    const skilled = isAsked ? model.heard.some((body) => body.includes(SKILL)) : undefined;
    const skill = findClient(client.id)!.skills![0].replace(/^\$\{\w+:-(.*?)\}/, "$1").replace("~", home);
    const isThere = await Deno.stat(`${skill}/${SKILL}`).then(() => true);
    await ourselves(["uninstall"], client, home);
    const isGone = await Deno.stat(`${skill}/${SKILL}`).then(() => false, () => true);
    const after = await run(program, client.connect, home, project);
    const kept = await Promise.all(
      Object.entries(files).map(async ([path, text]) => await Deno.readTextFile(`${home}/${path}`) === text),
    );
    const refused = client.plugin && await plug(client, client.plugin, program);
    return {
      client,
      /** Undefined where it only lists servers. */
      connected: client.connect.isOnlyListing ? undefined : client.connect.shows.test(said),
      /** Whether a model was told the persona; undefined where none was asked. */
      told,
      /**
       * Whether its model was told once, at the start of a session, what is served, and reminded once, at its end, of a
       * story; undefined where it has no hooks.
       */
      greeted,
      /** Whether its model was informed about our skill, as long as it was there; undefined where no model was asked. */
      skilled,
      /** Whether it knew nothing of us once we were taken out again, and its files were as before. */
      forgotten: !client.connect.shows.test(after) && !kept.includes(false) && isThere && isGone,
      /** Whether it takes our plugin and connects through it; undefined where there is none. */
      plugged: client.plugin && refused === undefined,
      said: refused ?? said,
    };
  } finally {
    await Deno.remove(home, { recursive: true }).catch(() => {});
  }
}

/**
 * Gives a client our plugin, where `bmad-mcp` is on the path, and then our hook as well. Returns what it said when it did
 * not take it, or when a session was not greeted exactly once.
 */
async function plug(
  client: Client,
  steps: NonNullable<Client["plugin"]>,
  program: string,
): Promise<string | undefined> {
  const home = await Deno.makeTempDir({ prefix: "bmad-mcp-plugin-" });
  try {
    const licence = await Deno.readTextFile(`${REPO}LICENSE`);
    await writeFiles(home, buildPlugins(describeRelease("owner/bmad-mcp"), licence));
    await putProgram(home, "bmad-mcp", `set -- task --quiet --config '${REPO}deno.json' start "$@"`);
    await makeProject(`${home}/project`);
    await using model = startFakeModel();
    await writeFiles(home, client.files?.(model.url) ?? {});
    for (const step of steps(`${home}/bmad-mcp-plugins`)) {
      const said = await run(program, step, home, `${home}/project`);
      if (!step.shows.test(said)) return said;
    }
    const session = client.greet?.(model.url) ?? client.talk?.(model.url);
    if (session === undefined) return undefined;
    for (const hooks of ["plugin", "plugin and file"]) {
      if (hooks !== "plugin") await ourselves(["install", "--hooks"], client, home);
      const [heard] = [model.heard.length];
      const said = await run(program, session, home, `${home}/project`);
      if (!greetedOnce({ heard: model.heard.slice(heard) })) return `Not greeted once by ${hooks}: ${said}`;
      if (!model.heard.slice(heard).some((body) => body.includes(SKILL))) {
        return `No skill by ${hooks}: ${said}`;
      }
    }
    return undefined;
  } finally {
    await Deno.remove(home, { recursive: true }).catch(() => {});
  }
}

async function makeProject(folder: string): Promise<void> {
  await writeFiles(folder, FINISHED);
  const later = Date.now() / 1_000 + 3_600;
  await Deno.utime(`${folder}/_bmad-output/implementation-artifacts/1-1-book.md`, later, later);
}

async function writeFiles(home: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await Deno.mkdir(`${home}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(`${home}/${path}`, bytes);
  }
}

function toldBy({ heard }: FakeModel): boolean {
  return heard.some((body) => PERSONA.test(body));
}

/** Whether some request has the greeting and some the reminder, and none has one of them twice. */
function greetedOnce({ heard }: Pick<FakeModel, "heard">): boolean {
  // Claude Code puts what a hook says at the end into two messages itself.
  const once = heard.map((body) => body.replaceAll(/Stop hook blocking error from command: [^}]*/g, ""));
  return [GREETING, REMINDER].every((said) =>
    Math.max(0, ...once.map((body) => body.match(said)?.length ?? 0)) === 1
  );
}

async function install(client: Client, folder: string): Promise<void> {
  const isThere = await Deno.stat(`${folder}/node_modules/.bin/${client.program}`).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  const args = [
    "install",
    "--prefix",
    folder,
    "--no-audit",
    "--no-fund",
    "--silent",
    "--force",
    client.package,
  ];
  const { success, stderr } = await new Deno.Command("npm", { args }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

async function ourselves(words: readonly string[], client: Client, home: string): Promise<void> {
  const ran = await new Deno.Command(PROGRAM.command, {
    args: [...PROGRAM.args, ...words, client.id],
    cwd: home,
    env: cleanEnv(home),
    clearEnv: true,
  }).output();
  if (!ran.success) throw new Error(new TextDecoder().decode(ran.stderr));
}

async function putProgram(home: string, name: string, line: string): Promise<void> {
  const { DENO_DIR } = cleanEnv(home);
  const script = `#!/bin/sh\n${line}\nDENO_DIR='${DENO_DIR}' exec '${Deno.execPath()}' "$@"\n`;
  await writeFiles(home, { [`bin/${name}`]: script });
  makeProgram(`${home}/bin/${name}`);
}

async function run(
  program: string,
  { args, env, input }: Omit<Check, "shows">,
  home: string,
  cwd: string,
): Promise<string> {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd,
    clearEnv: true,
    env: { PATH: `${home}/bin:${Deno.env.get("PATH") ?? ""}`, HOME: home, NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(120_000),
  }).spawn();
  const writer = child.stdin.getWriter();
  const end = () => writer.close().catch(() => {});
  if (input === undefined) await end();
  else await writer.write(new TextEncoder().encode(input.text));
  let printed = "";
  const stderr = new Response(child.stderr).text();
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    if (input?.until.test(printed)) await end();
  }
  await child.status;
  return stripVTControlCharacters(printed + await stderr);
}

function render(all: readonly Seen[]): string {
  const mark = (value: boolean | undefined) => value === undefined ? "not tested" : value ? "yes" : "**no**";
  return [
    "# Clients",
    "",
    "Results of running real clients against this server, each installed from npm, with its own home folder and without",
    "an account. `deno task test:clients --write` writes this page.",
    "",
    "- “Connects”: after `bmad-mcp install`, the client's own check lists our server as connected.",
    "- “Persona reaches the model”: the client's model, played by a fake one that calls the tool, then received the agent's",
    "  persona with the resolved values.",
    "- “Greets”: after `bmad-mcp install --hooks`, the model was told exactly once, at the start of a session, what is served",
    "  and what is in hand, and reminded exactly once, at the end of a turn, of a story that is finished and not marked;",
    "  with the plugin, too, and with both. Cursor's hook, which cannot be run here, follows its",
    "  documentation (https://cursor.com/docs/hooks: `sessionStart`, `additional_context`).",
    "- “Skill”: after `bmad-mcp install --skill`, the model was informed about our skill, which `uninstall` removes.",
    "- “Forgets”: after `bmad-mcp uninstall`, the check no longer lists our server and the client's files are as before.",
    "- “Plugin”: the client accepted the plugin of a release and connected through it.",
    "",
    "| Client | Version | Connects | Persona reaches the model | Greets | Skill | Forgets | Plugin |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...all.map(({ client, connected, told, greeted, skilled, forgotten, plugged }) =>
      `| ${client.name} | ${client.package.split("@").at(-1)} | ${mark(connected)} | ${mark(told)} | ${
        mark(greeted)
      } | ${mark(skilled)} | ${mark(forgotten)} | ${mark(plugged)} |`
    ),
    "",
  ].join("\n");
}

const isRight = ({ connected, told, greeted, skilled, forgotten, plugged }: Seen) =>
  ![connected, told, greeted, skilled, forgotten, plugged].includes(false);

const names = Deno.args.filter((arg) => !arg.startsWith("--"));
const wanted = CLIENTS.filter(({ name }) => names.length === 0 || names.includes(name));
const all: Seen[] = [];
for (const client of wanted) {
  const seen = await see(client);
  all.push(seen);
  if (!isRight(seen)) print(seen.said.slice(-2_000));
}
const page = render(all);
print(page);
if (Deno.args.includes("--write")) {
  await Deno.writeTextFile(`${REPO}docs/clients.md`, page);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", `${REPO}docs/clients.md`] }).output();
}
if (!all.every(isRight)) {
  Deno.exitCode = 1;
}
