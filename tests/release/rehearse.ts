/**
 * `deno task rehearse`: follows docs/releasing.md from a clean clone to the files of a release and their first users.
 *
 * With an invented account, every command of the page that needs no GitHub is run as it stands there, then the quick
 * gate, and the tests that lint workflows, scripts and manifests. The jobs that publish run with stand-ins for `gh`,
 * `docker` and `npm`, and git with repositories on this machine. The npm package of that release is installed in an
 * empty home, smoke-tested by both launchers, and used by Claude Code and Codex as they come from npm, which also
 * validate the plugin. The entry for the MCP registry is checked by the schema that it names, which is fetched, or read
 * from `--schema FILE`. `--full` also runs every test in the clone. Not a part of the test suite, because it takes
 * minutes.
 */
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { describeRelease } from "../../.github/release/release.ts";
import { REPOSITORY } from "../../.github/release/stage.ts";
import { print } from "../../bench/support.ts";
import { addChange, commandsIn, FILES, fillIn, OWNER, runLine, VERSION } from "../support/rehearsal.ts";
import { runJob, type Stage } from "../support/workflows.ts";

const { values: given } = parseArgs({
  args: Deno.args,
  options: { full: { type: "boolean" }, schema: { type: "string" } },
});

const work = await Deno.realPath(await Deno.makeTempDir({ prefix: "bmad-mcp-rehearsal-" }));
const [clone, release] = [`${work}/clone`, `${work}/release`];

async function step(what: string, command: string, cwd = clone, env = {}): Promise<string> {
  const started = performance.now();
  const output = await runLine(command, cwd, env);
  print(`ok  ${what} (${((performance.now() - started) / 1_000).toFixed(1)} s)`);
  return output;
}

async function publish(
  job: string,
  { files, ...stage }: Partial<Stage> & { readonly files: string },
) {
  const cwd = `${work}/jobs/${job}`;
  const home = `${cwd}/home`;
  await Deno.mkdir(home, { recursive: true });
  await Deno.writeTextFile(
    `${home}/.gitconfig`,
    `[url "${work}/hosted/"]\n\tinsteadOf = https://github.com/${OWNER}/\n`,
  );
  await runLine(files, cwd);
  const repository = `${OWNER}/bmad-mcp`;
  const done = await runJob(await Deno.readTextFile(`${clone}/.github/workflows/release.yml`), job, {
    cwd,
    standIns: { gh: "", docker: "", npm: "" },
    ...stage,
    env: {
      ...{ HOME: home, VERSION, GH_TOKEN: "token", TRUSTED: "true", GITHUB_ACTOR: OWNER },
      ...{ GITHUB_REPOSITORY: repository, GITHUB_REPOSITORY_OWNER: OWNER, GITHUB_REF_NAME: `v${VERSION}` },
      ...stage.env,
    },
  });
  print(`ok  the job ${job}, with stand-ins: ${done.calls.at(-1)!.slice(0, 100)}`);
  return done;
}

async function checkEntry(text: string): Promise<void> {
  const entry = JSON.parse(text);
  const schema = given.schema === undefined
    ? await fetch(entry.$schema).then((answer) => answer.text()).catch(() => undefined)
    : await Deno.readTextFile(given.schema);
  if (schema === undefined) {
    return print(`--  not checked: ${entry.$schema} cannot be fetched; pass --schema FILE`);
  }
  const parsed = JSON.parse(schema);
  assert.equal(parsed.$id, entry.$schema);
  const validate = new AjvJsonSchemaValidator().getValidator(parsed);
  const { valid, errorMessage } = validate(entry);
  assert.ok(valid, errorMessage);
  // It must have looked.
  assert.ok(!validate({ ...entry, packages: [{ ...entry.packages[0], version: "latest" }] }).valid);
  print("ok  server.json by the schema of the MCP registry");
}

