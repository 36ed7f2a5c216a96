/** Does a server that runs know every token within the moment, and nothing else as one? */
import assert from "node:assert/strict";
import { httpPlaces } from "../../../src/base/http_state.ts";
import { addToken, prepareTokens, removeTokens } from "../../../src/process/named_tokens.ts";
import { openNamedTokens } from "../../../src/serve/identity/mod.ts";
import { treeTest } from "../../support/trees.ts";

treeTest("added, ended, revoked and forged tokens differ [team:tokens]", {}, async (state) => {
  prepareTokens(state);
  let time = 1_000;
  const problems: string[] = [];
  const tokens = openNamedTokens(state, { now: () => time, report: (problem) => problems.push(problem) });
  assert.equal(tokens.hasName("bob"), false);
  const ana = await addToken(state, { name: "ana", role: "worker", added: 0, ends: 2_000 });
  const bob = await addToken(state, { name: "bob", role: "owner", added: 0 });
  assert.equal(tokens.hasName("bob"), true);
  const found = await tokens.find(ana.text);
  assert.deepEqual([found?.name, found?.role], ["ana", "worker"]);
  const swapped = bob.text.replace(bob.token.id, ana.token.id);
  const long = `${ana.text}x`;
  for (const text of ["", "x", long, swapped, ana.token.hash, ana.text.toUpperCase()]) {
    assert.equal(await tokens.find(text), undefined, text);
  }
  await addToken(state, { name: "cy", role: "reader", added: 0 });
  assert.equal(await tokens.find(ana.text), found, "the same person is the same object");
  time = 2_000;
  assert.equal(await tokens.find(ana.text), undefined);
  await removeTokens(state, ({ name }) => name === "bob");
  assert.equal(await tokens.find(bob.text), undefined);
  Deno.writeTextFileSync(httpPlaces(state).tokensFile, "broken");
  assert.equal(await tokens.find(bob.text), undefined);
  assert.equal(tokens.hasName("bob"), false);
  assert.equal(problems.length, 1);
});
