/**
 * Which skills does each release of BMAD bring?
 *
 * Counted by hand in the packages themselves, so that tests do not ask the program what it should find.
 */

const prefixed = (words: string) => words.trim().split(/\s+/).map((word) => `bmad-${word}`);

/** The skills of core 6.12.0. */
export const CORE_SKILLS = prefixed(
  "advanced-elicitation brainstorming customize deep-recon forge-idea help party-mode review",
);

/** The agents of bmm 6.12.0. */
export const BMM_AGENTS = prefixed("agent-analyst agent-architect agent-dev agent-pm agent-ux-designer");

/** The other skills of bmm 6.12.0. */
export const BMM_WORKFLOWS = prefixed(
  "architecture create-epics-and-stories prd prfaq product-brief project-context spec sprint-planning ux " +
    "build build-auto code-review correct-course qa-generate-e2e-tests retrospective walkthrough",
);

/** The skills of core and bmm 6.12.0 that only forward to newer ones. */
export const SHIMS = prefixed(
  "editorial-review editorial-review-prose editorial-review-structure review-adversarial-general " +
    "review-edge-case-hunter review-verification-gap checkpoint-preview create-architecture create-prd create-story " +
    "dev-auto dev-story document-project domain-research edit-prd generate-project-context market-research quick-dev " +
    "sprint-status technical-research validate-prd",
);

/** The skills of tea 1.27.2; the first is an agent. */
export const TEA_SKILLS = prefixed(
  "tea teach-me-testing testarch-atdd testarch-automate testarch-ci testarch-framework testarch-nfr " +
    "testarch-test-design testarch-test-review testarch-trace",
);

/** What the installer of 6.12.0 installs with bmm: 8 of core, 21 of bmm. */
export const INSTALLED = [...CORE_SKILLS, ...BMM_AGENTS, ...BMM_WORKFLOWS];
