/**
 * From the registry of BMAD's installer (`bmad-modules.yaml` of 6.12.0), npm and the repositories. Like installers,
 * `add` prefers repositories, at the newest release: the `.npmignore` of some packages leaves out `*.md`.
 */

export const MODULES_AS_OF = "2026-11-18";

export interface OfficialModule {
  readonly code: string;
  readonly otherCodes?: readonly string[];
  readonly name: string;
  readonly purpose: string;
  readonly source: string;
  readonly state: "current" | "deprecated";
  readonly note?: string;
  /** If that is not its source. A hollow package lacks the texts. */
  readonly npm?: { readonly name: string; readonly isHollow: boolean };
}

const repository = (name: string) => `git+https://github.com/bmad-code-org/${name}.git`;
const METHOD = "npm:bmad-method";

export const OFFICIAL_MODULES: readonly OfficialModule[] = [
  {
    code: "core",
    otherCodes: ["toolbox", "core-tools"],
    name: "BMad Core",
    purpose: "help, brainstorming, reviews and parties, for all modules",
    source: METHOD,
    state: "current",
  },
  {
    code: "bmm",
    otherCodes: ["method", "bmad-core"],
    name: "BMad Method",
    purpose: "agile development, from the idea to reviewed code",
    source: METHOD,
    state: "current",
  },
  {
    code: "bmb",
    name: "BMad Builder",
    purpose: "skills, workflows and agents of your own",
    source: repository("bmad-builder"),
    state: "current",
    note: "the generation after 6.12 has toolsmith instead",
    npm: { name: "bmad-builder", isHollow: false },
  },
  {
    code: "cis",
    name: "BMad Creative Intelligence Suite",
    purpose: "design thinking, innovation, problem solving and storytelling",
    source: repository("bmad-module-creative-intelligence-suite"),
    state: "current",
    npm: { name: "bmad-creative-intelligence-suite", isHollow: true },
  },
  {
    code: "tea",
    name: "BMad Test Architect",
    purpose: "test strategy, automation and gates",
    source: "npm:bmad-method-test-architecture-enterprise",
    state: "current",
    note: "2.x, in its repository, is for the generation after 6.12",
  },
  {
    code: "gds",
    otherCodes: ["bmgd"],
    name: "BMad Game Dev Studio",
    purpose: "games, from the idea to their tests",
    source: repository("bmad-module-game-dev-studio"),
    state: "current",
    npm: { name: "bmad-game-dev-studio", isHollow: true },
  },
  {
    code: "bmad-loop",
    otherCodes: ["bauto"],
    name: "BMad Loop",
    purpose: "builds and verifies an epic unattended",
    source: repository("bmad-loop"),
    state: "current",
    note: "its skills drive a program of its own, which bmad-loop-setup installs",
  },
  {
    code: "automator",
    name: "BMad Automator",
    purpose: "builds an epic unattended",
    source: repository("bmad-automator"),
    state: "deprecated",
    note: "bmad-loop replaces it",
    npm: { name: "bmad-story-automator", isHollow: false },
  },
  {
    code: "wds",
    name: "Whiteport Design Studio",
    purpose: "planning that begins with the design",
    source: repository("bmad-method-wds-expansion"),
    state: "deprecated",
    note: "it gets no updates; the method's own UX skills take its place",
    npm: { name: "bmad-wds", isHollow: true },
  },
];

export function moduleNamed(code: string): OfficialModule | undefined {
  const word = code.trim().toLowerCase();
  return OFFICIAL_MODULES.find(({ code, otherCodes }) => code === word || otherCodes?.includes(word));
}

export function moduleNote({ code, state, note }: OfficialModule): string | undefined {
  if (state === "deprecated") return `${code} is deprecated${note === undefined ? "" : `: ${note}`}`;
  return note === undefined ? undefined : `${code}: ${note}`;
}

export function packagesOf(modules: readonly OfficialModule[]): readonly string[] {
  return [
    ...new Set(
      modules.flatMap(({ source, npm }) =>
        npm?.name ?? (source.startsWith("npm:") ? source.slice("npm:".length) : [])
      ),
    ),
  ];
}

export const CURRENT_PACKAGES: readonly string[] = packagesOf(
  OFFICIAL_MODULES.filter(({ state }) => state === "current"),
);
