/**
 * The formats in which BMAD has kept work: each has one file that reads it into the model that all of them share.
 */
export * from "./adapter.ts";
export * from "./document.ts";
export * from "./edited_text.ts";
export * from "./epics_document.ts";
export * from "./evidence.ts";
export * from "./findings.ts";
export * from "./folders.ts";
export * from "./forms.ts";
export * from "./model.ts";
export * from "./project_files.ts";
export * from "./questions.ts";
export * from "./requirement_ids.ts";
export * from "./roles.ts";
export * from "./source.ts";
export * from "./spec_folders.ts";
export * from "./sprint_keys.ts";
export * from "./sprint_status.ts";
export * from "./story_facts.ts";
export * from "./story_files.ts";
export * from "./ticket_board.ts";
export * from "./ticket_file.ts";
export * from "./ticket_tree.ts";
export * from "./yaml_lines.ts";
export * from "./yaml_tree.ts";
