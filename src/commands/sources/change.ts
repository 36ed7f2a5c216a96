/** `add` and `remove`: fetches a source, looks at what it has, and only then changes the files. */
import { moduleNote } from "../../base/official_modules.ts";
import { joinLines, type Report } from "../../base/report.ts";
import { counted } from "../../base/text.ts";
import { type OriginFacts, originsOf } from "../../content/library/mod.ts";
import { openLive } from "../../content/live/mod.ts";
import { type Pin, pinnedAt, pinnedLocation, sourceOf } from "../../settings/mod.ts";
import { changeListed, findListed, otherVersions, readListed, shownPin } from "./listed.ts";
import { failEmpty, fetchFirst, fetchPinned, type SourcesSession } from "./session.ts";
import { moduleAt } from "./plan.ts";
import { type WantedSource, wantedSources } from "./wanted.ts";

export async function add(session: SourcesSession): Promise<Report> {
  const { plan } = session;
  if (plan.given === undefined) return await restore(session);
  const all: Awaited<ReturnType<typeof addOne>>[] = [];
  for (const wanted of await wantedSources(session, plan.given)) all.push(await addOne(session, wanted));
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

function describeAdded(added: Awaited<ReturnType<typeof addOne>>): string {
  const { source, pin, isOld, replaced, things, agents, workflows } = added;
  const instead = replaced.length === 0 ? "" : ` instead of ${replaced.join(", ")}`;
  const pinned = pin ? `, pinned to ${shownPin(pin)}` : "";
  const content = `${counted(things, "item")} (${counted(agents, "agent")}, ${
    counted(workflows, "workflow")
  })`;
  return `${isOld ? "Already added:" : "Added"} ${source}${instead}${pinned}: ${content}`;
}

async function addOne(session: SourcesSession, { texts, entry }: WantedSource) {
  const { plan, host } = session;
  const known = readListed(plan, host);
  const old = texts.find((text) => known.sources.includes(text));
  const { text, pin } = await settle(session, old, texts);
  const content = await contentOf(session, text, pin);
  const replaced = otherVersions(text, known);
  const isTrusted = await changeListed(plan, {
    added: text,
    replaced,
    ...(pin && { pins: new Map([[text, { ...known.pins.get(text), ...pin, ...(entry && { entry }) }]]) }),
  });
  const module = moduleAt(text);
  const note = module && moduleNote(module);
  return { ...content, source: text, pin, isOld: old !== undefined, replaced, isTrusted, note };
}

/** What exactly is added. A source that is listed keeps its pin: only `update` changes it. */
async function settle(
  session: SourcesSession,
  old: string | undefined,
  texts: readonly string[],
): Promise<{ readonly text: string; readonly pin?: Pin }> {
  const { plan, host } = session;
  const pin = old === undefined ? undefined : readListed(plan, host).pins.get(old);
  if (old !== undefined && pin !== undefined) {
    await fetchPinned(old, pin, session);
    return { text: old, pin };
  }
  const locations = texts.map((text) => sourceOf(text, plan.context));
  const { location, pin: latest } = await fetchFirst(locations, session);
  return { text: texts[locations.indexOf(location)]!, pin: latest };
}

/** Fetches what is pinned and not in the cache, as after the checkout of a project on another machine. */
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

/** What trust means here: which settings of the project's file it puts into force. */
function trustedText({ plan, host, config: { ignored } }: SourcesSession): string {
  const keys = ignored.flatMap(({ setting, needsTrust }) =>
    needsTrust && setting !== undefined ? [setting] : []
  );
  const others = [...new Set(keys)].filter((key) => key !== "sources");
  const more = others.length === 0 ? "" : `. It also sets ${others.join(", ")}`;
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
  const live = openLive({ ...config, origins: [{ origin, access }] }, host);
  return await live.ask(async (library) => {
    const [facts] = await originsOf(library);
    if (facts !== undefined && facts.things > 0) return facts;
    return failEmpty(library, origin.id, text, facts?.copy?.problem);
  });
}
