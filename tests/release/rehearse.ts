/**
 * `deno task rehearse`: follows docs/releasing.md from a clean clone to the files of a release and their first users.
 *
 * With an invented account, every command of the page that needs no GitHub is run as it stands there, and so are the
 * gates of the workflow. The npm package of that release is then installed in an empty home, smoke-tested, and used by
 * Claude Code and Codex as they come from npm. `--full` also runs every test in the clone. Not a part of the test
 * suite, because it takes minutes.
 */
import assert from "node:assert/strict";
import { npmName } from "../../.github/release/artifacts.ts";
import { npmPackageOf } from "../../.github/release/release.ts";
import { REPOSITORY } from "../../.github/release/stage.ts";
import { print } from "../../bench/support.ts";
import { commandsIn, fillIn, nameOwner, OWNER, runLine, setVersion, VERSION } from "../support/rehearsal.ts";

const work = await Deno.realPath(await Deno.makeTempDir({ prefix: "bmad-mcp-rehearsal-" }));
const [clone, release] = [`${work}/clone`, `${work}/release`];

async function step(what: string, command: string, cwd = clone, env = {}): Promise<string> {
  const started = performance.now();
  const output = await runLine(command, cwd, env);
  print(`ok  ${what} (${((performance.now() - started) / 1_000).toFixed(1)} s)`);
  return output;
}

try {
  await step(
    "a clean clone",
    `git clone --quiet '${REPOSITORY}' '${clone}' && git init --quiet --bare '${work}/github'`,
    work,
  );
  const page = await Deno.readTextFile(`${clone}/docs/releasing.md`);
  const [format, docs, preview, tag, files, toolchain] = commandsIn(page).map((block) =>
    fillIn(block, release)
  );
  const names = await nameOwner(clone);
  await setVersion(clone);
  await step(`OWNER in ${names.join(", ")}, version ${VERSION}`, format!);
  await step("the version in the picture", docs!);
  const gates = ["fmt --check", "lint", "check", "task lint:doc"];
  for (const gate of gates) await step(`the gate: deno ${gate}`, `npx -y deno@${Deno.version.deno} ${gate}`);
  const notes = await step("the preview", preview!);
  assert.match(notes, new RegExp(`^version=${VERSION}$`, "m"));
  await step(
    "the commit",
    `git -c user.name=a -c user.email=a@b.example commit --quiet --all -m 'chore: release ${VERSION}'`,
  );
  await step(
    "the tag",
    `git remote set-url origin '${work}/github'; git config user.name a; git config user.email a@b.example; ${tag}`,
  );
  await step("the files of a release", files!);
  await step("the toolchain's lock file", toolchain!, `${clone}/.github/release/toolchain`);
  assert.equal(await runLine("git status --porcelain", clone), "", "the lock file has changed");
  const sums = await Deno.readTextFile(`${release}/SHA256SUMS`);
  await step(
    `SHA256SUMS of ${sums.trimEnd().split("\n").length} files`,
    "sha256sum --check --quiet SHA256SUMS",
    release,
  );

  const [home, app] = [`${work}/home`, `${work}/app`];
  await Deno.mkdir(home);
  const tarball = `${release}/${npmName(`${OWNER}/bmad-mcp`, VERSION)}`;
  await step(
    "the npm package in an empty home",
    `npm install --prefix '${app}' --ignore-scripts --no-audit --no-fund --silent '${tarball}'`,
    work,
    { HOME: home },
  );
  const launcher = `${app}/node_modules/${npmPackageOf(`${OWNER}/bmad-mcp`)}/launcher.cjs`;
  const smoke = await step("its smoke test", `"$DENO" run -A .github/release/smoke.ts node '${launcher}'`);
  assert.doesNotMatch(smoke, /^FAIL/m);
  const clients = await step(
    "Claude Code and Codex connect, and forget it after uninstall",
    `"$DENO" task test:clients 'Claude Code' Codex`,
    REPOSITORY,
    { BMAD_BINARY: launcher },
  );
  print(clients.split("\n").filter((line) => /^\| (?:Claude|Codex)/.test(line)).join("\n"));
  if (Deno.args.includes("--full")) await step("every test", `npx -y deno@${Deno.version.deno} task ok`);
} finally {
  await Deno.remove(work, { recursive: true });
}
