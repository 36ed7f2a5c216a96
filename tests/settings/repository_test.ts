/** Is the repository of a project found as git finds it, and never one that does not know the project? */
import assert from "node:assert/strict";
import { denoHost } from "../../src/process/host.ts";
import { findRepository, type Repository } from "../../src/settings/mod.ts";
import { gitUser } from "../../src/settings/plan/team.ts";
import { configOf } from "../support/config.ts";
import { runGit } from "../support/git.ts";
import { treeTest, withTree } from "../support/trees.ts";

const { look, readHead } = denoHost(Deno.cwd());
const disk = { os: Deno.build.os, look, readHead };
const find = (folder: string) => findRepository(folder, disk);

/** A folder with a clone that has one commit, in `clone`. */
const withClone = (fn: (dir: string) => void) =>
  withTree({ "clone/app/a.md": "a" }, (dir) => {
    runGit(`${dir}/clone`, "init", "--quiet", "--initial-branch=main");
    runGit(`${dir}/clone`, "add", "--all");
    runGit(`${dir}/clone`, "commit", "--quiet", "--message=Begin");
    return fn(dir);
  });

Deno.test("every worktree of a clone has the same common directory [team:worktrees]", () =>
  withClone((dir) => {
    const common = `${dir}/clone/.git`;
    assert.deepEqual(find(`${dir}/clone`), { top: `${dir}/clone`, common });
    assert.deepEqual(find(`${dir}/clone/app`), { top: `${dir}/clone`, common });
    runGit(`${dir}/clone`, "worktree", "add", "--quiet", "../login", "-b", "login");
    assert.deepEqual(find(`${dir}/login/app`), { top: `${dir}/login`, common, worktree: "login" });
  }));

Deno.test("so do those of bare repositories and submodules [team:worktrees]", () =>
  withClone((dir) => {
    runGit(dir, "clone", "--quiet", "--bare", "clone", "bare.git");
    runGit(`${dir}/bare.git`, "worktree", "add", "--quiet", "../of-bare", "main");
    assert.deepEqual(find(`${dir}/of-bare`), {
      top: `${dir}/of-bare`,
      common: `${dir}/bare.git`,
      worktree: "of-bare",
    });
    runGit(dir, "clone", "--quiet", `--separate-git-dir=${dir}/apart.git`, "clone", "apart");
    assert.deepEqual(find(`${dir}/apart`), { top: `${dir}/apart`, common: `${dir}/apart.git` });
    runGit(dir, "init", "--quiet", "outer");
    const add = ["submodule", "--quiet", "add", `${dir}/clone`, "inner"];
    runGit(`${dir}/outer`, "-c", "protocol.file.allow=always", ...add);
    assert.deepEqual(find(`${dir}/outer/inner`), {
      top: `${dir}/outer/inner`,
      common: `${dir}/outer/.git/modules/inner`,
    });
  }));

