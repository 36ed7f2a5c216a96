/** Resources: every served file under its `bmad://` URI, the generated ones, and the URI templates. */
import type {
  Annotations,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { App, ResourceFacts } from "../../app.ts";
import { qualifiedName } from "../../base/model.ts";
import { BOARD_APP, BOARD_RESOURCE, readBoardApp } from "./board_app.ts";
import { toContents } from "./reply.ts";
import { titleOf } from "./tool.ts";
import { boardTool } from "./work_calls.ts";
import { isSkillUri, readSkillFile, SKILL_TEMPLATE } from "./skills.ts";

export async function listResources(
  app: App,
  { showsApps }: { readonly showsApps: boolean },
): Promise<readonly Resource[]> {
  const resources = (await app.resources()).map((facts): Resource => {
    const { uri, title, mimeType, size, modified, origin, entry } = facts;
    return {
      uri,
      // The skills extension demands a skill's own name here.
      name: entry?.kind === "skill" ? entry.id : uri.slice("bmad://".length),
      title: entry === undefined ? title : titleOf(entry),
      description: entry && (entry.description || qualifiedName(entry)),
      mimeType,
      size,
      annotations: {
        ...priorityOf(facts),
        ...(modified === undefined ? {} : { lastModified: new Date(modified).toISOString() }),
      },
      ...(origin !== undefined && { _meta: { [sourceKey(facts)]: origin } }),
    };
  });
  return showsApps && boardTool(app.config) !== undefined ? [BOARD_RESOURCE, ...resources] : resources;
}

/** The skills extension demands its own prefix. */
function sourceKey({ entry }: ResourceFacts): string {
  return entry?.kind === "skill" ? "io.modelcontextprotocol.skills/source" : "bmad/source";
}

function priorityOf({ entry, size }: ResourceFacts): Annotations {
  if (entry !== undefined) return { audience: ["user", "assistant"], priority: 0.9 };
  const isGenerated = size === undefined;
  return isGenerated
    ? { audience: ["user", "assistant"], priority: 0.5 }
    // Opened only when a step asks for it.
    : { audience: ["assistant"], priority: 0.2 };
}

export async function readResource(app: App, uri: string): Promise<ReadResourceResult> {
  if (uri === BOARD_APP) return await readBoardApp(boardTool(app.config) ?? "bmad");
  return isSkillUri(uri) ? await readSkillFile(app, uri) : toContents(uri, await app.open(uri));
}

export async function listTemplates(app: App): Promise<readonly ResourceTemplateType[]> {
  return [...await app.templates(), SKILL_TEMPLATE].map((template) => ({ ...template }));
}
