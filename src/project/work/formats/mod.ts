/**
 * The formats in which BMAD has kept work: each has one file that reads it into the model that all of them share.
 */
export { type Adapter, type Reading } from "./adapter.ts";
export { type Box, isOfReview, isOpenBox } from "./boxes.ts";
export {
  type Body,
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
export { type CommandRun, type NotedRun, outcomeOf, readRun, runRow } from "./evidence.ts";
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
export { eachOnce, readReview, type Review, type ReviewFinding, type ReviewPass } from "./findings.ts";
export {
  type Document,
  DOCUMENT_ROLES,
  type DocumentRole,
  documentRole,
  documentStatus,
  findDocuments,
} from "./documents.ts";
export {
  COMMAND_SECTIONS,
  demandsTests,
  epicDue,
  type Evidence,
  failStepBack,
  type Form,
  FORMS,
  IF_MEANT,
  isBehind,
  isStepBack,
  ledgerFor,
  meaningOf,
  type Pair,
  readWord,
  refuseDraft,
  refuseEarlyEnd,
  type SectionPlace,
  wordFor,
  wordsOf,
} from "./forms.ts";
export { findPlans, type PlanHeading, readPlanTitle, scriptLines } from "./epics_document.ts";
export { folderInProject, foldersOf, recordFolders } from "./folders.ts";
export {
  type ActionItem,
  type Board,
  type BoardFolders,
  type Boxes,
  type Claim,
  type Epic,
  type Forced,
  type FormName,
  isClaimOf,
  type Ledger,
  type Moment,
  nameOfHolder,
  type OpenQuestion,
  type Problem,
  type Question,
  type RowStyle,
  type State,
  STATES,
  type Story,
  type WorkItem,
} from "./model.ts";
export {
  answerRows,
  choiceLetter,
  MAX_CHOICE,
  MAX_CHOICES,
  MAX_QUESTION,
  type NotedQuestion,
  type QuestionList,
  questionRows,
  readQuestions,
  withNumber,
} from "./questions.ts";
export { familyOf, findDefinition, findIds, type IdPlace, isKnownId } from "./requirement_ids.ts";
export {
  costOf,
  excessOf,
  filesBelow,
  keepTexts,
  keptText,
  MAX_COST,
  openSource,
  type Source,
} from "./source.ts";
export { type Role } from "./roles.ts";
export { SPEC_FOLDERS } from "./spec_folders.ts";
export {
  readSprintFile,
  type SprintFault,
  type SprintFile,
  type SprintItem,
  type SprintRow,
  sprintRows,
} from "./sprint_file.ts";
export {
  ACTION_STATUSES,
  DEFERRED_FILE,
  isSprintFile,
  ITEMS,
  JOURNAL_FILE,
  parseStamp,
  QUESTIONS_FILE,
  readSprintKey,
  SECTION,
  SPRINT_FILES,
  SPRINT_STATUSES,
  type SprintKey,
  type SprintKind,
  sprintTime,
} from "./sprint_keys.ts";
export { SPRINT_STATUS } from "./sprint_status.ts";
export { isAsking, isOver, mayGoOn, questionsOf, questionWords, stateOf } from "./status.ts";
export { STORY_FILES } from "./story_files.ts";
export { TICKET_TREE, ticketRef } from "./ticket_board.ts";
export {
  asciiSlug,
  editPlan,
  type PlanEdit,
  planPath,
  pulledFile,
  readTicketStore,
  stemOf,
  type TicketFields,
  type TicketStore,
  withFields,
} from "./ticket_file.ts";
export { printedValue, printedValues, readTicketDocument } from "./ticket_front.ts";
export {
  type Container,
  idOf,
  isTrue,
  type ListedEpic,
  type Standing,
  type StatusWord,
  type Ticket,
  type TicketDocument,
  type TicketProblem,
  type TicketTree,
} from "./ticket_model.ts";
export { EPIC_STATUSES, readTicketTree, TICKET_STATUSES } from "./ticket_tree.ts";
export {
  type Entry,
  indentOf,
  isTrivial,
  type Line,
  readEntry,
  splitLines,
  startsItem,
} from "./yaml_lines.ts";
export { escapeUnit, replaceScalar, type Scalar, type Style, writeScalar } from "./yaml_scalars.ts";
export {
  type FileList,
  fileList,
  filesNamedIn,
  holdsTests,
  isByTheWay,
  isCode,
  isTest,
  type Listed,
  listedFiles,
} from "./project_files.ts";
