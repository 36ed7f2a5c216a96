/**
 * `add` and `remove`: fetches a source, looks at what it has, and only then changes the files.
 */
import { fail } from "../../../base/errors.ts";
import type { Host } from "../../../base/host.ts";
import { counted } from "../../../base/text.ts";
import type { Report } from "../../../base/report.ts";
import type { Work } from "../../../base/work.ts";
import {
  type Invocation,
  type Pin,
  type PinnedLocation,
  pinnedLocation,
  sourceOf,
} from "../../../settings/mod.ts";
import { fetchFirst, type Fetching, fetchPinned } from "./fetch.ts";
import { changeListed, findListed, readListed, shownPin } from "./listed.ts";
import type { SourcesPlan } from "./plan.ts";

/** How a source is opened: from its folder, or as the copy that a pin means. */
export type SourceAccess =
  | { readonly via: "folder"; readonly path: string }
  | { readonly via: "pinned"; readonly source: PinnedLocation; readonly pin: Pin | undefined };

/** What a source has. */
export interface SourceContent {
  readonly things: number;
  readonly agents: number;
  readonly workflows: number;
  /** Why it has nothing, if that is known. */
  readonly problem?: string;
}

/** What the commands work with. */
export interface SourcesSession {
  readonly host: Host;
  readonly invocation: Invocation;
  /** Looks into a source that is not listed yet. */
  inspect(location: string, access: SourceAccess): Promise<SourceContent>;
  readonly plan: SourcesPlan;
  readonly progress?: Work["progress"];
}

/** Adds a source. */
export async function add(session: SourcesSession): Promise<Report> {
  const { plan, host } = session;
  const { given } = plan;
  if (given === undefined) return await restore(session);
  if (given.kind === "list") return fail({ code: "invalid-input", problem: "Lists are not supported yet" });
  const known = readListed(plan, host.readText);
  const written = given.kind === "remote" ? given.texts : [given.text];
  const old = written.find((text) => known.sources.includes(text));
  const { text, pin } = await settle(session, old, written);
  const { things, agents, workflows } = await contentOf(session, text, pin);
  const isTrusted = await changeListed(plan, {
    ...(old === undefined && { added: text }),
    ...(pin && { pins: new Map([[text, { ...known.pins.get(text), ...pin }]]) }),
  });
  const what = `${counted(things, "item")} (${counted(agents, "agent")}, ${counted(workflows, "workflow")})`;
  const lines = [
    `${old === undefined ? "Added" : "Already added:"} ${text}${
      pin ? `, pinned to ${shownPin(pin)}` : ""
    }: ${what}`,
    `Listed in ${plan.file}`,
    ...(isTrusted ? [`Trusted ${plan.context.base}: its settings file now counts like your own`] : []),
    "Restart your clients to serve it.",
  ];
  return {
    text: lines.join("\n"),
    data: { source: text, ...pin, things, agents, workflows, file: plan.file, lock: plan.lock, isTrusted },
  };
}

/** What exactly is added. A source that is listed keeps its pin: only `update` changes it. */
async function settle(
  session: SourcesSession,
  old: string | undefined,
  texts: readonly string[],
): Promise<{ readonly text: string; readonly pin: Pin | undefined }> {
  const { plan, host } = session;
  const pin = old === undefined ? undefined : readListed(plan, host.readText).pins.get(old);
  if (old !== undefined && pin !== undefined) {
    await fetchPinned(sourceOf(old, plan.context), pin, fetchingOf(session));
    return { text: old, pin };
  }
  const locations = texts.map((text) => sourceOf(text, plan.context));
  const { location, pin: latest } = await fetchFirst(locations, fetchingOf(session));
  return { text: texts[locations.indexOf(location)]!, pin: latest };
}

/** Fetches what is pinned and not in the cache, as after the checkout of a project on another machine. */
async function restore(session: SourcesSession): Promise<Report> {
  const { plan, host } = session;
  const { sources, pins } = readListed(plan, host.readText);
  for (const text of sources) {
    const pin = pins.get(text);
    if (pin !== undefined) await fetchPinned(sourceOf(text, plan.context), pin, fetchingOf(session));
  }
  const isTrusted = await changeListed(plan, {});
  const trusted = isTrusted
    ? `\nTrusted ${plan.context.base}: its settings file now counts like your own`
    : "";
  return {
    text: `${counted(sources.length, "source")} of ${plan.file} ready to be served${trusted}`,
    data: { sources, file: plan.file, lock: plan.lock, isTrusted },
  };
}

/** Removes a source. */
export async function remove({ plan, invocation, host }: SourcesSession): Promise<Report> {
  const known = readListed(plan, host.readText);
  const source = findListed(invocation.operands[0]!, known, plan, host.cwd);
  await changeListed(plan, { removed: source });
  return {
    text: `Removed ${source} from ${plan.file}\nRestart your clients to stop serving it.`,
    data: { source, file: plan.file, lock: plan.lock },
  };
}

function fetchingOf({ plan, host, progress }: SourcesSession): Fetching {
  return { rules: plan.fetching, clock: host, ...(progress && { progress }) };
}

/** What a source has. Fails if that is nothing. */
async function contentOf(
  { plan, inspect }: SourcesSession,
  text: string,
  pin: Pin | undefined,
): Promise<SourceContent> {
  const location = sourceOf(text, plan.context);
  const source = pinnedLocation(location);
  const content = await inspect(
    text,
    source === undefined
      ? { via: "folder", path: plan.context.findFolder?.(location) ?? location }
      : { via: "pinned", source, pin },
  );
  if (content.things > 0) return content;
  const reason = content.problem ?? "no agents, workflows or skills found in it";
  return fail({ code: "origin-unavailable", origin: text, reason });
}
