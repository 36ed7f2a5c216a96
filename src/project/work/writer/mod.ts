/**
 * The one writer of a project's ledgers: marks in every format, and claims.
 */
export { claim, type ClaimRequest, release, type ReleaseRequest, reportClaim } from "./claims.ts";
export { type EvidenceRequest, recordEvidence } from "./evidence.ts";
export { beginPass, type FindingRequest, openReview, type Recognize, recordFinding } from "./finding.ts";
export { mark, type Marked, type MarkRequest, reconcile, reportMark } from "./mark.ts";
export { answer, type AnswerRequest, ask, type AskRequest, renumber, reportQuestion } from "./question.ts";
export type { RemoteClaims, RemoteOutcome, WriteContext } from "./write_context.ts";
