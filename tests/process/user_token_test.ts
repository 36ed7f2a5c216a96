/** Does a user have one secret token that nobody else can read, choose or learn from a message? */
import assert from "node:assert/strict";
import { BmadError } from "../../src/base/errors.ts";
import { readUserToken } from "../../src/process/user_token.ts";
import { listTree, treeTest, withTree } from "../support/trees.ts";

const UNIX = Deno.build.os !== "windows";
const IS_ROOT = UNIX && Deno.uid() === 0;
const UNIT = new URL("../../src/process/user_token.ts", import.meta.url).href;

const PATH = "http/token";

Deno.test("a user's token is created once, and private [transport:http-user-token]", () =>
  withTree({ "home/": "" }, async (dir) => {
    const state = `${dir}/home/state`;
    const token = readUserToken(state);
    assert.match(token, /^[\w-]{43}$/);
    assert.equal(readUserToken(state), token);
    assert.notEqual(readUserToken(`${dir}/home/other`), token);
    assert.deepEqual([...Deno.readDirSync(`${state}/http`)].map(({ name }) => name), ["token"]);
    if (!UNIX) return;
    assert.equal((await Deno.stat(`${state}/${PATH}`)).mode! & 0o777, 0o600);
    for (const folder of [state, `${state}/http`]) {
      assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
    }
  }));

treeTest("programs that create a token at the same moment agree on one", {}, async (dir) => {
  const code = `
      import { readUserToken } from ${JSON.stringify(UNIT)};
      console.log(readUserToken(${JSON.stringify(dir)}));
    `;
  const outputs = await Promise.all(Array.from({ length: 4 }, async () => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "-A", `data:application/typescript,${encodeURIComponent(code)}`],
    });
    return new TextDecoder().decode((await child.output()).stdout).trim();
  }));
  assert.deepEqual([...new Set(outputs)], [readUserToken(dir)]);
});

const SECRET = "A".repeat(43);

type Spoil = (dir: string) => void | Promise<void>;

const mode = (path: string, mode: number): Spoil => (dir) => Deno.chmod(`${dir}/${path}`, mode);
const owner = (path: string): Spoil => (dir) => Deno.chown(`${dir}/${path}`, 65_534, 65_534);
const text = (text: string): Spoil => (dir) => Deno.writeTextFile(`${dir}/${PATH}`, text);
const linked = (path: string, target: string): Spoil => (dir) => {
  Deno.renameSync(`${dir}/${path}`, `${dir}/elsewhere`);
  Deno.symlinkSync(target, `${dir}/${path}`);
};

/** What can be wrong with it, and the words for it. */
const REFUSED: readonly (readonly [what: string, spoil: Spoil, problem: RegExp, when?: boolean])[] = [
  [
    "readable by others",
    mode(PATH, 0o644),
    /token file .* is open to other users\. Delete it to get a new one/,
  ],
  ["writable by the group", mode(PATH, 0o620), /is open to other users/],
  [
    "in a folder that others can open",
    mode("http", 0o755),
    /folder of the HTTP token .*http is open to other/,
  ],
  ["of another owner", owner(PATH), /token file .* belongs to another user/, IS_ROOT],
  ["in a folder of another owner", owner("http"), /folder of the HTTP token .* belongs to another/, IS_ROOT],
  ["a link", linked(PATH, "../elsewhere"), /token file .* is a link/],
  ["a link that leads nowhere", (dir) => {
    Deno.removeSync(`${dir}/${PATH}`);
    Deno.symlinkSync("../elsewhere", `${dir}/${PATH}`);
  }, /token file .* is a link/],
  ["in a folder that is a link", linked("http", "elsewhere"), /folder of the HTTP token .* is a link/],
  ["a pipe", async (dir) => {
    Deno.removeSync(`${dir}/${PATH}`);
    await new Deno.Command("mkfifo", { args: ["-m", "600", `${dir}/${PATH}`] }).output();
  }, /token file .* not a plain one/],
  ["empty", text(""), /does not hold one\. Delete it to get a new one, or set BMAD_TOKEN$/],
  [
    "longer than a token",
    text(`${SECRET}${SECRET}\n`),
    /token file .* is too large\. Delete it to get a new/,
  ],
  ["in a folder that cannot be created", async (dir) => {
    await Deno.remove(`${dir}/http`, { recursive: true });
    await Deno.writeTextFile(`${dir}/http`, SECRET);
  }, /Cannot use your HTTP token in .*\. Set BMAD_TOKEN instead$/],
];

for (const [what, spoil, problem, when = UNIX] of REFUSED) {
  Deno.test(`a token that is ${what} is refused, and not quoted`, { ignore: !when }, async () => {
    await withTree({}, async (dir) => {
      const token = readUserToken(dir);
      await spoil(dir);
      assert.throws(() => readUserToken(dir), (error) => {
        assert.ok(error instanceof BmadError, `${error}`);
        assert.match(error.message, problem);
        assert.ok(!error.message.includes(token) && !error.message.includes("AAAA"), error.message);
        return true;
      });
      const left = Deno.lstatSync(`${dir}/http`).isDirectory ? [...Deno.readDirSync(`${dir}/http`)] : [];
      assert.deepEqual(left.filter(({ name }) => name !== "token"), []);
    });
  });
}

Deno.test("root leaves no token with others [transport:http-user-token]", { ignore: !IS_ROOT }, async () => {
  await withTree({ "home/.local/": "" }, async (dir) => {
    for (const path of ["home", "home/.local"]) await Deno.chown(`${dir}/${path}`, 65_534, 65_534);
    assert.throws(
      () => readUserToken(`${dir}/home/.local/state/bmad-mcp`),
      /folder .*\/home\/\.local belongs to another user, .* root\. Run this as that user, or set BMAD_TOKEN$/,
    );
    assert.deepEqual(await listTree(dir), ["home/", "home/.local/"]);
  });
});

Deno.test("a user without a home is told to set a token", () => {
  assert.throws(() => readUserToken(undefined), /HOME is not set\. Set BMAD_TOKEN instead$/);
});
