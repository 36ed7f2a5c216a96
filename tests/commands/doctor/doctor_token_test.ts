/** Does the doctor find everything that is wrong with the user's token for HTTP, and do its fixes work? */
import assert from "node:assert/strict";
import { readUserToken } from "../../../src/process/user_token.ts";
import { diagnose, type Plant, testPlant } from "../../support/plants.ts";
import { listTree, withTree } from "../../support/trees.ts";

const GOOD = {
  "shop/.claude/skills/bmad-good/SKILL.md": "---\nname: bmad-good\ndescription: A skill\n---\nDo it.\n",
};

function spoiltToken(name: string, spoil: (file: string) => void | Promise<void>, message: RegExp): Plant {
  const isForeign = /another user/.test(message.source);
  return {
    name: `a token for HTTP that is ${name}`,
    files: { ...GOOD, "state/": "" },
    prepare: async (dir) => {
      readUserToken(`${dir}/state/bmad-mcp`);
      await spoil(tokenIn(dir));
    },
    call: (dir) => ({ env: { XDG_STATE_HOME: `${dir}/state` } }),
    ignore: Deno.build.os === "windows" || (isForeign && Deno.uid() !== 0),
    code: "token",
    level: "look",
    message,
    fix: isForeign ? /^Set BMAD_TOKEN instead$/ : /^Delete it to get a new one, or set BMAD_TOKEN$/,
    follow: async (_, dir, call) => {
      if (isForeign) return { ...call, env: { ...call.env, BMAD_TOKEN: "a-token-of-many-letters" } };
      await Deno.remove(tokenIn(dir), { recursive: true });
      return call;
    },
  };
}

const tokenIn = (dir: string) => `${dir}/state/bmad-mcp/http/token`;

[
  spoiltToken("open to others", (file) => Deno.chmod(file, 0o640), /token file \S+ is open to other users$/),
  spoiltToken(
    "not a token",
    (file) => Deno.writeTextFile(file, "x\n"),
    /token file \S+ does not hold one$/,
  ),
  spoiltToken(
    "of another user",
    (file) => Deno.chown(file, 65_534, 65_534),
    /token file \S+ belongs to another user$/,
  ),
  spoiltToken("a link", async (file) => {
    await Deno.rename(file, `${file}.old`);
    await Deno.symlink("token.old", file);
  }, /token file \S+ is a link or not a plain one$/),
  spoiltToken("a folder", async (file) => {
    await Deno.remove(file);
    await Deno.mkdir(file, { mode: 0o700 });
  }, /token file \S+ is a link or not a plain one$/),
].forEach(testPlant);

Deno.test("the doctor creates no token, and checks none that is not used [cli:doctor]", () =>
  withTree({ ...GOOD, "state/": "" }, async (dir) => {
    const env = { XDG_STATE_HOME: `${dir}/state` };
    assert.deepEqual((await diagnose(dir, { args: [], env })).problems, []);
    assert.deepEqual(await listTree(`${dir}/state`), []);
    readUserToken(`${dir}/state/bmad-mcp`);
    await Deno.writeTextFile(tokenIn(dir), "x\n");
    assert.deepEqual((await diagnose(dir, { args: ["--no-token"], env })).problems, []);
  }));
