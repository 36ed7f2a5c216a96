/** Are ids, names and texts those of the project-memory kit? */
import assert from "node:assert/strict";
import {
  appIdOf,
  collectionOf,
  memoryId,
  userIdOf,
} from "../../../../src/project/kit/memory/store/checks.ts";
import { fromText, toJson, toMarkdown } from "../../../../src/project/kit/memory/store/texts.ts";
import { memoryOf } from "../../../support/memories.ts";
import { NO_PYTHON, runPython } from "../../../support/python.ts";
import { withTree } from "../../../support/trees.ts";

Deno.test("names of projects and collections are the kit's [memory:kit-formats]", async () => {
  assert.equal(appIdOf("Demo App"), "bmad-demo-app");
  assert.equal(userIdOf("Zoé Martin"), "zoé-martin");
  assert.equal(userIdOf(undefined), "user");
  assert.equal(collectionOf("bmad-demo-app", "decisions"), "bmad-demo-app-decisions");
  const id = await memoryId({ project: "bmad-demo-app", agent: "dev", text: "JWT expiry must be 15 min" });
  assert.equal(id, "17e8a3c1-e13b-5bb9-8612-acfcf7627da9");
});

/** Fifty texts that Python and JavaScript could count differently: accents, surrogate pairs, lengths around the limit. */
const TEXTS = Array.from({ length: 50 }, (_, at) => {
  const bits = ["Décision ", "🌿", "日本", "e\u0301", " \n", "x".repeat(at)];
  return Array.from({ length: 4 + at * 3 }, (_, place) => bits[(place * 7 + at) % bits.length]).join("");
});

Deno.test("ids of fifty texts equal Python's [memory:kit-formats]", { ignore: NO_PYTHON }, async () => {
  await withTree({
    "texts.json": JSON.stringify(TEXTS),
    "ids.py": `import json, uuid
for text in json.load(open("texts.json", encoding="utf-8")):
    print(uuid.uuid5(uuid.NAMESPACE_DNS, f"bmad-demo-app:dev:{text[:150]}"))
`,
  }, async (folder) => {
    const { out } = await runPython(folder, ["ids.py"]);
    const ours = TEXTS.map((text) => memoryId({ project: "bmad-demo-app", agent: "dev", text }));
    assert.equal(TEXTS.length, 50);
    assert.deepEqual(await Promise.all(ours), out.trim().split("\n"));
  });
});

Deno.test("memories.json is read and written as the kit does [memory:kit-formats]", async () => {
  const kit = JSON.stringify([
    {
      id: 1,
      memory: "A",
      user_id: "ada",
      metadata: { agent: "dev", type: "failures", tags: ["x"] },
      created_at: "2026-02-27T14:32:15.123456",
    },
    {
      id: 2,
      memory: "B",
      user_id: "ada",
      metadata: { agent: "qa", app_id: "bmad-x", timestamp: "…" },
      created_at: "2026-02-28",
    },
    "nonsense",
    { id: 3 },
  ]);
  const [first, second, third, ...others] = fromText(kit);
  assert.deepEqual(first, {
    text: "A",
    type: "failures",
    agent: "dev",
    tags: ["x"],
    createdAt: "2026-02-27T14:32:15.123456",
  });
  assert.deepEqual([second?.type, second?.agent, third?.text, others.length], [undefined, "qa", "", 0]);
  const memories = [await memoryOf({ text: "é\nb", tags: ["t"] })];
  assert.deepEqual(JSON.parse(toJson(memories, "ada")), [{
    id: 1,
    memory: "é\nb",
    user_id: "ada",
    metadata: { agent: "dev", type: "decisions", tags: ["t"] },
    created_at: "2026-02-27T14:32:15.000",
  }]);
  assert.throws(() => fromText("[1"), /not valid JSON/);
  assert.throws(() => fromText("{}"), /not a list of memories/);
});

Deno.test("Markdown lists are grouped by agent, both ways [memory:kit-formats]", async () => {
  const memories = [
    await memoryOf({ text: "One\nline", tags: ["a", "b"] }),
    await memoryOf({ text: "Two", agent: "qa" }),
  ];
  const text = toMarkdown("decisions", memories);
  assert.equal(
    text,
    "# decisions\n\n## dev\n\n- [2026-02-27] One\n  line `a` `b`\n\n## qa\n\n- [2026-02-27] Two\n",
  );
  assert.deepEqual(fromText(text), [
    { text: "One\nline", tags: ["a", "b"], agent: "dev", createdAt: "2026-02-27T00:00:00" },
    { text: "Two", tags: [], agent: "qa", createdAt: "2026-02-27T00:00:00" },
  ]);
});
