/**
 * `update`: pins what each source means now, after it has said what that changes; and the way back. Everything that is new
 * is in the cache before anything is switched, and the switch is one rename of the lock file.
 */
import { describe, expectFailure, fail } from "../../base/errors.ts";
import type { Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import { compareVersions, type VersionChanges } from "../../content/library/mod.ts";
import { openLive } from "../../content/live/mod.ts";
import {
  isSamePin,
  type Pin,
  pinnedAt,
  pinnedLocation,
  type PinnedSource,
  sourceOf,
} from "../../settings/mod.ts";
import { changeListed, findListed, type Listed, readListed, shownPin } from "./listed.ts";
import { fetchFirst, fetchPinned, type SourcesSession } from "./session.ts";
import { entryLocations } from "./wanted.ts";

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
  const updates: SourceUpdate[] = [];
  for (const source of chosen) {
    const next = isBack ? await formerOf(session, source, listed) : await latestOf(session, source, listed);
    if (next !== undefined) updates.push(next);
  }
  if (isBack && updates.length === 0) {
    return fail({ code: "invalid-input", problem: "No earlier version to go back to: nothing was updated" });
  }
  const compared: SourceUpdate[] = [];
  for (const one of updates) compared.push(await withChanges(session, one));
  const text = describeAll(compared, options.diff !== undefined);
  session.show?.(text);
  const isNew = ({ outcome }: SourceUpdate) => outcome === "available";
  if (!isDry && compared.some(isNew)) {
    const pins = compared.filter(isNew).map(({ source, before, after }): [string, PinnedSource] => {
      const { previous: _, entry, ...former } = before ?? {};
      const next = isBack || before === undefined ? after! : { ...after, previous: former };
      return [source, { ...next, ...(entry && { entry }) }];
    });
    await changeListed(plan, { pins: new Map(pins) });
  }
  const items = compared.map((one) => dataOf(one, isDry, options.diff !== undefined));
  const switched = isBack
    ? `Switched back in ${plan.lock}. Running servers pick it up by themselves.\n`
    : `Switched in ${plan.lock}. Running servers pick it up by themselves; \`update --rollback\` goes back.\n`;
  const done = isDry ? "Nothing was changed (--dry-run).\n" : switched;
  const end = compared.some(isNew) ? done : "";
  return {
    text: session.show === undefined ? `${text}${end}` : end,
    data: { items, total: items.length, file: plan.file, lock: plan.lock },
  };
}

async function latestOf(
  session: SourcesSession,
  source: string,
  { pins }: Listed,
): Promise<SourceUpdate | undefined> {
  const own = sourceOf(source, session.plan.context);
  // A folder is served as it is.
  if (pinnedLocation(own) === undefined) return undefined;
  const before = pins.get(source);
  try {
    const present = pinnedAt(own, before);
    const locations = before?.entry ? await entryLocations(session, before.entry, present) : [present];
    const { location, pin } = await fetchFirst(locations, session);
    const after = location === own ? pin : { ...pin, location };
    const outcome = isSamePin(before, after) ? "unchanged" : "available";
    return { source, outcome, ...(before && { before }), ...(after && { after }) };
  } catch (error) {
    const failure = expectFailure(error);
    const problem = failure.code === "origin-unavailable" ? failure.reason : describe(failure);
    return { source, outcome: "failed", problem, ...(before && { before }) };
  }
}

async function formerOf(
  session: SourcesSession,
  source: string,
  { pins }: Listed,
): Promise<SourceUpdate | undefined> {
  const before = pins.get(source);
  if (before?.previous === undefined) return undefined;
  const { previous } = before;
  await fetchPinned(source, previous, session);
  return { source, outcome: "available", before, after: previous };
}

/** Compares the versions, each as an origin of its own beside everything else that is served. */
async function withChanges(
  { plan, host, config }: SourcesSession,
  update: SourceUpdate,
): Promise<SourceUpdate> {
  const { source: text, outcome, before, after } = update;
  if (outcome !== "available") return update;
  const versions = [["after", after], ["before", before]] as const;
  const origins = versions.flatMap(([id, pin]) => {
    const source = pinnedLocation(pinnedAt(sourceOf(text, plan.context), pin));
    return pin === undefined || source === undefined ? [] : [{
      origin: { id, kind: "git", priority: 5, location: text } as const,
      access: { via: "pinned", source, pin } as const,
    }];
  });
  const others = config.origins.filter(({ access }) => access.via !== "pinned" && access.via !== "pack");
  const live = openLive({ ...config, origins: [...others, ...origins] }, host);
  const changes = await live.ask((library) => compareVersions(library, "before", "after"));
  return { ...update, changes };
}

function describeAll(updates: readonly SourceUpdate[], isDiff: boolean): string {
  if (updates.length === 0) return "No source is pinned: folders are served as they are.\n";
  return updates.map((one) => `${describeOne(one, isDiff)}\n`).join("");
}

function describeOne(update: SourceUpdate, isDiff: boolean): string {
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
      ...(isDiff ? files.map(({ diff }) => `\n${diff}`) : []),
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
