/**
 * The one writer of a project's ledgers: marks in every format, and claims.
 */
export { claim, type Claimed, type ClaimRequest, release, type ReleaseRequest } from "./claim.ts";
export { type Edit, type FileEdit } from "./edits.ts";
export {
  type BashCall,
  type CommandEnd,
  type EvidenceRequest,
  type EvidenceWorld,
  noteEvidence,
} from "./evidence.ts";
export {
  beginPass,
  type BegunPass,
  type FindingRequest,
  type OpenedReview,
  openReview,
  type Recognize,
  recordFinding,
} from "./finding.ts";
export { mark, type Marked, type MarkRequest } from "./mark.ts";
export {
  answer,
  type AnswerRequest,
  ask,
  type AskRequest,
  type QuestionWorld,
  renumber,
  type Renumbered,
  type Told,
} from "./question.ts";
export { reconcile, type Reconciled } from "./reconcile.ts";
export { reportClaim, reportMark, reportQuestion } from "./report.ts";
export type { IsOwn, RemoteClaims, Taken, WriterWorld } from "./world.ts";
