/**
 * The steps of v4, which has no help catalogue: what each agent is for, in the order of its workflows.
 *
 * A step is a command of an agent. Where its document goes is in `core-config.yaml`.
 */
import type { HelpStep } from "../../inventory/mod.ts";
import { asText, asValues, type Values } from "../../../base/values.ts";

/** One step: whose command it is, and what it leaves where. */
interface Row {
  readonly agent: string;
  readonly code: string;
  readonly title: string;
  readonly phase: string;
  readonly required?: boolean;
  /** The key of the file or folder in the configuration, and what it is without one. */
  readonly location?: readonly [section: string, key: string, usual: string];
  readonly outputs?: string;
}

const PRD = ["prd", "prdFile", "docs/prd.md"] as const;
const ARCHITECTURE = ["architecture", "architectureFile", "docs/architecture.md"] as const;
const PRD_PARTS = ["prd", "prdShardedLocation", "docs/prd"] as const;
const ARCHITECTURE_PARTS = ["architecture", "architectureShardedLocation", "docs/architecture"] as const;

const [ANALYSIS, PLANNING, SOLUTIONING, BUILDING] = [
  "1-analysis",
  "2-planning",
  "3-solutioning",
  "4-implementation",
] as const;

const ROWS: readonly Row[] = [
  {
    agent: "analyst",
    code: "create-project-brief",
    title: "Project brief",
    phase: ANALYSIS,
    location: PRD,
    outputs: "project brief",
  },
  {
    agent: "pm",
    code: "create-prd",
    title: "PRD",
    phase: PLANNING,
    required: true,
    location: PRD,
    outputs: "prd",
  },
  {
    agent: "ux-expert",
    code: "create-front-end-spec",
    title: "Front-end spec",
    phase: PLANNING,
    location: PRD,
    outputs: "front-end spec",
  },
  {
    agent: "architect",
    code: "create-full-stack-architecture",
    title: "Architecture",
    phase: SOLUTIONING,
    required: true,
    location: ARCHITECTURE,
    outputs: "architecture",
  },
  {
    agent: "po",
    code: "shard-prd",
    title: "Shard the PRD",
    phase: SOLUTIONING,
    required: true,
    location: PRD_PARTS,
    outputs: "index|epic",
  },
  {
    agent: "po",
    code: "shard-prd architecture",
    title: "Shard the architecture",
    phase: SOLUTIONING,
    location: ARCHITECTURE_PARTS,
    outputs: "index|coding standards|tech stack|source tree",
  },
  { agent: "sm", code: "draft", title: "Draft the next story", phase: BUILDING, required: true },
  { agent: "po", code: "validate-story-draft", title: "Validate a story", phase: BUILDING },
  { agent: "dev", code: "develop-story", title: "Develop a story", phase: BUILDING, required: true },
  { agent: "qa", code: "review", title: "Review a story", phase: BUILDING },
];

/** The steps with a configuration, as rows of a catalogue. */
export function v4Steps(config: Values): readonly HelpStep[] {
  return ROWS.map(({ agent, code, title, phase, required = false, location, outputs = "" }) => {
    const isSharded = asValues(config["prd"])["prdSharded"] !== false;
    return {
      module: "bmad-core",
      skill: agent,
      title,
      code,
      description: `${title}, command *${code}`,
      action: code,
      phase,
      after: "",
      before: "",
      required: required && (code !== "shard-prd" || isSharded),
      location: location === undefined ? "" : folderOf(config, location),
      outputs,
      file: "",
    };
  });
}

/** The folder of a document, or the folder of its parts. */
function folderOf(config: Values, [section, key, usual]: NonNullable<Row["location"]>): string {
  const path = asText(asValues(config[section])[key]) ?? usual;
  return key.endsWith("File") ? path.slice(0, path.lastIndexOf("/") + 1) : `${path}/`;
}
