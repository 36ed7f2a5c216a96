/**
 * Checks everything that can keep the program from working, and suggests a fix for each problem. Changes nothing, and
 * works offline except for memory servers that the user configured. Each section is a function from known facts to lines
 * and problems; to check something new, extend a section or add one.
 */
import type { App, Config, ProjectWork } from "../../app.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import type { LocatedProblem as ProblemInFile } from "../../base/problem_groups.ts";
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
  const scripts = await factsOf(app, (work) => work.installedScripts());
  const ledgers = await factsOf(
    app,
    async (work) => (await work.board()).data["problems"] as readonly ProblemInFile[],
  );
  return buildReport([
    await checkEnvironment(host, config, { faults, ignored }),
    await checkBinary(host, config, rights, probes),
    checkContent(health, config, host.now(), reclaim),
    checkProject(health, config, ledgers, scripts),
    await checkMemory(app, config, reclaim),
    checkClients(clients, host.launch, reclaim),
  ]);
}

/** Facts of the project's work: none without a project, or where it cannot be read. */
async function factsOf<T>(
  { project, config: { kit } }: App,
  find: (work: ProjectWork) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (kit === undefined) return [];
  const found = await tried(async () => await find(await project.work()));
  return "code" in found ? [] : found;
}

async function tried<T>(work: () => Promise<T>): Promise<T | Failure> {
  return await work().catch(expectFailure);
}
