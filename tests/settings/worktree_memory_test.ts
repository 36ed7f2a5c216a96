/** Do all worktrees of a repository remember the same, without losing what each of them has remembered before? */
import assert from "node:assert/strict";
import { runGit } from "../support/git.ts";
import { runHere } from "../support/program.ts";
import { withTree } from "../support/trees.ts";

async function withWorktree(play: (world: World) => Promise<void>): Promise<void> {
  await withTree({ "shop/app/a.txt": "a", "home/": "" }, async (dir) => {
    const env = { HOME: `${dir}/home`, XDG_STATE_HOME: `${dir}/state` };
    const say = async (cwd: string, ...words: readonly string[]) => {
      const options = { cwd: `${dir}/${cwd}`, env };
      const { code, stdout, stderr } = await runHere(
        ["memory", ...words, "--no-embedder", "--project", "."],
        options,
      );
      assert.deepEqual([code, stderr], [0, ""]);
      return stdout;
    };
    const commit = () => {
      runGit(`${dir}/shop`, "init", "--quiet", "--initial-branch=main");
      runGit(`${dir}/shop`, "add", ".");
      runGit(`${dir}/shop`, "commit", "--quiet", "-m", "Start");
      runGit(`${dir}/shop`, "worktree", "add", "--quiet", "../tree", "-b", "side");
    };
    await play({
      dir,
      commit,
      remember: (cwd, text) => say(cwd, "remember", "--type", "decisions", "--agent", "dev", text),
      texts: async (cwd) => {
        const { items } = JSON.parse(await say(cwd, "list", "--json"));
        return items.map(({ text }: { readonly text: string }) => text).toSorted();
      },
      forget: async (cwd, text) => {
        const { items } = JSON.parse(await say(cwd, "list", "--json"));
        const { id } = items.find((one: { readonly text: string }) => one.text === text);
        await say(cwd, "forget", id);
      },
      places: () =>
        [...Deno.readDirSync(`${dir}/state/bmad-mcp/memory`)].map(({ name }) => name.slice(0, -9)).toSorted(),
    });
  });
}

interface World {
  readonly dir: string;
  commit(): void;
  remember(cwd: string, text: string): Promise<unknown>;
  texts(cwd: string): Promise<readonly string[]>;
  forget(cwd: string, text: string): Promise<void>;
  places(): readonly string[];
}

Deno.test("worktrees have one memory, each project in the repository its own [memory:worktrees]", () =>
  withWorktree(async ({ commit, remember, texts, places }) => {
    await remember("shop", "before there was a repository");
    commit();
    await remember("tree", "in the worktree");
    const all = ["before there was a repository", "in the worktree"];
    assert.deepEqual([await texts("shop"), await texts("tree")], [all, all]);
    await remember("shop", "in the worktree");
    assert.deepEqual(await texts("tree"), all);
    await remember("shop/app", "of the app");
    assert.deepEqual([await texts("tree/app"), await texts("tree")], [["of the app"], all]);
    assert.deepEqual(places(), ["app", "shop"]);
  }));

Deno.test("what a worktree has remembered alone is taken over, once [memory:worktrees]", () =>
  withWorktree(async ({ dir, commit, remember, texts, forget }) => {
    commit();
    const [link, aside] = [`${dir}/tree/.git`, `${dir}/tree/aside`];
    const alone = async (text: string) => {
      Deno.renameSync(link, aside);
      await remember("tree", text);
      Deno.renameSync(aside, link);
    };
    await alone("an old one");
    // Nothing moves before something is written.
    assert.deepEqual([await texts("tree"), await texts("shop")], [["an old one"], []]);
    await remember("shop", "a new one");
    assert.deepEqual(await texts("tree"), ["a new one", "an old one"]);
    assert.deepEqual(await texts("shop"), ["a new one", "an old one"]);
    await forget("tree", "an old one");
    assert.deepEqual([await texts("tree"), await texts("shop")], [["a new one"], ["a new one"]]);
    await alone("by an earlier version");
    await remember("tree", "a last one");
    assert.deepEqual(await texts("shop"), ["a last one", "a new one", "by an earlier version"]);
  }));
