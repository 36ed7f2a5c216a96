/** Does `git_evidence.py` measure as BMAD's own script does, without running what a repository names? */
import assert from "node:assert/strict";
import { logCommits } from "../../../src/content/repositories/mod.ts";
import { gitEvidence } from "../../../src/project/scripts/git_evidence.ts";
import type { ScriptWorld } from "../../../src/project/scripts/script.ts";
import { type Chance, chanceFrom } from "../../support/chance.ts";
import { runGit } from "../../support/git.ts";
import { sourceTree } from "../../support/installs.ts";
import { assertFailed, runCli } from "../../support/program.ts";
import { comparable, NO_ORIGINALS, runNative, runOriginals } from "../../support/scripts.ts";
import { copyTree, treeTest, withTree } from "../../support/trees.ts";
import { writeProgram } from "../../support/programs.ts";

const ENVIRONMENT = { PATH: Deno.env.get("PATH") ?? "", HOME: "/nonexistent" };

const gitIn = (within: string): ScriptWorld["git"] => async (folder, options, range, signal) =>
  await logCommits(folder, options, range, { environment: ENVIRONMENT, timeout: 60_000, signal, within });

async function ask(root: string, ...args: readonly string[]) {
  const { status, stdout } = await runNative(gitEvidence, root, args, "", { git: gitIn(root) });
  return { status, said: JSON.parse(stdout) };
}

