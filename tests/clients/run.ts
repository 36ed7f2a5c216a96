/**
 * Do real clients see us, and does their model get what our tool returns?
 *
 * Installs each client from npm into a cache, gives it a home of its own, and runs it: first to connect, then, where
 * that is possible without an account, with a fake model that calls our tool, then, in another home, with nothing but
 * our plugin. Not a part of the test suite, because the clients are large; `--write` keeps what was seen in
 * docs/clients.md.
 *
 *     deno task test:clients [--write] [NAME…]
 */
import { fileURLToPath } from "node:url";
import { buildPlugins } from "../../.github/release/plugins.ts";
import { PRODUCT } from "../../src/model.ts";
import { type Check, type Client, CLIENTS, type Launch } from "./clients.ts";
import { print } from "../../bench/support.ts";
import { type FakeModel, startFakeModel } from "./fake_model.ts";

const REPO = fileURLToPath(new URL("../..", import.meta.url));
const CACHE = `${(Deno.env.get("TMPDIR") ?? "/tmp").replace(/\/$/, "")}/bmad-mcp-test-clients`;

/** What a persona begins with that only our tool can have told the model. */
const PERSONA = /agent: bmm\/bmad-agent-analyst[\s\S]*Resolved by the server/;

interface Seen {
  readonly client: Client;
  readonly connected: boolean;
  /** Whether a model was told the persona; undefined where none was asked. */
  readonly told: boolean | undefined;
  /** Whether it takes our plugin and connects through it; undefined where there is none. */
  readonly plugged: boolean | undefined;
  readonly said: string;
}

async function see(client: Client): Promise<Seen> {
  const folder = `${CACHE}/${client.package.replaceAll(/[^\w.-]/g, "_")}`;
  await install(client, folder);
  const home = await Deno.makeTempDir({ prefix: "bmad-mcp-client-" });
  await using model = startFakeModel();
  try {
    const project = `${home}/project`;
    await Deno.mkdir(project);
    await writeFiles(home, client.files(await launch(), model.url));
    const program = `${folder}/node_modules/.bin/${client.program}`;
    const said = await run(program, client.connect, home, project);
    const talk = client.talk?.(model.url);
    const heard = talk && await run(program, talk, home, project).then(() => toldBy(model));
    const refused = client.plugin && await plug(client.plugin, program);
    return {
      client,
      connected: client.connect.shows.test(said),
      told: heard,
      plugged: client.plugin && refused === undefined,
      said: refused ?? said,
    };
  } finally {
    await Deno.remove(home, { recursive: true }).catch(() => {});
  }
}

/** Gives a client our plugin, where `bmad-mcp` is on the path. Returns what it said when it did not take it. */
async function plug(steps: NonNullable<Client["plugin"]>, program: string): Promise<string | undefined> {
  const home = await Deno.makeTempDir({ prefix: "bmad-mcp-plugin-" });
  try {
    const { command, args, env } = await launch();
    const words = [...Object.entries(env).map(([key, value]) => `${key}=${value}`), command, ...args];
    const script = `#!/bin/sh\nexec env ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`;
    await writeFiles(home, buildPlugins({ repository: "owner/bmad-mcp", version: PRODUCT.version }));
    await writeFiles(home, { "bin/bmad-mcp": script });
    await Deno.chmod(`${home}/bin/bmad-mcp`, 0o755);
    await Deno.mkdir(`${home}/project`);
    for (const step of steps(`${home}/bmad-mcp-plugins`)) {
      const said = await run(program, step, home, `${home}/project`);
      if (!step.shows.test(said)) return said;
    }
    return undefined;
  } finally {
    await Deno.remove(home, { recursive: true }).catch(() => {});
  }
}

async function writeFiles(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${home}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${home}/${path}`, text);
  }
}

function toldBy({ heard }: FakeModel): boolean {
  return heard.some((body) => PERSONA.test(body));
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

/** Our server, as the README has clients start it. */
async function launch(): Promise<Launch> {
  const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(info.stdout));
  return {
    command: Deno.execPath(),
    args: ["task", "--quiet", "--config", `${REPO}deno.json`, "start"],
    env: { DENO_DIR: denoDir },
  };
}

/** Runs a client and returns what it printed. It ends by itself, with its input, or after a minute. */
async function run(
  program: string,
  { args, env, input = "" }: Omit<Check, "shows">,
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
    signal: AbortSignal.timeout(60_000),
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  if (input !== "") await new Promise((resolve) => setTimeout(resolve, 8_000));
  await writer.close().catch(() => {});
  const { stdout, stderr } = await child.output();
  // deno-lint-ignore no-control-regex
  return new TextDecoder().decode(new Uint8Array([...stdout, ...stderr])).replaceAll(/\x1b\[[\d;]*m/g, "");
}

function render(all: readonly Seen[]): string {
  const mark = (value: boolean | undefined) => value === undefined ? "not tried" : value ? "yes" : "**no**";
  return [
    "# Clients",
    "",
    "What was seen when real clients were run against this server, each installed from npm, with a home folder of its",
    "own and without an account: `deno task test:clients --write` writes this page. “Connects” means that the client's",
    "own check lists our server as connected; “persona” that the client's model, played by a fake one that calls the",
    "tool, was then sent the agent's persona with the resolved values; “plugin” that the client accepted the plugin of a",
    "release and connected through it.",
    "",
    "| Client | Version | Connects | Persona reaches the model | Plugin |",
    "| --- | --- | --- | --- | --- |",
    ...all.map(({ client, connected, told, plugged }) =>
      `| ${client.name} | ${client.package.split("@").at(-1)} | ${mark(connected)} | ${mark(told)} | ${
        mark(plugged)
      } |`
    ),
    "",
  ].join("\n");
}

const names = Deno.args.filter((arg) => !arg.startsWith("--"));
const wanted = CLIENTS.filter(({ name }) => names.length === 0 || names.includes(name));
const all: Seen[] = [];
for (const client of wanted) {
  const seen = await see(client);
  all.push(seen);
  if (!seen.connected || seen.plugged === false) print(seen.said.slice(-2_000));
}
const page = render(all);
print(page);
if (Deno.args.includes("--write")) {
  await Deno.writeTextFile(`${REPO}docs/clients.md`, page);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", `${REPO}docs/clients.md`] }).output();
}
if (all.some(({ connected, told, plugged }) => !connected || told === false || plugged === false)) {
  Deno.exitCode = 1;
}
