/** Nothing is cached between requests. */
import type { ProjectKit } from "../../../settings/plan/mod.ts";
import { firstOf } from "../../../base/values.ts";
import { asText, asValues, parseToml, parseYaml } from "../../../content/parse.ts";
import { readAgents, readContext } from "./context.ts";
import { reportContext } from "./context_report.ts";
import { type ContractRequest, type RunTools, verifyContract } from "./contract.ts";
import { type DeliveryRequest, writeContract } from "./delivery.ts";
import { type LearningsRequest, type Ranker, reportLearnings } from "./learnings.ts";
import { type MuseumRequest, reportMuseum } from "./museum.ts";
import type { FileNote } from "../../../base/model.ts";
import { readNotes } from "./notes.ts";
import { type Cleaner, findFile, openFolder, type ProjectFolder } from "./project_folder.ts";
import { type FindRemembered, openRemembered } from "./records.ts";
import {
  answerTask,
  type RunUpdate,
  spawn,
  type TaskAnswer,
  type TaskRequest,
  updateRun,
} from "./run_changes.ts";
import { reportRun, reportSessions, type StatusRequest } from "./sessions.ts";

export type { Artefact, Choice, Question } from "./delivery.ts";
export type { Cleaner } from "./project_folder.ts";
export type { Report } from "../../../base/report.ts";

export type KitFiles = ReturnType<typeof openKitFiles>;

export interface KitFilesTools extends RunTools {
  readonly clean: Cleaner;
  readonly rank: Ranker;
  readonly remembered: FindRemembered;
  readonly served: () => Promise<readonly Readonly<Record<string, string>>[]>;
}

export function namesIn(kit: ProjectKit, clean: Cleaner): Record<"project" | "user", string | undefined> {
  const { project, user } = readContext(openFolder(kit, clean));
  return { project: asText(project["name"]), user: asText(user["name"]) };
}

export function openNotes(kit: ProjectKit, clean: Cleaner): () => readonly FileNote[] {
  return () => readNotes(openFolder(kit, clean));
}

const LANGUAGE_FILES = ["config.user.toml", "config.toml", "bmm/config.yaml", "core/config.yaml"];
const LANGUAGE_KEY = "document_output_language";

function languageOf(project: ProjectFolder): string | undefined {
  const { document_language: documents, language } = readContext(project).user;
  const files = project.bases.flatMap((base) => LANGUAGE_FILES.map((name) => `${base}/${name}`));
  return asText(documents) ?? asText(language) ?? firstOf(files, (path) => {
    const text = findFile(project, [path])?.text ?? "";
    const { value } = path.endsWith(".toml") ? parseToml(text) : parseYaml(text);
    return firstOf([value, ...Object.values(value)], (place) => asText(asValues(place)[LANGUAGE_KEY]));
  });
}

export function openKitFiles(kit: ProjectKit, tools: KitFilesTools) {
  const { clean, rank } = tools;
  const read = openRemembered(tools.remembered, tools);
  const project = openFolder(kit, clean);
  return {
    context: async (section = "all") => {
      const remembered = await Promise.all([read({ type: "shared-context" }), read({ type: "decisions" })]);
      return reportContext(readContext(project, await tools.served(), remembered), section);
    },
    agents: () => readAgents(project),
    learnings: (request: LearningsRequest) => reportLearnings(project, request, rank, read),
    failures: (request: MuseumRequest) => reportMuseum(project, request, read),
    sessions: (status?: string) => reportSessions(project, status),
    status: (request: StatusRequest) => reportRun(project, request),
    update: (request: RunUpdate) => updateRun(project, request, tools),
    spawn: (request: TaskRequest) => spawn(project, request, tools),
    answer: (request: TaskAnswer) => answerTask(project, request, tools),
    deliver: (request: DeliveryRequest) => writeContract(project, request, tools, languageOf(project)),
    verify: (request: ContractRequest) => verifyContract(project, request, tools),
  };
}
