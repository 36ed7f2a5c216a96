/** `add`, `remove` and `update`: a source is fetched, and what it changes is shown, before any file changes. */
import { describe, expectFailure, failInput } from "../../base/errors.ts";
import { moduleNote } from "../../base/official_modules.ts";
import { joinLines, type Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import {
  compareVersions,
  type OriginFacts,
  originsOf,
  type VersionChanges,
} from "../../content/library/mod.ts";
import { openLive } from "../../content/live/mod.ts";
import {
  isSamePin,
  type Pin,
  pinnedAt,
  pinnedLocation,
  type PinnedSource,
  sourceOf,
} from "../../settings/mod.ts";
import { changeListed, findListed, otherVersions, shownPin } from "./listed.ts";
import { type Listed, moduleAt, readListed } from "./plan.ts";
import {
  entryLocations,
  failEmpty,
  fetchFirst,
  fetchPinned,
  type SourcesSession,
  type WantedSource,
  wantedSources,
} from "./wanted.ts";

export async function add(session: SourcesSession): Promise<Report> {
  const { plan } = session;
  if (plan.given === undefined) return await restore(session);
  const sources = await wantedSources(session, plan.given);
  const all = await Array.fromAsync(sources, (wanted) => addOne(session, wanted));
  const isTrusted = all.some((one) => one.isTrusted);
  const text = joinLines(
    all.map(describeAdded),
    all.flatMap(({ note }) => note ?? []),
    `Listed in ${plan.file}`,
    isTrusted && trustedText(session),
    all.every(({ pin }) => pin !== undefined)
      ? "Running servers pick it up by themselves."
      : "Restart your clients to serve it: a running server cannot read another folder.",
  );
  const added = all.map(({ source, pin, replaced, note, things, agents, workflows }) => {
    const { commit, version, integrity } = pin ?? {};
    return { source, replaced, commit, version, integrity, note, things, agents, workflows };
  });
  return { text, data: { added, file: plan.file, lock: plan.lock, isTrusted } };
}

function describeAdded(
  { source, pin, isOld, replaced, things, agents, workflows }: Awaited<ReturnType<typeof addOne>>,
): string {
  const instead = replaced.length === 0 ? "" : ` instead of ${replaced.join(", ")}`;
  const pinned = pin ? `, pinned to ${shownPin(pin)}` : "";
  const kinds = `${counted(agents, "agent")}, ${counted(workflows, "workflow")}`;
  const what = `${source}${instead}${pinned}: ${counted(things, "item")} (${kinds})`;
  return `${isOld ? "Already added:" : "Added"} ${what}`;
}

async function addOne(session: SourcesSession, { texts, entry }: WantedSource) {
  const { plan, host } = session;
  const known = readListed(plan, host);
  const { source, pin, isOld } = await settle(session, texts, known);
  const content = await contentOf(session, source, pin);
  const replaced = otherVersions(source, known);
  const pins = pin &&
    new Map([[source, { ...known.pins.get(source), ...pin, ...(entry && { entry }) }]]);
  const isTrusted = await changeListed(plan, { added: source, replaced, pins });
  const module = moduleAt(source);
  const note = module && moduleNote(module);
  return { ...content, source, pin, isOld, replaced, isTrusted, note };
}

/** A source that is listed keeps its pin: only `update` changes it. */
async function settle(session: SourcesSession, texts: readonly string[], { sources, pins }: Listed) {
  const old = texts.find((text) => sources.includes(text));
  const pin = pins.get(old ?? "");
  if (old !== undefined && pin !== undefined) {
    await fetchPinned(old, pin, session);
    return { source: old, pin, isOld: true };
  }
  const locations = texts.map((text) => sourceOf(text, session.plan.context));
  const found = await fetchFirst(locations, session);
  const source = texts[locations.indexOf(found.location)]!;
  return { source, pin: found.pin, isOld: old !== undefined };
}

async function restore(session: SourcesSession): Promise<Report> {
  const { plan, host } = session;
  const { sources, pins } = readListed(plan, host);
  for (const text of sources) {
    const pin = pins.get(text);
    if (pin !== undefined) await fetchPinned(text, pin, session);
  }
  const isTrusted = await changeListed(plan, {});
  const trusted = isTrusted ? `\n${trustedText(session)}` : "";
  return {
    text: `${counted(sources.length, "source")} of ${plan.file} ready to be served${trusted}`,
    data: { sources, file: plan.file, lock: plan.lock, isTrusted },
  };
}

function trustedText({ plan, host, config: { ignored } }: SourcesSession): string {
  const keys = new Set(ignored.flatMap(({ setting, needsTrust }) => needsTrust && setting || []));
  keys.delete("sources");
  const more = keys.size === 0 ? "" : `. It also sets ${[...keys].join(", ")}`;
  const { sources } = readListed(plan, host);
  return `Trusted ${plan.context.base}: its settings file now counts like your own${more}. ` +
    `Its sources: ${sources.join(", ") || "none"}`;
}

export async function remove({ plan, invocation, host }: SourcesSession): Promise<Report> {
  const known = readListed(plan, host);
  const source = findListed(invocation.operands[0]!, known, plan, host.cwd);
  await changeListed(plan, { removed: source });
  return {
    text: `Removed ${source} from ${plan.file}\nRunning servers stop serving it by themselves.`,
    data: { source, file: plan.file, lock: plan.lock },
  };
}

async function contentOf(
  { plan, config, host }: SourcesSession,
  text: string,
  pin: Pin | undefined,
): Promise<Pick<OriginFacts, "things" | "agents" | "workflows">> {
  const location = pinnedAt(sourceOf(text, plan.context), pin);
  const source = pinnedLocation(location);
  const access = source === undefined
    ? { via: "folder", path: plan.context.findFolder?.(location) ?? location } as const
    : { via: "pinned", source, pin } as const;
  const origin = { id: "new", kind: "cli", priority: 1, location: text } as const;
  return await openLive({ ...config, origins: [{ origin, access }] }, host).ask(async (library) => {
    const [facts] = await originsOf(library);
    if (facts !== undefined && facts.things > 0) return facts;
    return failEmpty(library, origin.id, text, facts?.copy?.problem);
  });
}

interface SourceUpdate {
  readonly source: string;
  readonly outcome: "updated" | "available" | "unchanged" | "failed";
  readonly before?: PinnedSource;
  readonly after?: Pin;
  readonly problem?: string;
  readonly changes?: VersionChanges;
}

export async function update(session: SourcesSession): Promise<Report> {
  const { plan, host, invocation: { operands, options } } = session;
  const listed = readListed(plan, host);
  const chosen = operands.length === 0
    ? listed.sources
    : [...new Set(operands.map((name) => findListed(name, listed, plan, host.cwd)))];
  const isBack = options.rollback !== undefined;
  const isDry = options.dryRun !== undefined;
  const isDiff = options.diff !== undefined;
  const find = isBack ? formerOf : latestOf;
  const next = await Array.fromAsync(chosen, (source) => find(session, source, listed.pins.get(source)));
  const found = next.filter((one) => one !== undefined);
  if (isBack && found.length === 0) {
    return failInput("No earlier version to go back to: nothing was updated");
  }
  const updates = await Array.fromAsync(
    found,
    async (one) => ({ ...one, changes: await changesOf(session, one) }),
  );
  const text = updates.length === 0
    ? "No source is pinned: folders are served as they are.\n"
    : updates.map((one) => `${describeUpdate(one, isDiff)}\n`).join("");
  session.show?.(text);
  const available = updates.filter(({ outcome }) => outcome === "available");
  if (!isDry && available.length > 0) {
    const pins = available.map(({ source, before, after }): [string, PinnedSource] => {
      const { previous: _, entry, ...former } = before ?? {};
      const next = isBack || before === undefined ? after! : { ...after, previous: former };
      return [source, { ...next, ...(entry && { entry }) }];
    });
    await changeListed(plan, { pins: new Map(pins) });
  }
  const switched =
    `Switched${isBack ? " back" : ""} in ${plan.lock}. Running servers pick it up by themselves` +
    (isBack ? "." : "; `update --rollback` goes back.");
  const end = available.length === 0 ? "" : `${isDry ? "Nothing was changed (--dry-run)." : switched}\n`;
  const items = updates.map((one) => dataOf(one, isDry, isDiff));
  return {
    text: session.show === undefined ? `${text}${end}` : end,
    data: { items, total: items.length, file: plan.file, lock: plan.lock },
  };
}

async function latestOf(
  session: SourcesSession,
  source: string,
  before: PinnedSource | undefined,
): Promise<SourceUpdate | undefined> {
  const own = sourceOf(source, session.plan.context);
  // A folder is served as it is.
  if (pinnedLocation(own) === undefined) return undefined;
  try {
    const present = pinnedAt(own, before);
    const locations = before?.entry ? await entryLocations(session, before.entry, present) : [present];
    const { location, pin } = await fetchFirst(locations, session);
    const after = location === own ? pin : { ...pin, location };
    return { source, outcome: isSamePin(before, after) ? "unchanged" : "available", before, after };
  } catch (error) {
    const failure = expectFailure(error);
    const problem = failure.code === "origin-unavailable" ? failure.reason : describe(failure);
    return { source, outcome: "failed", problem, before };
  }
}

async function formerOf(
  session: SourcesSession,
  source: string,
  before: PinnedSource | undefined,
): Promise<SourceUpdate | undefined> {
  const after = before?.previous;
  if (after === undefined) return undefined;
  await fetchPinned(source, after, session);
  return { source, outcome: "available", before, after };
}

/** Each version is an origin of its own beside everything else that is served. */
async function changesOf(
  { plan, host, config }: SourcesSession,
  { source: text, outcome, before, after }: SourceUpdate,
): Promise<VersionChanges | undefined> {
  if (outcome !== "available") return undefined;
  const origins = Object.entries({ after, before }).flatMap(([id, pin]) => {
    const source = pinnedLocation(pinnedAt(sourceOf(text, plan.context), pin));
    return pin === undefined || source === undefined ? [] : [{
      origin: { id, kind: "git", priority: 5, location: text } as const,
      access: { via: "pinned", source, pin } as const,
    }];
  });
  const others = config.origins.filter(({ access }) => access.via !== "pinned" && access.via !== "pack");
  const live = openLive({ ...config, origins: [...others, ...origins] }, host);
  return await live.ask((library) => compareVersions(library, "before", "after"));
}

function describeUpdate(update: SourceUpdate, isDiff: boolean): string {
  const { source, outcome, before, after, problem, changes } = update;
  if (outcome === "failed") return `${source}: failed: ${problem}`;
  if (outcome === "unchanged") return `${source}: unchanged, ${shownPin(before)}`;
  const { items = [], customizations = [] } = changes ?? {};
  const count = before === undefined ? "" : `: ${counted(items.length, "item")} changed`;
  return [
    `${source}: ${shownPin(before)} → ${shownPin(after)}${count}`,
    ...(before?.location === after?.location ? [] : [`  now at ${pinnedAt(source, after)}`]),
    ...(before === undefined ? [] : items.flatMap(({ name, kind, change, files }) => [
      `  ${change} ${kind} ${name}${
        change === "changed" ? ` (${files.map(({ file }) => file).join(", ")})` : ""
      }`,
      ...files.flatMap(({ diff }) => isDiff ? `\n${diff}` : []),
    ])),
    ...customizations.map(({ file, name, reason }) => `  no longer applies to ${name}: ${file} (${reason})`),
  ].join("\n");
}

function dataOf(
  { source, outcome, before, after, problem, changes }: SourceUpdate,
  isDry: boolean,
  isDiff: boolean,
) {
  return {
    source,
    outcome: outcome === "available" && !isDry ? "updated" : outcome,
    ...(before && { before: shownPin(before) }),
    ...(after && { after: shownPin(after) }),
    ...(before?.location === after?.location ? {} : { location: pinnedAt(source, after) }),
    ...(problem && { problem }),
    changes: (changes?.items ?? []).map(({ name, kind, change, files }) => ({
      name,
      kind,
      change,
      files: files.map(({ file, change, diff }) => ({ file, change, ...(isDiff && { diff }) })),
    })),
    customizations: changes?.customizations ?? [],
  };
}
