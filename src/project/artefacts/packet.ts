/**
 * The next piece of work as a packet: what to execute, with which story, its files and when it is done, and who works on
 * what meanwhile.
 */
import { type Entry, qualifiedName } from "../../base/model.ts";
import type { Report } from "../../base/report.ts";
import { oneLine } from "../../base/text.ts";
import type { Library } from "../../content/library/mod.ts";
import type { Board } from "../board/mod.ts";
import { planAhead } from "./advice.ts";
import { type Advice, nameOf } from "./stories.ts";

/** Writes the call that executes an item with a message, in the words of a surface. */
export type WriteCall = (entry: Entry, message: string | undefined) => string;

/** What to do now. It is what the list of next steps recommends. */
export async function reportNext(
  library: Library,
  board: Board | undefined,
  { callOf, clean }: { readonly callOf: WriteCall; readonly clean: (text: string) => string },
): Promise<Report> {
  const { advice } = await planAhead(library);
  const packets = advice.map((one) => packetOf(one, callOf, clean));
  const held = (board?.epics ?? []).flatMap(({ stories }) => stories).filter(({ state, owner, ref }) =>
    (state === "in-progress" || owner !== undefined && state !== "done" && state !== "dropped") &&
    !packets.some(({ story }) => story?.ref === ref)
  ).map(({ ref, title, state, owner }) => ({ ref, title, state, ...(owner !== undefined && { owner }) }));
  return {
    text: [
      ...packets.map(textOf),
      ...(held.length === 0 ? [] : [
        "Others at work:\n" +
        held.slice(0, MAX_HELD).map(({ ref, state, title, owner }) =>
          `- ${ref} ${state}: ${title}${owner === undefined ? "" : ` (${owner})`}`
        ).join("\n"),
      ]),
    ].join("\n\n"),
    data: { next: packets, held },
  };
}

const MAX_HELD = 20;

type Packet = ReturnType<typeof packetOf>;

function packetOf(
  { is, why, files, step, story }: Advice,
  callOf: WriteCall,
  clean: (text: string) => string,
) {
  const message = story &&
    `Story ${nameOf(story)}${story.file === undefined ? "" : ` (${oneLine(story.file)})`}`;
  return {
    is,
    why,
    files,
    ...(step !== undefined && { item: qualifiedName(step.entry), call: callOf(step.entry, message) }),
    ...(story !== undefined && { story: { ...story, criteria: story.criteria.map(clean) } }),
  };
}

const WORDS = { next: "Next", done: "All done", unknown: "Next step unknown" } as const;

function textOf({ is, why, item, call, story }: Packet): string {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Call", call],
    ["Story", story && `${story.ref} ${story.title} (${story.state})`],
    ["File", story?.file && oneLine(story.file)],
    ["Plan", story?.plan && oneLine(story.plan)],
    ["Builds on", story?.after.join(", ")],
    ["Covers", story?.covers.join(", ")],
    [
      "Boxes",
      story && story.boxes.total > 0 ? `${story.boxes.ticked} of ${story.boxes.total} ticked` : undefined,
    ],
    ["Done when", story?.criteria.map((one) => `\n  - ${one}`).join("")],
    ["Drift", story?.drift.map(({ path, problem }) => `\n  - ${oneLine(path)}: ${problem}`).join("")],
  ];
  return [
    `${WORDS[is]}${item === undefined ? "" : `: ${item}`}`,
    `Why: ${why}`,
    ...facts.filter(([, value]) => value).map(([label, value]) =>
      value!.startsWith("\n") ? `${label}:${value}` : `${label}: ${value}`
    ),
  ].join("\n");
}
