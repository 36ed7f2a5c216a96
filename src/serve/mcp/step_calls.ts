import { type App, type Calls, isChosen, type Row } from "../../app.ts";
import { type Kind, qualifiedName, startedAs } from "../../base/model.ts";
import { hasRight } from "../../base/roles.ts";
import { spellCalls, type WorkCalls } from "../../handlers.ts";
import { changes, OPERATIONS, type Param, type WorkOperation } from "../../operations/mod.ts";
import { callsFor } from "../handshake/mod.ts";
import { FIXES } from "./reply.ts";
import type { Args } from "./tool.ts";

/** Other kinds can only be read. */
export const STARTED_BY: Readonly<Partial<Record<Kind, string>>> = {
  agent: "agent",
  workflow: "workflow",
  task: "task",
  tool: "skill",
  skill: "skill",
  team: "skill",
};

export function stepCall({ name, data: { kind, item, message, project } }: Row): string {
  const parameter = STARTED_BY[kind as Kind] ?? "skill";
  return `bmad ${JSON.stringify({ operation: "execute", [parameter]: name, item, message, project })}`;
}

export function spellCall(tool: string, operation: WorkOperation, args: Args): string {
  const params: Readonly<Record<string, Param>> = OPERATIONS[operation].params;
  const given = Object.entries(args).filter(([key]) => params[key]?.only !== "terminal");
  return `${tool} ${JSON.stringify({ operation, ...Object.fromEntries(given) })}`;
}

export function contentCallsOn({ config, named }: Pick<App, "config" | "named">): Calls {
  const calls = callsFor(config);
  if (named === undefined) return calls;
  const last = `,"project":${JSON.stringify(named)}}`;
  return Object.fromEntries(
    Object.entries(calls).map(([key, call]) => [key, call?.replace(/\}$/, () => last)]),
  ) as unknown as Calls;
}

export function callsOn({ config, named: project }: Pick<App, "config" | "named">): WorkCalls {
  const canRead = isChosen(config, "bmad", "bmad");
  const canWrite = isChosen(config, "work", "bmad_work");
  return spellCalls(
    (operation, args) =>
      spellCall(canRead && !changes(OPERATIONS[operation], args) ? "bmad" : "bmad_work", operation, {
        ...args,
        project,
      }),
    {
      execute: ({ entry, item, message }) =>
        stepCall({
          name: qualifiedName(entry),
          about: "",
          data: { kind: startedAs(entry), item, message, project },
        }),
      force: hasRight(config.person?.role ?? "owner", "force") ? FIXES.force : "",
      reads: canRead || canWrite,
      writes: canWrite && config.mayChange && !config.settings.readOnly,
    },
  );
}
