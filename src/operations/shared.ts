import { MEMORY_TYPES } from "../base/model.ts";
import { ROLES } from "../base/roles.ts";
import { action, choice, number, operation, text } from "./operation.ts";
import { force, limit, words } from "./params.ts";
import { listOf } from "./shapes.ts";

const MEMORY_TYPE = {
  type: "text: `shared-context`, `decisions`, `agent-learnings`, `failures` or `stories`",
};

const RESTORED = {
  new: "number: how many were missing",
  "changed same": "number",
};

const TOKEN = {
  id: "text: what tells it from others; part of the token, and no secret",
  name: "text",
  role: "text: `reader`, `worker` or `owner`",
  "projects?": "list of text: the projects that they may use; without it, all",
  added: "text: when it was added, in UTC",
  "ends?": "text: when it ends, in UTC; without it, never",
  "hasEnded?": "boolean",
};

const STORES = ["sqlite", "qdrant"];

const SELECTING = {
  type: `Only memories of this type: ${MEMORY_TYPES.join(", ")}.`,
  agent: "Only memories of this agent.",
};

export const memory = operation({
  needsProject: true,
  purpose: "Manage what the project's agents remember.",
  details: "See docs/memory.md.",
  params: {
    words: words("WORDS", "What the action works on."),
    type: choice("The type of memories", MEMORY_TYPES, { value: "TYPE" }),
    agent: text("The agent that the memories belong to.", { value: "ID" }),
    tags: text("For remember: tags, comma-separated.", { value: "A,B" }),
    limit: limit("For recall and list: at most N memories."),
    format: text("For export: json (memories.json of the project-memory kit) or md (Markdown lists).", {
      value: "FORMAT",
      choices: ["json", "md"],
    }),
    from: choice("For copy: the store to copy from", STORES, { value: "STORE" }),
    to: choice("For copy: the store to copy to", STORES, { value: "STORE" }),
    force: force("For backup and restore: replace what is there and differs."),
  },
  usage: "memory ACTION [WORDS…]",
  completes: "actions",
  actions: {
    remember: action("remember TEXT…", "Store a memory.", "add store save write note learn", {
      type: `The type of the memory: ${MEMORY_TYPES.join(", ")}. Default: agent-learnings.`,
      agent: "The agent that it belongs to. Default: user.",
      tags: "Tags for the memory, comma-separated.",
    }),
    recall: action("recall QUERY…", "Find memories by words and meaning.", "search find query ask get", {
      ...SELECTING,
      limit: "At most N results.",
    }),
    list: action("list", "List memories, newest first.", "ls show all", {
      ...SELECTING,
      limit: "At most N results.",
    }),
    forget: action(
      "forget ID…",
      "Delete memories; list prints their ids.",
      "delete remove clear rm",
      SELECTING,
    ),
    import: action(
      "import [FILE]",
      "Add the memories of an export; without FILE, from stdin.",
      "load",
      SELECTING,
    ),
    export: action("export", "Print memories as JSON or Markdown.", "print", {
      ...SELECTING,
      format: "Export format: json (memories.json of the project-memory kit) or md (Markdown lists).",
    }),
    backup: action(
      "backup FILE",
      "Write all memories and the files of the memory folder to FILE; - for stdout.",
      "dump archive snapshot",
      { force: "Replace FILE if it exists." },
    ),
    restore: action(
      "restore FILE",
      "Put back what a backup holds and is missing; - for stdin. What came later stays.",
      "recover undump",
      { force: "Also replace what differs from the backup." },
    ),
    copy: action(
      "copy --from STORE --to STORE",
      "Copy memories from one store to another.",
      "move migrate sync",
      {
        from: "The store to copy from: sqlite or qdrant.",
        to: "The store to copy to: sqlite or qdrant.",
      },
    ),
    status: action("status", "Show where memories are kept and how many there are.", "info stats count", {}),
  },
  results: {
    "memory remember": {
      "id agent text project created_at place": "text",
      ...MEMORY_TYPE,
      tags: "list of text: may be empty",
      outcome: "text: `new`, `changed` or `same`",
      semantic: "boolean",
    },
    "memory recall": {
      query: "text",
      semantic: "boolean",
      items: [{
        "id? agent? text project? created_at": "text",
        ...MEMORY_TYPE,
        tags: "list of text: may be empty",
        source: "text: `memory`, or the file of the project that says it",
        "score lexical": "number",
        "semantic?": "number: the similarity of its meaning, up to 1; not in languages without one",
        words: "list of text",
      }],
      "nearest?": "list of objects",
    },
    "memory list": listOf({
      "id agent text project created_at": "text",
      ...MEMORY_TYPE,
      tags: "list of text: may be empty",
    }),
    "memory backup FILE": { path: "text", "total files leftOut": "number" },
    "memory restore FILE": {
      "createdAt place": "text",
      ...RESTORED,
      semantic: "boolean",
      files: RESTORED,
    },
    "memory status": {
      "place meaning": "text",
      "total withoutVector bytes?": "number",
      counts: { "*": "number" },
    },
  },
  examples: [
    'bmad-mcp memory remember --type decisions --agent architect --tags auth "Access tokens live for 15 minutes"',
    'bmad-mcp memory recall "how long do tokens live"',
    "bmad-mcp memory status --json",
  ],
});

export const token = operation({
  purpose: "Give others a token of their own for a server over HTTP, with a role.",
  details: "What they do there carries their name. See docs/http.md.",
  params: {
    names: words("NAME", "Whose token."),
    role: text(
      "What they may do: reader, worker (marks, claims, remembers) or owner (also forces). Default: worker.",
      { value: "ROLE", choices: ROLES },
    ),
    projects: text("The projects of the server that they may use, comma-separated. Default: all.", {
      value: "NAMES",
    }),
    expires: text("When it ends: 12h, 90d, 8w, or the last day, such as 2027-01-31. Default: never.", {
      value: "TIME",
    }),
  },
  completes: "actions",
  actions: {
    add: action(
      "add NAME",
      "Add a token for someone, and print it: this once, because only its hash is kept.",
      "new create issue generate",
      { role: true, projects: true, expires: true },
    ),
    list: action("list", "List who has a token, with roles and ends.", "ls show status", {}),
    revoke: action(
      "revoke NAME|ID…",
      "Take away every token of NAME, or the one with this id; servers notice within a second.",
      "remove delete rm disable",
      {},
    ),
  },
  results: {
    "token add": { ...TOKEN, token: "text" },
    "token list|revoke": listOf(TOKEN),
  },
  examples: [
    "bmad-mcp token add ana --role worker --expires 90d",
    "bmad-mcp token list",
    "bmad-mcp token revoke ana",
  ],
});

export const record = operation({
  purpose: "Show who changed what through your server over HTTP, the newest first.",
  details: "Owners see the same at /record. See docs/http.md.",
  params: { count: number("At most N entries.", { value: "N" }) },
  result: listOf({
    at: "text: when, in UTC",
    "name? address request project deed": "text",
    role: "text: `reader`, `worker` or `owner`",
  }),
  examples: ["bmad-mcp record --count 20"],
});
