/**
 * The formats in which BMAD has kept work: each has one file that reads it into the model that all of them share.
 */
export type { Adapter, Reading } from "./adapter.ts";
export { type Box, isOpenBox, isReviewBox } from "./roles.ts";
export {
  cellsIn,
  type DocumentStatus,
  frontMatterEnd,
  type Heading,
  isWritten,
  readDocument,
  readStoryText,
  type RoleLine,
  type StoryDocument,
  type StoryText,
} from "./document.ts";
export * from "./documents.ts";
export * from "./edited_text.ts";
export { findPlans, readPlanTitle, scriptLines } from "./epics_document.ts";
export * from "./evidence.ts";
export {
  idOf as findingId,
  isListOfRejected,
  isPlace,
  MAX_ROW,
  pathIn,
  SEVERITIES,
  type Severity,
  tagsIn,
  type Verdict,
  VERDICTS,
  wordsIn,
} from "./finding_rows.ts";
export * from "./findings.ts";
export * from "./folders.ts";
export * from "./forms.ts";
export * from "./model.ts";
export * from "./project_files.ts";
export * from "./questions.ts";
export { familyOf, findDefinition, findIds, isKnownId } from "./requirement_ids.ts";
export {
  cachedStoryText,
  cacheStoryTexts,
  filesBelow,
  lengthProblem,
  MAX_COST,
  openSource,
  readingCost,
  type Source,
} from "./source.ts";
export { SPEC_FOLDERS } from "./spec_folders.ts";
export * from "./sprint_keys.ts";
export * from "./sprint_status.ts";
export { isOver, questionWords, stateOf } from "./status.ts";
export * from "./story_facts.ts";
export { STORY_FILES } from "./story_files.ts";
export { TICKET_TREE, ticketRef } from "./ticket_board.ts";
export * from "./ticket_file.ts";
export * from "./ticket_tree.ts";
export * from "./yaml_lines.ts";
export * from "./yaml_tree.ts";
