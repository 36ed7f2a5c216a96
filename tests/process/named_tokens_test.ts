/** Can tokens of others be added, found and revoked, so that nobody learns one from what is kept? */
import assert from "node:assert/strict";
import { addToken, idIn, prepareTokens, readTokens, removeTokens } from "../../src/process/named_tokens.ts";
import { httpPlaces } from "../../src/base/http_state.ts";
import { sha256 } from "../../src/base/text.ts";
import { Refused } from "../../src/process/private_folder.ts";
import { treeTest, withTree } from "../support/trees.ts";
import { POSIX } from "../support/run.ts";

const UNIX = Deno.build.os !== "windows";
const UNIT = new URL("../../src/process/named_tokens.ts", import.meta.url).href;

treeTest("only the hash of a token is kept [team:tokens]", {}, async (dir) => {
  const state = `${dir}/state`;
  prepareTokens(state);
  assert.deepEqual(readTokens(state), []);
  const { text, token } = await addToken(state, { name: "ana", role: "worker", added: 1 });
  const { tokensFile: file, tokens: folder } = httpPlaces(state);
  assert.equal(idIn(text), token.id);
  assert.match(text, /^bmad_[a-z0-9]{8}_[\w-]{43}$/);
  assert.equal(token.hash, await sha256(text));
  const kept = Deno.readTextFileSync(file);
  assert.ok(!kept.includes(text.split("_").at(-1)!));
  assert.deepEqual(readTokens(state), [token]);
  const other = await addToken(state, {
    name: "ana",
    role: "owner",
    projects: ["shop"],
    added: 2,
    ends: 9,
  });
  assert.notEqual(other.token.id, token.id);
  assert.deepEqual(readTokens(state), [token, other.token]);
  assert.deepEqual(await removeTokens(state, ({ id }) => id === token.id), [token]);
  assert.deepEqual(readTokens(state), [other.token]);
  if (!UNIX) return;
  assert.deepEqual([file, folder].map((path) => Deno.statSync(path).mode! & 0o777), [0o600, 0o700]);
});

Deno.test("tokens that several programs add at the same moment are all kept [team:tokens]", () =>
  withTree({}, async (state) => {
    prepareTokens(state);
    const code = `
      import { addToken } from ${JSON.stringify(UNIT)};
      for (let n = 0; n < 5; n++) await addToken(${
      JSON.stringify(state)
    }, { name: "n" + n, role: "reader", added: n });
    `;
    await Promise.all(Array.from({ length: 4 }, async () => {
      const { success, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "-A", `data:application/typescript,${encodeURIComponent(code)}`],
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
    }));
    assert.equal(new Set(readTokens(state).map(({ id }) => id)).size, 20);
  }));

const SPOILT: readonly (readonly [what: string, text: string, mode: number, problem: RegExp])[] = [
  ["open to others", '{"version":1,"tokens":[]}', 0o644, /is open to other users/],
  ["not JSON", "{", 0o600, /is not one that this version has written/],
  [
    "with a role that nobody knows",
    JSON.stringify({
      tokens: [{ id: "aaaaaaaa", name: "a", role: "king", added: 1, hash: "0".repeat(64) }],
    }),
    0o600,
    /is not one that this version has written/,
  ],
];

for (const [what, text, mode, problem] of SPOILT) {
  Deno.test(`a file of tokens that is ${what} lets nobody in [team:tokens]`, POSIX, async () => {
    await withTree({}, async (state) => {
      prepareTokens(state);
      const { tokensFile: file } = httpPlaces(state);
      Deno.writeTextFileSync(file, text);
      Deno.chmodSync(file, mode);
      assert.throws(
        () => readTokens(state),
        (error) => error instanceof Refused && problem.test(error.message),
      );
      await assert.rejects(addToken(state, { name: "a", role: "reader", added: 1 }), Refused);
    });
  });
}