Deno.test("a repository of another worktree is refused [team:worktrees]", () =>
  withClone((dir) => {
    runGit(`${dir}/clone`, "worktree", "add", "--quiet", "../login", "-b", "login");
    const reasonOf = (name: string, file?: string) => {
      Deno.mkdirSync(`${dir}/${name}`);
      if (file !== undefined) Deno.writeTextFileSync(`${dir}/${name}/.git`, file);
      const found = find(`${dir}/${name}`);
      assert.ok(found?.reason !== undefined, JSON.stringify(found));
      assert.equal(found.path, `${dir}/${name}/.git`);
      return found.reason;
    };
    const other = "leads to a repository that knows another worktree";
    assert.equal(reasonOf("stolen", Deno.readTextFileSync(`${dir}/login/.git`)), other);
    assert.equal(reasonOf("missing", `gitdir: ${dir}/nowhere\n`), "leads to no repository");
    assert.equal(reasonOf("garbage", "hello"), "leads to no repository");
    assert.equal(reasonOf("plain", `gitdir: ${dir}/clone/app\n`), "leads to no repository");
    // A folder that claims a place among the worktrees, but has put its own there.
    for (const [file, text] of [["commondir", `${dir}/clone/.git`], ["gitdir", `${dir}/forged/.git`]]) {
      Deno.mkdirSync(`${dir}/forgery`, { recursive: true });
      Deno.writeTextFileSync(`${dir}/forgery/${file}`, `${text}\n`);
    }
    assert.equal(reasonOf("forged", `gitdir: ${dir}/forgery\n`), other);
    // An ordinary clone keeps no link back, but has a worktree of its own; a bare one has none.
    assert.equal(reasonOf("guest", `gitdir: ${dir}/clone/.git\n`), other);
    runGit(dir, "clone", "--quiet", "--bare", "clone", "bare.git");
    assert.equal(reasonOf("lodger", `gitdir: ${dir}/bare.git\n`), other);
    for (const name of ["HEAD", "objects", "refs"]) {
      Deno.mkdirSync(`${dir}/hollow/${name}`, { recursive: true });
    }
    assert.equal(reasonOf("fooled", `gitdir: ${dir}/hollow\n`), "leads to no repository");
    runGit(`${dir}/clone`, "config", "core.worktree", `${dir}/clone`);
    assert.equal(reasonOf("claimed", `gitdir: ${dir}/clone/.git\n`), other);
    Deno.mkdirSync(`${dir}/linked`);
    Deno.symlinkSync(`${dir}/clone/.git`, `${dir}/linked/.git`);
    const linked = find(`${dir}/linked`);
    assert.equal(linked?.reason, "is a link");
  }));

Deno.test("a link in the common directory gives no right, and is told [team:worktrees]", () =>
  withClone((dir) => {
    const { findFolder } = denoHost(dir);
    const args = ["--project", `${dir}/clone/app`];
    const plan = () => configOf({ ...disk, args, findFolder, home: undefined }).team;
    assert.deepEqual(plan()?.shared, {
      common: `${dir}/clone/.git`,
      folder: "bmad",
      project: "app",
      worktree: ".",
      head: "HEAD",
    });
    Deno.symlinkSync(dir, `${dir}/clone/.git/bmad`);
    assert.deepEqual(plan(), {
      refused: [{ folder: `${dir}/clone/.git/bmad`, reason: "is a link" }],
    });
  }));

treeTest("a name comes from the clone, then from the user's configuration [team:who]", {
  "clone/.git/config": "[core]\n\tbare = false\n",
  "home/.gitconfig": '; mine\n[user "x"]\n\tname = No\n[User]\n\temail = a@b.c\n\tName = "Ann  O\\"K" # me\n',
  "xdg/git/config": "[user] name = Bob ; not me\n",
}, (dir) => {
  const repository: Repository = { top: `${dir}/clone`, common: `${dir}/clone/.git` };
  const nameWith = (home: string, xdg?: string) =>
    gitUser(repository, { home: `${dir}/${home}`, env: () => xdg && `${dir}/${xdg}`, readHead });
  assert.equal(nameWith("home", "xdg"), 'Ann  O"K');
  assert.equal(nameWith("none", "xdg"), "Bob");
  assert.equal(nameWith("none"), undefined);
  Deno.writeTextFileSync(`${dir}/clone/.git/config`, "[user]\nname = Clone\nname = Cloe\n");
  assert.equal(nameWith("home", "xdg"), "Cloe");
});

Deno.test("a repository in the home folder, or above, is no project's [place:limits]", () =>
  withClone((dir) => {
    for (const home of [`${dir}/clone`, `${dir}/clone/ann`]) {
      assert.equal(findRepository(`${dir}/clone/app`, { ...disk, home }), undefined, home);
      assert.equal(findRepository(`${dir}/clone`, { ...disk, home })?.reason, undefined, home);
    }
  }));

Deno.test("a repository above the project that another user made is not used [team:worktrees]", () =>
  withClone((dir) => {
    const others = {
      ...disk,
      look: (path: string) => {
        const found = look(path);
        return found && { ...found, owner: { uid: path.includes("/.git") ? 65_534 : 1_000, gid: 0 } };
      },
    };
    assert.equal(
      findRepository(`${dir}/clone/app`, others)?.reason,
      "belongs to another user than the project",
    );
  }));
