/**
 * A small project for pictures and for tests of the pages: a dog walking app, half built, with everything that pages show.
 *
 * Its files lie over an installation of 6.12.
 */

const OUT = "_bmad-output";

const story = (title: string, status: string, boxes: readonly string[]) =>
  `# Story ${title}\n\nStatus: ${status}\n\n## Acceptance Criteria\n\n1. It works on a phone.\n\n## Tasks / Subtasks\n\n${
    boxes.map((box) => `- ${box}\n`).join("")
  }`;

/** The files, by their paths in the project. */
export const DEMO: Readonly<Record<string, string>> = {
  [`${OUT}/planning-artifacts/prd.md`]: `---
title: Pawpath requirements
status: approved
---

# Pawpath

Pawpath finds a walker for a dog within ten minutes.

## Goals

- Owners book a walk without a phone call.
- Walkers fill the gaps in their day.

## Requirements

### Booking

- FR1: An owner sees the walkers nearby.
- FR2: An owner books a walk and gets an answer within ten minutes.

### Walks

- FR3: An owner follows the walk on a map.
- FR4: A walker reports what happened on the way.

## Out of scope

| Topic    | Reason                  |
| -------- | ----------------------- |
| Payments | A partner handles them. |
| Cats     | They walk alone.        |
`,
  [`${OUT}/planning-artifacts/architecture.md`]: `---
title: Pawpath architecture
status: draft
---

# Architecture

One service, one database, one queue. The app talks to the service over HTTP and gets positions over a stream.

## Decisions

1. Positions are kept for a day.
2. A booking is a row that one walker can claim.
`,
  [`${OUT}/planning-artifacts/ux-design.md`]:
    "---\nstatus: in progress\n---\n\n# Pawpath UX\n\nThree screens: nearby, booking, walk.\n",
  [`${OUT}/planning-artifacts/epics.md`]: `# Epics

## Epic 1: Booking (FR1, FR2)

### Story 1.1: See walkers nearby (FR1)

### Story 1.2: Book a walk (FR2)

### Story 1.3: Cancel a booking (FR2)

## Epic 2: Walks (FR3, FR4)

### Story 2.1: Follow a walk on the map (FR3)

### Story 2.2: Report a walk (FR4)

### Story 2.3: Rate a walker (FR4)
`,
  [`${OUT}/implementation-artifacts/sprint-status.yaml`]: `project: Pawpath
development_status:
  epic-1: in-progress
  1-1-see-walkers-nearby: done
  1-2-book-a-walk: review
  1-3-cancel-a-booking: in-progress
  epic-1-retrospective: optional
  epic-2: backlog
  2-1-follow-a-walk-on-the-map: ready-for-dev
  2-2-report-a-walk: backlog
  2-3-rate-a-walker: backlog
  epic-2-retrospective: optional
`,
  [`${OUT}/implementation-artifacts/1-1-see-walkers-nearby.md`]: story("1.1: See walkers nearby", "done", [
    "[x] List walkers by distance (AC: 1)",
    "[x] Test it (AC: 1)",
  ]),
  [`${OUT}/implementation-artifacts/1-2-book-a-walk.md`]: story("1.2: Book a walk", "review", [
    "[x] Offer a booking to walkers (AC: 1)",
    "[x] Answer within ten minutes (AC: 1)",
    "[x] Test both (AC: 1)",
  ]),
  [`${OUT}/implementation-artifacts/1-3-cancel-a-booking.md`]: story("1.3: Cancel a booking", "in-progress", [
    "[x] Cancel before the walk (AC: 1)",
    "[ ] Tell the walker (AC: 1)",
    "[ ] Test it (AC: 1)",
  ]),
  [`${OUT}/implementation-artifacts/2-1-follow-a-walk-on-the-map.md`]: story(
    "2.1: Follow a walk on the map",
    "ready-for-dev",
    ["[ ] Stream positions (AC: 1)", "[ ] Draw the way (AC: 1)"],
  ),
  "_bmad/custom/bmad-agent-analyst.toml": '[agent]\nicon = "🐕"\nprinciples = ["Dogs come first."]\n',
};
