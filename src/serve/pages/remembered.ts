/**
 * What the project's agents remember, type by type.
 */
import { BmadError } from "../../base/errors.ts";
import { MEMORY_TYPES } from "../../base/model.ts";
import { proseOf } from "./contents.ts";
import { type Markup, markup } from "./markup.ts";
import type { Site, View } from "./site.ts";

/** Whether the project keeps memories that this server may read. */
export function hasMemory({ project: { app: { config } } }: Site): boolean {
  return config.hasMemoryResources;
}

/** Every memory. */
export async function memoryPage(site: Site): Promise<View> {
  return {
    title: "Memory",
    tab: "memory",
    body: markup`<h1>Memory</h1>
<p>What agents were told to remember, the newest first.</p>
${await memories(site)}`,
  };
}

async function memories(site: Site): Promise<Markup> {
  try {
    const memory = await site.project.app.memory();
    const texts: string[] = [];
    for (const type of MEMORY_TYPES) {
      if ((await memory.remembered({ type })).length > 0) texts.push(await memory.read(type));
    }
    return texts.length === 0 ? markup`<p class="quiet">Nothing yet.</p>` : await proseOf(texts.join("\n\n"));
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return markup`<p class="note bad">${error.message}</p>`;
  }
}

/** How many of the latest the first page shows. */
const MAX_LATEST = 5;

/** The latest memories, for the first page; undefined without any. */
export async function latestMemories(site: Site): Promise<Markup | undefined> {
  if (!hasMemory(site)) return undefined;
  try {
    const latest = (await (await site.project.app.memory()).remembered({})).slice(0, MAX_LATEST);
    return latest.length === 0
      ? undefined
      : markup`<ul class="rows card">${
        latest.map(({ type, agent, text }) =>
          markup`<li>${text} <span class="quiet">(${[type, agent].filter(Boolean).join(", ")})</span></li>`
        )
      }</ul>`;
  } catch (error) {
    if (!(error instanceof BmadError)) throw error;
    return markup`<p class="note bad">${error.message}</p>`;
  }
}