async function importCommits(folder: string, stream: Uint8Array<ArrayBuffer>): Promise<void> {
  const child = new Deno.Command("git", {
    args: ["fast-import", "--quiet"],
    cwd: folder,
    stdin: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(stream).then(() => writer.close());
  const { success, stderr } = await child.output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** A commit of a stream for `git fast-import`; its mark is its number. */
interface NewCommit {
  readonly subject: string;
  readonly parents: readonly number[];
  readonly files: Readonly<Record<string, string>>;
}

/** A repository with these commits, each with a tag `c1`, `c2`, …. Texts hold one character for each byte. */
async function withRepository(
  commits: readonly NewCommit[],
  fn: (root: string) => Promise<void>,
): Promise<void> {
  const data = (text: string) => `data ${text.length}\n${text}\n`;
  const stream = commits.map(({ subject, parents, files }, at) => {
    const [first, ...merged] = parents;
    const tag = `refs/tags/c${at + 1}`;
    return `reset ${tag}\n\ncommit ${tag}\nmark :${at + 1}\ncommitter A <a@b> ${1_700_000_000 + at} +0000\n${
      data(subject)
    }${first === undefined ? "" : `from :${first}\n`}${merged.map((one) => `merge :${one}\n`).join("")}${
      Object.entries(files).map(([path, text]) => `M 100644 inline ${JSON.stringify(path)}\n${data(text)}`)
        .join("")
    }\n`;
  }).join("");
  await withTree({}, async (root) => {
    runGit(root, "init", "-q");
    await importCommits(root, Uint8Array.from(stream, (char) => char.charCodeAt(0)));
    await fn(root);
  });
}

const HISTORY: readonly NewCommit[] = [
  { subject: "start", parents: [], files: { "a.txt": "1\n2\n" } },
  { subject: "Story 1-2: more, and 1-3", parents: [1], files: { "a.txt": "1\n2\n3\n", "b.bin": "\0\x01" } },
  { subject: "11-2 side", parents: [1], files: { "c d.txt": "x\n" } },
  { subject: "merge", parents: [2, 3], files: { "c d.txt": "x\ny\n" } },
];

treeTest("a range has two ends and is no option", {}, async (root) => {
  for (const range of ["c1", "..c1", "c1..", "c1...c2", "--output=x..y", " a..b", "-a..b"]) {
    const { status, said } = await ask(root, `--range=${range}`);
    assert.deepEqual([status, said.ok], [2, false], range);
  }
  assert.deepEqual(await ask(root), {
    status: 0,
    said: { range: null, note: "no range supplied", commits: [], files: [] },
  });
  await assert.rejects(runNative(gitEvidence, root, ["--range", "a..b"]), /git/);
  await assert.rejects(ask(root, "--range", "a..b", "--repo", "../.."), /outside/);
});

Deno.test("no repository above or outside the project is seen [work:git-commits-only]", () =>
  withRepository(HISTORY, async (root) => {
    const project = `${root}/project`;
    await Deno.mkdir(`${project}/sub`, { recursive: true });
    await Deno.symlink(root, `${project}/out`);
    for (const repo of ["out", "out/.git"]) {
      await assert.rejects(ask(project, "--range", "c1..c2", "--repo", repo), /outside/, repo);
    }
    for (const repo of [".", "sub"]) {
      const { status, said } = await ask(project, "--range", "c1..c2", "--repo", repo);
      assert.deepEqual([status, said.ok], [1, false], repo);
      assert.match(said.error, /not a git repository|No such file/, repo);
    }
    await Deno.symlink(project, `${root}/in`);
    for (const repo of [".", "project/sub", "in/sub"]) {
      const { status, said } = await ask(root, "--range", "c1..c2", "--repo", repo);
      assert.deepEqual([status, said.commit_count], [0, 1], repo);
    }
  }));

Deno.test("files that look like a repository are none [work:git-commits-only]", () =>
  withRepository(HISTORY, async (root) => {
    // What can be committed, unlike `.git`: the inside of a repository, with its own configuration.
    const project = `${root}/project`;
    await Deno.mkdir(`${project}/nested`, { recursive: true });
    for (const folder of [project, `${project}/nested`]) {
      await copyTree(`${root}/.git`, folder);
      runGit(folder, "config", "core.bare", "true");
    }
    assert.match(runGit(project, "log", "--format=%s", "c2"), /Story 1-2/);
    for (const repo of [".", "nested"]) {
      const { status, said } = await ask(project, "--range", "c1..c2", "--repo", repo);
      assert.deepEqual([status, said.ok], [1, false], repo);
      assert.match(said.error, /not a git repository|bare repository/, repo);
    }
  }));

const NO_PROGRAMS = "a repository's own programs do not run [work:git-commits-only]";
Deno.test({ name: NO_PROGRAMS, ignore: Deno.build.os === "windows" }, async () => {
  await withRepository([...HISTORY, {
    subject: "attributes",
    parents: [4],
    files: { ".gitattributes": "* diff=evil\n" },
  }], async (root) => {
    // A signature makes git start the program that verifies it, if it is asked to show signatures.
    const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
    const signed = runGit(root, "cat-file", "commit", "c5").replace(
      /^committer .*\n/m,
      (line) => line + signature,
    );
    await Deno.writeTextFile(`${root}/.git/signed`, `${signed}\n`);
    runGit(root, "tag", "c6", runGit(root, "hash-object", "-t", "commit", "-w", ".git/signed"));
    const proof = `${root}/ran`;
    const evil = `${root}/.git/evil`;
    writeProgram(evil, `#!/bin/sh\ntouch '${proof}'\n`);
    const settings =
      ("diff.external diff.evil.command diff.evil.textconv core.pager pager.log core.fsmonitor gpg.program " +
        "gpg.openpgp.program gpg.ssh.program gpg.x509.program filter.evil.clean filter.evil.smudge " +
        "filter.evil.process core.alternateRefsCommand core.sshCommand core.gitProxy core.askPass core.editor " +
        "sequence.editor credential.helper trailer.evil.command trailer.evil.cmd interactive.diffFilter " +
        "alias.log alias.bounded remote.evil.vcs remote.evil.uploadpack").split(" ");
    for (const key of settings) runGit(root, "config", key, key.startsWith("alias.") ? `!${evil}` : evil);
    runGit(root, "config", "log.showSignature", "true");
    runGit(root, "config", "format.pretty", "%G? %GG %(trailers)");
    runGit(root, "config", "diff.submodule", "diff");
    // An object that is missing would be fetched from such a remote.
    runGit(root, "config", "extensions.partialClone", "evil");
    runGit(root, "config", "remote.evil.promisor", "true");
    runGit(root, "config", "remote.evil.url", `ext::${evil}`);
    runGit(root, "config", "protocol.allow", "always");
    runGit(root, "config", "core.hooksPath", root);
    await Deno.writeTextFile(`${root}/.gitattributes`, "* diff=evil filter=evil\n");
    const { status, said } = await ask(root, "--range", "c1..c6");
    assert.deepEqual([status, said.commit_count], [0, 4], said.error);
    await assert.rejects(Deno.lstat(proof), Deno.errors.NotFound);
    const blob = runGit(root, "rev-parse", "c2:a.txt").trim();
    await Deno.remove(`${root}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
    assert.equal((await ask(root, "--range", "c1..c6")).said.ok, false);
    await assert.rejects(Deno.lstat(proof), Deno.errors.NotFound);
    const files = [...Deno.readDirSync(root)].map(({ name }) => name).sort();
    assert.deepEqual(files, [".git", ".gitattributes"]);
  });
});

Deno.test("git runs for a model only if allowed [work:git-right]", () =>
  withRepository(HISTORY, async (root) => {
    const line = ["script", "git_evidence.py", "--range", "c1..c2"];
    const { code, stdout } = await runCli(line, { cwd: root });
    assert.deepEqual([code, JSON.parse(stdout).commit_count], [0, 1]);
    const call = ["call", "bmad_work", JSON.stringify({ script: line.slice(1).join(" ") })];
    assertFailed(await runCli(call, { cwd: root }), 3, /BMAD_ALLOW_GIT|--allow-git/);
    const allowed = await runCli(["--allow-git", ...call], { cwd: root });
    assert.equal(JSON.parse(allowed.stdout).commit_count, 1);
  }));

const SUBJECTS =
  "1-2 x|11-2|\xc3\xa9-1 (1-2)|a\x1fb|a\x0bb|tab\there\tand there|\xe8\xaa\x9e1-2 \xe8\xaa\x9e||1-2-3|a.b"
    .split("|");
const PATHS = ["a.txt", "b c.txt", "d\tt.txt", "sub/e.txt", 'q"x.txt'];

function randomHistory(chance: Chance): readonly NewCommit[] {
  const text = () => chance.below(6) === 0 ? "\0bin" : "line\n".repeat(chance.below(5)) + chance.below(9);
  return Array.from({ length: 12 }, (_, at) => {
    const parents = at === 0
      ? []
      : [at, ...chance.below(3) === 0 && at > 2 ? [1 + chance.below(at - 1)] : []];
    const paths = PATHS.filter(() => chance.below(3) === 0);
    return {
      subject: chance.pick(SUBJECTS),
      parents,
      files: Object.fromEntries(paths.map((path) => [path, text()])),
    };
  });
}

Deno.test("git_evidence.py answers as BMAD's own [work:same-answers]", { ignore: NO_ORIGINALS }, async () => {
  const skill = `${await sourceTree("bmad-method@6.12.0")}/src/bmm-skills/ship/bmad-retrospective`;
  for (const seed of [7, 8, 9]) {
    await withRepository(randomHistory(chanceFrom(seed)), async (root) => {
      await Deno.mkdir(`${root}/folder`);
      const ranges = ["c1..c12", "c3..c9", "c5..c5", "c9..c3", "c1..none"];
      const calls = [
        ...ranges.map((range) => ["--range", range, "--stories", "1-2,a.b, é-1"]),
        ...["c1", "c1...c2", "a..-b", " a..b"].map((range) => ["--range", range]),
        ...["folder", "none"].map((repo) => ["--repo", repo, "--range", "c1..c4"]),
        ...[[], ["--range"], ["x"], ["--repo=.", "--range=c1..c2"]],
      ];
      const expected = await runOriginals(
        `${skill}/scripts/git_evidence.py`,
        () => root,
        calls.map((args) => ({ args })),
      );
      for (const [at, args] of calls.entries()) {
        const { status, stdout, stderr } = await runNative(gitEvidence, root, args, "", {
          git: gitIn(root),
        });
        assert.equal(
          comparable(stdout),
          comparable(expected[at]!.stdout),
          `${args.join(" ")}\n${expected[at]!.stderr}${stderr}`,
        );
        assert.equal(status, expected[at]!.status, args.join(" "));
      }
    });
  }
});