try {
  await step(
    "a clean clone",
    `git clone --quiet '${REPOSITORY}' '${clone}' && git init --quiet --bare '${work}/github'`,
    work,
  );
  const page = await Deno.readTextFile(`${clone}/docs/releasing.md`);
  const [prepare, tag] = commandsIn(page).map((block) => fillIn(block, release));
  await addChange(clone);
  const notes = await step(`OWNER and version ${VERSION}, once`, prepare!);
  assert.match(notes, new RegExp(`github\\.com/${OWNER}/bmad-mcp/`));
  const deno = `npx -y deno@${Deno.version.deno}`;
  await step("the quick gate", `${deno} task quick`);
  const linted = ["workflow", "manifests", "packaging", "container", "forms"].map((name) =>
    `tests/release/${name}_test.ts`
  );
  await step("the content", `${deno} task embed`);
  await step(
    "workflows, scripts, manifests and the container by their linters",
    `${deno} test --config deno.dev.json --no-prompt --allow-all --no-check ${linted.join(" ")}`,
  );
  await step(
    "the commit",
    `git -c user.name=a -c user.email=a@b.example commit --quiet --all -m 'chore: release ${VERSION}'`,
  );
  await step(
    "the tag",
    `git remote set-url origin '${work}/github'; git config user.name a; git config user.email a@b.example; ${tag!}`,
  );
  await step("the files of a release", fillIn(FILES, release));
  const [, toolchain] = /^(npm install --package-lock-only .*)$/m.exec(
    await Deno.readTextFile(`${clone}/.github/CONTRIBUTING.md`),
  )!;
  await step("the toolchain's lock file", toolchain!, `${clone}/.github/release/toolchain`);
  assert.equal(await runLine("git status --porcelain", clone), "", "the lock file has changed");
  const sums = await Deno.readTextFile(`${release}/SHA256SUMS`);
  await step(
    `SHA256SUMS of ${sums.trimEnd().split("\n").length} files`,
    "sha256sum --check --quiet SHA256SUMS",
    release,
  );

  for (const name of ["homebrew-tap", "scoop-bucket", "bmad-mcp-plugins"]) {
    await runLine(
      `git init --quiet --bare '${work}/hosted/${name}.git' && git clone --quiet '${work}/hosted/${name}.git' first &&
       cd first && echo '# ${name}' > README.md && git add . &&
       git -c user.name=a -c user.email=a@b.example commit --quiet -m first && git push --quiet && cd .. && rm -r first`,
      work,
    );
  }
  const pushed = await publish("publish", { files: `cp '${release}'/*-manifests.zip .` });
  const head = `git -C '${work}/hosted/bmad-mcp-plugins.git' log -1 --format=%s`;
  assert.equal(await runLine(head, work), `bmad-mcp ${VERSION}\n`);
  const npm = await publish("publish-npm", { files: `cp '${release}'/*.tgz .` });
  const image = await publish("publish-image", { files: "true" });
  const channels = [pushed, npm, image].map(({ output }) => output.trim().replace("channel=", "")).join(",");
  await publish("announce", {
    files: `cp -R '${clone}/.' . && mkdir out && cp '${release}/SHA256SUMS' out`,
    env: { CHANNELS: channels, HOME: Deno.env.get("HOME")! },
    standIns: { gh: "", deno: `'${Deno.execPath()}' "$@"` },
    steps: ["Write the entry for the MCP registry", "Write the notes"],
  });
  const announced = `${work}/jobs/announce`;
  assert.match(await Deno.readTextFile(`${announced}/notes.md`), /npm install --global @/);
  await checkEntry(await Deno.readTextFile(`${announced}/server.json`));

  const [home, app] = [`${work}/home`, `${work}/app`];
  await Deno.mkdir(home);
  const described = describeRelease(`${OWNER}/bmad-mcp`, VERSION);
  const tarball = `${release}/${described.files.npm}`;
  await step(
    "the npm package in an empty home",
    `npm install --prefix '${app}' --ignore-scripts --no-audit --no-fund --silent '${tarball}'`,
    work,
    { HOME: home },
  );
  const folder = `${app}/node_modules/${described.npm}`;
  const launcher = `${folder}/launcher.cjs`;
  for (const words of [`node '${launcher}'`, `/bin/sh '${folder}/launcher.sh'`]) {
    const smoke = await step(
      `its smoke test by ${words.split(" ")[0]}`,
      `"$DENO" run -A .github/release/smoke.ts ${words}`,
    );
    assert.doesNotMatch(smoke, /^FAIL/m);
  }
  const clients = await step(
    "Claude Code and Codex connect, and forget it after uninstall",
    `"$DENO" task test:clients 'Claude Code' Codex`,
    REPOSITORY,
    { BMAD_BINARY: launcher },
  );
  print(clients.split("\n").filter((line) => /^\| (?:Claude|Codex)/.test(line)).join("\n"));
  if (given.full) await step("every test", `${deno} task ok`);
} finally {
  await Deno.remove(work, { recursive: true });
}
