/** Does a mark leave the bytes in a ticket tree that `tickets.py mark` leaves? */
import assert from "node:assert/strict";
import { tickets } from "../../../../src/project/scripts/tickets.ts";
import { mark } from "../../../../src/project/work/writer/mod.ts";
import { type Chance, chanceFrom } from "../../../support/chance.ts";
import { OF_SHOP, runNative } from "../../../support/scripts.ts";
import { withTree } from "../../../support/trees.ts";
import { writerIn } from "../../../support/writer.ts";

const INITIATIVE = "out/initiative-shop";
const TITLES = [
  "Pay by card",
  "Größe ändern",
  'Say "no"',
  "C# & co: fast",
  "100 %",
  "Lost cent's way",
  "-dash",
];
const STATUSES = [
  "draft",
  "ready-for-dev",
  "in-progress",
  "in-review",
  "built",
  "done",
  "dropped",
  "blocked",
];

function anyTree(chance: Chance): Record<string, string> {
  const files: Record<string, string> = {
    [`${INITIATIVE}/initiative-shop.md`]: "---\ntype: initiative\ntitle: Shop\n---\n",
    [`${INITIATIVE}/tickets.toml`]: '[[epic]]\nid = 1\nslug = "epic-pay"\ntitle = "Pay"\n',
    [`${INITIATIVE}/epic-pay/epic-pay.md`]: "---\ntype: epic\ntitle: Pay\n---\n",
  };
  let entries = "";
  for (let id = 1; id <= 4; id++) {
    const [title, type] = [chance.pick(TITLES), chance.pick(["story", "bug", "spike"])];
    entries += `[[entry]]\nid = ${id}\ntype = "${type}"\ntitle = ${JSON.stringify(`${title} ${id}`)}\n\n`;
    const stem = `${INITIATIVE}/epic-pay/${type}-number-${id}`;
    const hasFile = chance.below(2) === 0;
    if (hasFile) {
      files[`${stem}.md`] = `---\nid: ${id}\ntype: ${type}\ntitle: ${
        JSON.stringify(`${title} ${id}`)
      }\n---\n\n# It\n`;
    }
    if (chance.below(3) === 0) continue;
    const isBlocked = chance.below(3) === 0;
    const fields = [
      "title: 'A plan' # with a remark",
      `ticket: ${id}`,
      `status: ${chance.pick(STATUSES)}`,
      "route: dispatch",
      "context: []",
      "# a comment of somebody",
      ...(isBlocked ? ['blocked_at: "2026-01-01"', 'blocked_reason: "Rain"'] : []),
      ...(chance.below(3) === 0 ? ["assignee: Bob"] : []),
    ].toSorted(() => chance.next() - 0.5);
    const body = chance.pick(["", "\n# Plan\n\nstatus: not this one\n", "\n- [ ] open\n\n---\n\nend"]);
    const end = chance.pick(["\n", "\n", "\r\n"]);
    files[`${stem}-plan.md`] = `---\n${fields.join("\n")}\n---\n${body}`.replaceAll("\n", end);
  }
  files[`${INITIATIVE}/epic-pay/tickets.toml`] = entries;
  return files;
}

function textsIn(root: string): Readonly<Record<string, string>> {
  const folder = `${root}/${INITIATIVE}/epic-pay`;
  return Object.fromEntries(
    [...Deno.readDirSync(folder)].map(({ name }) => name).sort().map((name) =>
      [name, Deno.readTextFileSync(`${folder}/${name}`)] as const
    ),
  );
}

Deno.test("marks are those of tickets.py [work:mark-everywhere, work:tickets]", async () => {
  const seed = Date.now() % 1_000_000;
  let compared = 0;
  for (let round = 0; round < 60; round++) {
    const chance = chanceFrom(seed + round);
    const files = anyTree(chance);
    const id = chance.below(4) + 1;
    const status = chance.pick(STATUSES);
    const plan = Object.entries(files).find(([path, text]) =>
      path.endsWith("-plan.md") && new RegExp(`^ticket: ${id}\\r?$`, "m").test(text)
    )?.[1] ?? "";
    // The script replaces an assignee; a mark leaves a ticket to whoever has it. The script says why something is blocked.
    const by = /^assignee:/m.test(plan) || chance.below(2) === 0 ? undefined : "Ann Lee";
    const isSame = new RegExp(`^status: ${status}\\r?$`, "m").test(plan);
    if (status === "blocked" || isSame) {
      continue;
    }
    const wanted = await withTree(files, async (root) => {
      const more = by === undefined ? [] : ["--assignee", by];
      const { status: code, stderr } = await runNative(
        tickets,
        root,
        ["mark", `1.${id}`, status, ...more],
        "",
        OF_SHOP,
      );
      assert.equal(code, 0, `${stderr} (seed ${seed + round})`);
      return textsIn(root);
    });
    const left = await withTree(files, async (root) => {
      await mark(await writerIn(root), { story: `1.${id}`, status, by, isForced: true });
      return textsIn(root);
    });
    assert.deepEqual(left, wanted, `seed ${seed + round}`);
    compared++;
  }
  assert.ok(compared > 25, `${compared}`);
});
