/**
 * What is wrong, and how is it mended? A look at everything that can keep the program from doing its work.
 *
 * Works offline and changes nothing. Each section is a function from what is known to facts and problems; to look at
 * something new, add a section or a problem to one. How it is printed is left to the command line.
 */
import type { App, Config } from "../../app.ts";
import type { ClientsPlan } from "../clients/mod.ts";
import { BmadError, type Failure } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import type { RightsInForce } from "../../base/model.ts";
import { examineBinary } from "./binary.ts";
import { examineClients } from "./clients.ts";
import { examineContent } from "./content.ts";
import { examineEnvironment } from "./environment.ts";
import { examineMemory } from "./memory.ts";
import { examineProject } from "./project.ts";
import { type Report, reportOf } from "./report.ts";

export type { Level, Line, Problem, Report, Section, SectionName } from "./report.ts";

/** What is looked at. */
export interface Patient {
  /** The process it runs in. */
  readonly host: Host;
  /** What it was told. */
  readonly config: Config;
  /** What it may still do. */
  readonly rights: RightsInForce;
  /** What it serves. */
  readonly app: App;
  /** The files of the clients that are here, as far as they may be read. */
  readonly clients: ClientsPlan | undefined;
  /** Writes down a bug that the look brings to light, and returns its number. */
  readonly bug: (error: unknown) => string;
}

/** Looks at everything. */
export async function examine({ host, config, rights, app, clients, bug }: Patient): Promise<Report> {
  const { checkTools, probeServer } = await import("../../serve/mcp/mod.ts");
  const health = await app.health();
  const probes = await probeServer(app, bug);
  const faults = [...config.faults, ...await failuresOf(() => checkTools(app))];
  return reportOf([
    await examineEnvironment(host, config, faults),
    await examineBinary(host, config, rights, probes),
    examineContent(health, config, host.now()),
    examineProject(health, config),
    await examineMemory(app, config),
    await examineClients(clients, host.launch),
  ]);
}

async function failuresOf(check: () => Promise<void>): Promise<readonly Failure[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof BmadError) return [error.failure];
    throw error;
  }
}
