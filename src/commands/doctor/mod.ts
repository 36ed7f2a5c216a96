/**
 * Checks everything that can keep the program from working, and suggests a fix for each problem. Changes nothing, and
 * works offline except for memory servers that the user configured. Each section is a function from known facts to lines
 * and problems; to check something new, extend a section or add one.
 */
import type { App, Config, ScriptState } from "../../app.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import type { LocatedProblem } from "../../base/problem_groups.ts";
import { expectFailure, type Failure } from "../../base/errors.ts";
import type { Host } from "../../process/host.ts";
import type { RightsInForce } from "../../base/model.ts";
import { checkBinary } from "./binary.ts";
import { checkClients } from "./clients.ts";
import { checkContent } from "./content.ts";
import { checkEnvironment } from "./environment.ts";
import { checkMemory } from "./memory.ts";
import { checkProject } from "./project.ts";
import { buildReport, openReclaim, type Report } from "./report.ts";

export type { LocatedProblem, Report, Section } from "./report.ts";

export interface Setup {
  readonly host: Host;
  readonly config: Config;
  readonly rights: RightsInForce;
  readonly app: App;
  readonly clients: ClientsPlan | undefined;
  /** Logs a bug that a check runs into, and returns its id. */
  readonly bug: (error: unknown) => string;
}

export async function checkSetup({ host, config, rights, app, clients, bug }: Setup): Promise<Report> {
  const { checkTools, probeServer } = await import("../../serve/mcp/mod.ts");
  const health = await app.health();
  const probes = await probeServer(app, bug);
  const tools = await tried(() => checkTools(app));
  const faults = [...config.faults, ...("code" in tools ? [tools] : [])];
  const ignored = [...config.ignored, ...("code" in tools ? [] : tools)];
  const reclaim = openReclaim(host, clients?.homeOwner);
  return buildReport([
    await checkEnvironment(host, config, { faults, ignored }),
    await checkBinary(host, config, rights, probes),
    checkContent(health, config, host.now(), reclaim),
    checkProject(health, config, await ledgerProblems(app, config), await installedScripts(app, config)),
    await checkMemory(app, config, reclaim),
    checkClients(clients, host.launch, reclaim),
  ]);
}

async function ledgerProblems(app: App, { kit }: Config): Promise<readonly LocatedProblem[]> {
  if (kit === undefined) return [];
  const board = await tried(async () => await (await app.project.work()).board());
  return "code" in board ? [] : board.data["problems"] as readonly LocatedProblem[];
}

async function installedScripts(app: App, { kit }: Config): Promise<readonly ScriptState[]> {
  if (kit === undefined) return [];
  const scripts = await tried(async () => await (await app.project.work()).installedScripts());
  return "code" in scripts ? [] : scripts;
}

async function tried<T>(work: () => Promise<T>): Promise<T | Failure> {
  return await work().catch(expectFailure);
}
