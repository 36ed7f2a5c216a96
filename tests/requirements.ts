/**
 * What do we promise to users, clients and models?
 *
 * Every promise has an id and one sentence that can be checked. A test that proves it carries its id
 * (`verifies` in support/requirements.ts). `OPEN` lists the promises that no test proves yet; an id leaves the
 * list in the change that brings the proof. This file is data; requirements_test.ts holds it to its word.
 */

/** The promises, by the part of the surface that they belong to. */
const PROMISES = {
  // Origins and priority
  "1": {
    "origins:priority-order":
      "A record of a better origin wins: project, command line, environment, user, git, embedded package, in this order.",
    "origins:nothing-flattened":
      "The manifest keeps every record of every origin, also those that a better origin shadows.",
    "origins:record-paths":
      "A record names the kind of its source, its file's absolute path if it is a file of its own, and whether the file exists.",
    "origins:record-facts": "A record says its origin, status, generation, module and real path.",
    "origins:record-author":
      "A record says who wrote it, as its own file or the file of its layout that describes the module does; where nobody says, it is empty.",
    "origins:record-source": "A record says whether a manifest, the file system or both know of it.",
    "origins:status":
      "A record is `verified`, `not-in-manifest` when no manifest row names its file, or `no-file-found` when a row's file is missing.",
    "origins:project-roots":
      "Every BMAD root in the project is found: `_bmad`, `bmad`, `.bmad`, any folder with a manifest, `.bmad-core` and its packs.",
    "origins:project-skill-folders":
      "The skill folders that BMAD's installers fill for coding tools belong to the project origin.",
    "origins:flat-skills":
      "Skills that name their module themselves, in a record or a manifest of their own, are served under it; a record is no item.",
    "origins:flat-places":
      "A skill that lies in several folders, as a link, a copy or a text that names its target, is one item.",
    "origins:flat-records":
      "A record's files are served as its module's, and its skills can refer to them as `../bmod-NAME/…`.",
    "origins:flat-upgrade":
      "Over an older installation, skills of the flat generation replace those of the same id and what they retire; other modules stay.",
    "origins:cli-paths":
      "Each positional path and each `--path DIR` is an origin of its own, in the order given.",
    "origins:env-root":
      "`BMAD_ROOT` names one or several paths or `git+` URLs, divided by the system's path separator.",
    "origins:user-home":
      "The user origin is `~/.bmad` and those skills in the user's skill folders that a BMAD manifest or name claims.",
    "origins:git-arguments":
      "A `git+https`, `git+ssh` or `git+file` argument or setting is an origin, with a ref and a subpath.",
    "origins:embedded-choice":
      "The embedded content is the latest generation unless `v4` or `none` is chosen.",
    "origins:project-root-order":
      "The project root is `--project`, else `BMAD_PROJECT_ROOT`, else `CLAUDE_PROJECT_DIR`, else the working folder.",
    "origins:project-root-client":
      "The client's first root is the project when nothing names one and the working folder holds no BMAD root.",
    "origins:no-manifest-needed":
      "One hand-written agent file in `bmad/bmm/agents` overrides that agent without any manifest.",
    "origins:flat-root": "A root with `agents/`, `workflows/` or `skills/` directly inside works.",
    "origins:own-workflows":
      "A workflow is found as people write it: one file in `workflows`, `NAME-workflow.yaml`, or a manifest's row with its folder.",
    "origins:own-note":
      "An agent or workflow that somebody wrote by hand under the name of another source's wins, and answers say which one it overrides.",
    "origins:path-levels": "A given path may be a project, a BMAD root or a single module.",
    "origins:modes":
      "The mode picks the origins: `auto` all, `local` the project, `user` the user's, `strict` git and explicit paths.",
    "origins:embedded-only-auto": "Only mode `auto` includes the embedded content.",
    "origins:empty-auto-serves":
      "In mode `auto` a start without any other origin is no error: the embedded content serves.",
    "origins:foreign-files":
      "A folder that is no BMAD root yields nothing: a user's own files are never taken for content.",
    "origins:one-generation":
      "Where an installation exists, the embedded content is in no list, prompt, tool, search, roster or advice.",
    "origins:pack-on-request":
      "Embedded content that has stepped back is served to those who name its source, or who choose the pack.",
    "origins:newer-hides-older":
      "Of two generations in one project, items of the newer one hide their counterparts; what has none stays.",
    "origins:one-row":
      "An item is one row, one prompt, one tool and one seat in the roster, under whatever id, module or generation.",
    "origins:two-modules":
      "The same id in two modules is two items, each with its row, prompt and seat; one overrides the same id in its own module.",
    "origins:override-everywhere":
      "An override takes every place of the item that it overrides, and the persona name of that item leads to it.",
    "origins:filters-checked":
      "`origin` and `module` are honoured everywhere; an unknown one is an error that names those there are.",
    "origins:stale-skills":
      "Where an installation lists its skills, others in the skill folders of coding tools are left alone.",
    "content:bounded": "Every text in content is read in time that grows no faster than its length.",
    "content:hostile":
      "No content crashes the server, holds up an answer for two seconds or discloses a file outside its source.",
    "content:limits-reported": "What a limit on content leaves out is reported as `limit-reached`.",
  },
  // Names
  "2": {
    "names:plain": "A plain id such as `architect` finds its agent, in any case.",
    "names:module-forms": "`bmm/architect`, `bmm.architect` and `bmm-architect` mean the same thing.",
    "names:star-workflow": "A star before a name, with or without a module, means a workflow.",
    "names:persona": "The name of a persona, such as `Mary`, finds the agent.",
    "names:agent-generations":
      "The old and the new id of an agent find the same thing: `analyst` and `bmad-agent-analyst`.",
    "names:workflow-generations":
      "An old id of a renamed workflow finds its successor: `prd` and `create-prd` lead to `bmad-prd`.",
    "names:menu-code": "A menu code given with an agent starts that item of the agent's menu.",
    "names:module-limits": "A name with a module is looked up in that module alone.",
    "names:customized":
      "An agent whose customization gives it another name has that name in lists, searches, prompts and tools, and is found by it and by its own.",
    "names:best-origin": "A name that several modules have means the one of the best origin.",
    "names:ambiguous":
      "A name that equally good records share is answered with ranked candidates and the exact call for each.",
    "names:successors":
      "Names that older menus, documents and servers use lead to their successors, with a note.",
    "names:older-releases":
      "Every name that a release of BMAD had is answered: by itself, by its successor, or by a refusal that says that nothing replaced it and names the nearest.",
    "names:v4-forms":
      "The commands of v4 lead to what they name: `*create-doc prd-tmpl`, `*execute-checklist X`, `*task X`, `*kb-mode`.",
    "names:other-kind":
      "A name that only an item of another kind has is answered with that item and the exact call for it.",
    "names:near-names": "An unknown name is answered with at most five near names.",
  },
  // The tool bmad
  "3": {
    "tool:only-one": "By default the server offers one tool, called `bmad`.",
    "tool:operations": "The tool knows the operations list, read, execute and search.",
    "tool:list-queries":
      "List answers each of its queries: agents, workflows, tasks, tools, skills, teams, modules, knowledge, templates, resources, sources, conflicts, next.",
    "tool:command-string":
      "The parameter `command` takes the whole call as one string: a name, `*party-mode`, `*list-agents`, `*list-workflows`, `*list-tasks`, `*help`, `*doctor`.",
    "tool:help": "The tool called with nothing, or with the operation help, explains itself.",
    "tool:synonyms":
      "Words that models invent are accepted: `name`, `searchQuery`, `searchType`, the operation `get`.",
    "tool:description-constant":
      "The tool's description names modules and counts, never every agent, and does not grow with the content.",
    "tool:list-agents-fields":
      "A list of agents gives name, module, display name, title, role, description, tool name and origin of each.",
    "tool:list-workflows-fields":
      "A list of workflows gives name, module, description, category, standalone, agents, author and path of each.",
    "tool:list-categories":
      "A category finds what belongs to it in every generation, also where a release has fewer phases.",
    "tool:list-filters":
      "`category`, `module`, `origin` and `pattern` limit a list to one phase of work, one module, one origin, or resources that match a glob.",
    "tool:list-shape":
      "A list leads with what is likely wanted, one short line each, names the rest of a long one, and ends with the call for one of its things.",
    "tool:list-paged":
      "A list says how many items there are in all, and `limit` and `cursor` lead through them, each item once, also when others come or go between two pages.",
    "tool:list-hides-shims":
      "A skill that only forwards to a newer one is not listed but can be read by name.",
    "tool:list-conflicts": "A list of conflicts shows what shadows what and which references lead nowhere.",
    "tool:diff":
      "What an override changes, in files and in customized values, is shown as a unified diff without secrets, and the list of conflicts names the call.",
    "tool:list-next":
      "A list of next names the workflow to do next and why, from the help catalogue and what the project's output folders hold, or says that it cannot tell.",
    "tool:flat-next":
      "Without a catalogue, next is the ticket or story that the board says; every skill is a step for any time, in the order of the modules' help.",
    "tool:read-agent-fields":
      "Reading an agent gives its names, title, icon, module, description, persona, capabilities, menu, workflows, raw content and customization.",
    "tool:read-workflow-fields":
      "Reading a workflow gives its metadata, the raw entry file and instructions, and every file of its closure with its URI.",
    "tool:effective-item":
      "Reading an agent gives title, persona and menu as the overrides of the team and the user make them.",
    "tool:workflow-author": "Reading a workflow gives the author that its file names.",
    "tool:read-resource": "Reading a `uri` gives the file, whole or as the lines asked for.",
    "tool:execute-one-call":
      "One execute call returns all that a model needs to begin an agent, workflow, task or skill.",
    "tool:execute-front-matter":
      "An executed answer opens with front matter that names agent, workflow, menu item and the user's prompt.",
    "tool:execute-raw-text":
      "The text of the content in an executed answer is the file's own, byte for byte, save for agents that nobody has installed and for characters that nobody sees, which are marked.",
    "tool:execute-agent-source":
      "An agent that nobody has installed is executed in the form that its installer would have given it.",
    "tool:execute-customization":
      "An executed answer has, before the text, the customization and configuration that apply, marked as already resolved.",
    "tool:execute-artefacts":
      "Planning, solutioning and implementation work starts with the project's documents by role, each with its path and status.",
    "tool:execute-v4":
      "A template or checklist of v4 arrives with the task that runs it, also when it is named by an agent's command.",
    "tool:execute-raw-option": "`raw: true` leaves out all that the server would append.",
    "tool:execute-defaults":
      "Without an installation an executed answer has the defaults of its module's configuration.",
    "config:no-manifest":
      "A module's `config.yaml` in `_bmad`, `bmad` or `.bmad` counts without a manifest, and a folder with nothing else is not an empty one.",
    "config:derived":
      "A default that refers to another value is derived from what is configured for that value.",
    "config:limits":
      "The work for a configuration grows as the number of modules and of values; of more than 200 modules the first are read, and `doctor` says so.",
    "config:personal":
      "`~/.bmad/config.yaml` has the user's own values: above the defaults, below what a project says.",
    "config:in-force":
      "`bmad://{module}/config.yaml` shows what is in force and the files that it comes from; a file that says all of it is served as it is.",
    "config:field-by-field":
      "Customizations of several sources are merged value by value, those of a project last; only where a version of BMAD replaces a whole persona, so do we.",
    "config:agent-changes":
      "The `.customize.yaml` of a compiled agent is applied as BMAD's installer applies it, before and after the agent is recompiled; the name in it resolves.",
    "config:project-root":
      "Folders in the project are delivered with `{project-root}/`, whether the file that names them has it or not.",
    "config:flat":
      "Flat skills get three layers, without an installer's `config.user.toml`, over defaults and the questions of records.",
    "config:flat-roster":
      "The agents, personas and groups of a module's `roster.toml` are in the roster; the configuration adds to them.",
    "config:value-sources": "`list config` shows every value in force and the file that it comes from.",
    "tool:execute-file-note": "An executed answer says how to open the files that the text refers to.",
    "tool:execute-chosen":
      "Where a skill's text chooses among its files by an argument, those that the user names (lenses, types, intents, modes) follow the text, with what they load; the others do not.",
    "tool:execute-next":
      "A skill that finds out what to do next (`bmad-help`, the hub of flat skills) comes with what `next` hands out for this project.",
    "tool:execute-followed":
      "In every real installation a reader that follows only the calls in answers opens every file that a workflow's texts name; the first part holds what the installation's own command loads first.",
    "tool:execute-first-part":
      "While nobody sets a limit, the first part of an activation may have up to 20,400 bytes as JSON, if it then ends with a section or with the answer.",
    "tool:execute-fresh":
      "A prompt for a sub-agent names each file by its full path where it lies on the reader's disk as delivered; of others it includes short ones, up to 2 KB in all, and has the literal call for the rest.",
    "tool:execute-remote":
      "An activation by a server that other machines can reach names no path of its own machine.",
    "tool:execute-engine":
      "A workflow for BMAD's engine comes with the engine, its configuration with resolved variables, and its instructions.",
    "tool:execute-party":
      "A party that reads its agents from the installer's manifest comes with their rows, and a compiled workflow with the paths that it lists.",
    "tool:execute-overhead":
      "Beyond the raw text and the resolved values an executed answer costs at most 120 tokens.",
    "tool:execute-runs-nothing": "Execute runs nothing on the server.",
    "tool:execute-launchers": "A launcher skill that exists only to be rendered is delivered rendered.",
    "tool:launchers-jinja":
      "A launcher with Jinja templates is delivered rendered, too; an undefined name or a template's own halt refuses it.",
    "tool:launchers-bounded":
      "A template never becomes code, and its steps and output are bounded; what cannot be rendered arrives raw, with a note.",
    "tool:search":
      "Search looks in names, titles, descriptions, roles and tags, forgives typing errors and cut words, and ranks its hits.",
    "tool:text-only": "An answer is text alone; no structured content stands beside prose.",
    "tool:format-json":
      '`format: "json"` gives the same facts as JSON text; lists and searches as `items`, `total` and `nextCursor`.',
    "tool:annotations": "Every tool has a title and all four annotations, and claims no open world.",
    "tool:meta-hints":
      "The tool asks, in `_meta`, to be always loaded and states its largest result and its search words.",
    "tool:result-limit":
      "One result is at most 16 KB, except for the first part of an activation, unless `--max-result` says otherwise.",
    "tool:parts":
      "Longer text comes in parts, split between lines with nothing lost; the last line says which part of how many and the exact next call.",
  },
  // Optional tool sets
  "4": {
    "toolsets:choice":
      "`--toolsets` and `BMAD_TOOLSETS` choose tool sets, `all` takes every one, and `--tools` picks single tools.",
    "toolsets:remember":
      "Asked to remember while memory is off, every way in says how it is switched on; while it is on, which tool to call.",
    "toolsets:workflows":
      "The set `workflows` offers list_workflows, get_workflow_details, execute_workflow, list_tasks, execute_task and get_knowledge.",
    "toolsets:knowledge-curated":
      "The domains `architecture` and `patterns` have what the served agents, workflows, templates, checklists and tables of any generation say about them, each with its source. Where a project's BMAD has nothing, the embedded content answers.",
    "toolsets:origin":
      "Every tool that takes items or files accepts `origin`, says so in its schema and honours it; a refusal names the parameter to give.",
    "toolsets:knowledge": "get_knowledge gives the index of a domain first and one fragment on demand.",
    "toolsets:agents":
      "The set `agents` offers bmad-workflow, bmad-resources and one tool for each agent, named by module and agent, that requires a message.",
    "toolsets:agents-cap":
      "The set `agents` stops at the number of tools that clients accept and says what was left out.",
    "toolsets:agent-names":
      "An agent's tool never takes the name of another tool, and no name of an agent takes a client its tools.",
    "toolsets:memory":
      "The set `memory` offers get_project_context, get_agent_memory, get_failure_museum, remember_structured, recall_structured and search_codebase.",
    "toolsets:runs":
      "The set `runs` offers get_workflow_status, list_sessions, spawn_subagent_task, run_completion_contract, create_delivery_contract, delegate_to_agent, update_run and answer_subagent_task.",
    "toolsets:contract-needs-exec": "run_completion_contract runs only when `--allow-exec` was given.",
    "toolsets:read-only":
      "`--read-only` removes every tool that writes or runs; of `bmad_work` the readers stay, and what would write is refused.",
    "toolsets:schemas": "Names and parameters of the optional tools are exactly the published ones.",
    "toolsets:self-activation":
      "The sets `memory` and `runs` are on when the project keeps files of the kit or runs; the memory folder of a stock installation is not enough.",
  },
  // Prompts
  "5": {
    "prompts:agents":
      "There is one prompt for each agent, called `bmad-{agent}` without the prefixes of its id.",
    "prompts:workflows":
      "There is one prompt for each workflow and skill, called `bmad-{name}` without doubling the prefix.",
    "prompts:collisions": "Two prompts of the same name take their modules into their names.",
    "prompts:message":
      "The only argument is an optional free-text `message`, with completion where it makes sense.",
    "prompts:carries-persona": "A prompt carries the persona itself.",
    "prompts:dotted-form":
      "`{module}.{agent}` and `{module}.{agent}.{workflow}` are answered as prompts but not listed.",
    "prompts:argument-free":
      "A message that is empty, cut or `$1` changes nothing but the words that are passed on.",
    "prompts:tool-equal": "Everything that a prompt does a tool does too.",
  },
  // Resources
  "6": {
    "resources:files":
      "Every served file has a `bmad://{module}/{path}` URI, and the list of resources is paged.",
    "resources:other-files":
      "Every other file in a BMAD folder is a resource under its path there, opens as texts spell it, and is found by its name.",
    "resources:forms":
      "`bmad://_cfg/…`, `bmad://_config/…`, `bmad://bmad/…`, `bmad://_bmad/…` and `{project-root}/_bmad/…` lead to the same file.",
    "resources:chain":
      "A file is looked up in its own folder, then its module, then its origin, then lower origins.",
    "resources:manifests-csv":
      "`bmad://manifests/{kind}` gives agents, workflows, tasks, tools and skills as CSV from the master manifest.",
    "resources:generated-visible":
      "Characters that nobody sees are marked in generated CSV, YAML and Markdown, and escaped in generated JSON.",
    "resources:virtual-manifests":
      "The `_cfg/*-manifest.csv` files are there even when no installation has them.",
    "resources:manifest-json": "`bmad://manifest` gives all records as JSON, not flattened.",
    "resources:config-current":
      "`bmad://config/current` gives the merged configuration without values whose keys name a token, key, password or secret, or that have the form of one.",
    "resources:templates":
      "Templates exist for agent source, workflow entry, instructions, template, knowledge, customize file, module configuration and skill file; every variable completes.",
    "resources:mime":
      "A resource's MIME type follows its extension, plain text where none is known; a binary file is served as a blob.",
    "resources:source": "The list of resources names the source of each file in `_meta`.",
    "resources:lines": "`#lines=a-b` gives that excerpt of a file.",
    "resources:listed-opens": "Every resource that is listed can be read.",
    "resources:spelled":
      "A path is read as any file of the named item spells it, if exactly one file fits; of several, the item's own are suggested first.",
    "resources:project-file":
      "A path that means a document of the user's project is answered with its full path, to be read with the client's own tools.",
    "resources:suggestions":
      "A missing resource is answered with similar ones: another ending, one other word, the same folder.",
    "resources:rendered": "The rendered files of launchers are listed like other resources.",
    "resources:folder": "A URI of a folder is answered with the files in it.",
    "resources:skills-extension": "`skills/list` and `skills/get` serve every skill with digests.",
    "resources:kept":
      "An answer that was worked out once is given again without reading a file, and never after a file that it was made from has changed: no answer is older than its request.",
    "resources:documents":
      "Documents that appear, change or go in the folders of the project's work do not make the library be read again.",
    "resources:live": "A change on disk is announced within a second and served without a restart.",
  },
  // References between files
  "7": {
    "closure:opens":
      "Every file reference in served content can be opened through the server when the file exists in any origin.",
    "closure:reference-forms":
      "References are understood as project-root and installed-path variables, relative paths, `skill:` names, menu targets and dependencies.",
    "closure:dangling-shown":
      "References that lead nowhere are shown by `doctor` and by the list of conflicts, except known ones of the embedded content.",
  },
  // What the server asks and tells the client
  "8": {
    "client:sampling-ranks":
      "A client that samples ranks ambiguous candidates and hits that fit about equally: one line each, at most 200 tokens, within two seconds.",
    "client:sampling-fallback":
      "When sampling fails, declines or takes too long, the ranking by use answers.",
    "client:sampling-off": "With `--no-sampling` no client is asked for an order.",
    "client:elicitation": "A client that elicits is asked which candidate the user means.",
    "client:fallback-text":
      "A client without a feature, or one that declines it, gets the same answer as text.",
    "client:logging":
      "Log messages honour the client's level; at debug every resolution tells its candidates, the filters and what was selected from where.",
    "client:progress": "Git clones and large scans report progress to a client that asked for it.",
    "client:cancellation": "A cancelled request stops its work.",
    "client:instructions":
      "The instructions tell a model when and how to call the tool, in at most 4,096 characters with the routing in the first 500.",
    "client:both-eras": "The official clients of the 2025 and of the 2026 protocol get the same answers.",
  },
  // Ranking
  "9": {
    "ranking:formula":
      "A score is 0.4 recency, 0.3 frequency, 0.2 manifest position and a boost, with the published curves.",
    "ranking:memory":
      "Use is counted for one process, and across restarts in the state folder only with `--remember-usage`.",
    "ranking:shown": "`list usage` shows what was used, how often and when last, most often first.",
    "ranking:query-relevance":
      "A list without a query is ranked by score; with a query relevance comes first.",
  },
  // Transports
  "10": {
    "transport:stdio-default": "Without other words the program serves MCP over stdio.",
    "transport:stdout-pure": "Stdout carries protocol messages alone while serving stdio.",
    "transport:exit-on-eof":
      "The program ends with 0 within a second after its input ends, having answered what it had read.",
    "transport:stuck":
      "If the main thread is stuck, the program ends within six seconds after SIGINT, SIGTERM or the end of its input.",
    "transport:exit-on-signal": "The program ends within a second after SIGINT or SIGTERM.",
    "transport:second-process": "Starting twice at once, as probing clients do, disturbs neither process.",
    "transport:bad-line": "A line that is no message neither ends nor confuses the server.",
    "transport:large-message": "A message of ten megabytes is read, or refused with a clear answer.",
    "transport:huge-text":
      "However long a text in a request is, it is answered soon and within the limit of a result.",
    "transport:burst": "Requests that come all at once are all answered.",
    "transport:unknown-method": "An unknown method is answered at once with -32601.",
    "transport:http": "`serve --http` serves streamable HTTP on `/mcp` to many clients at once.",
    "transport:http-watching":
      "`/health` tells whether the server works and `/metrics` gives Prometheus text.",
    "transport:http-loopback": "HTTP listens on loopback unless another host is named.",
    "transport:http-host-origin": "A request with a foreign Host or Origin is refused.",
    "transport:http-token":
      "A token is accepted as bearer or `X-API-Key`, and required when not on loopback.",
    "transport:http-throttle":
      "A client that sends wrong tokens may soon send only one per second; clients that sent the right one are not held up.",
    "transport:http-user-token":
      "Each user has a token of their own in the state folder, which nobody else can read or choose and no message quotes.",
    "transport:http-own-token":
      "On loopback and without a token of its own, a server wants the user's own token, and shows it on a terminal alone; `--no-token` switches that off.",
    "transport:http-cookie":
      "The token in a page's address is exchanged for a cookie that opens pages, ends within 12 hours and is not the token.",
    "transport:http-door":
      "A browser without the token gets a page with a field for it, which leads to the page that was asked for and nowhere else; programs get JSON, and the page for clients has the token only for somebody who has just shown it.",
    "transport:http-limits":
      "Body size, header time, stalls, connections, sessions, their idle time and requests, requests under way and parts of results are limited by settings; who meets a limit gets its status and a sentence.",
    "transport:http-pressure":
      "Requests are let in by their headers, before their bodies are read: clients without the token, and clients that stall, move neither memory nor `/health`.",
    "transport:http-ready":
      "`/ready` needs no token and tells a load balancer whether to send requests: not while the server starts or stops, has lost its first project or cannot write its state. It names no folder.",
    "transport:http-replicas":
      "Several servers on one project, one state folder and one Qdrant server work behind a proxy without affinity: what one acknowledged is there at the others, whichever of them ends.",
    "transport:http-stop":
      "SIGTERM lets what is being answered be answered, for ten seconds at most, and the program ends with 0.",
    "transport:http-projects":
      "`?project=NAME` or `X-BMAD-Project` picks one of the projects that the server was started with.",
    "transport:http-tls": "With a certificate and its key HTTP is encrypted.",
    "start:first-call":
      "While the client is silent after its start, what the first calls need is prepared, over HTTP once for all clients; nothing of it counts as a use, a message that arrives comes first, and a client that leaves ends it.",
    "start:large":
      "Of an installation with thousands of workflows only some files are looked for before it is listed; a full scan reports all that are missing.",
    "start:counts": "A start counts an installation by its manifests, and tells the numbers that lists show.",
    "start:modules":
      "Before its first answer, a start loads only the modules that it needs: no parser and no other package than the SDK.",
    "pages:prose":
      "Markdown is shown as a page with its contents; HTML in it stays text, nothing is loaded, and hostile texts take linear time.",
    "pages:board":
      "The page /board shows every story in the column of its state, with epic, owner, ticked boxes and contradictions, changes by itself within a second where scripts run, and the first page shows progress and the next step first.",
    "board:acts":
      "On the board, people move, claim, release and undo by the rules of `bmad_work`: a refusal has the check's list, and force needs a reason, which is recorded.",
    "board:guarded":
      "An action on the board needs the cookie's token, the same origin, a proof bound to that cookie and a small JSON body; nothing else changes anything.",
    "board:read-only": "A read-only server shows the board without handles and refuses actions.",
    "board:browser":
      "In a browser a card moves by pointer, keys and menu; refusal, force, claim, release, undo, filters and two browsers at once work on the page, without a message in the console.",
    "pages:home":
      "The first page says what to do now, with a title and a sentence for a client, then progress, documents and memories; without a project it leads to the library and to Connect.",
    "pages:story":
      "Each story has a page, also a planned one: state, tasks, criteria by clauses, what speaks against done, findings, history, trace, documents, its neighbours and a sentence for a client; an epic has one with its stories.",
    "pages:navigation":
      "Five links lead to every page, and the one that a page belongs to is highlighted; what is served, its sources and settings are in the library.",
    "pages:copy":
      "A button copies a sentence where scripts run, and says so; without a script it is not shown.",
    "pages:documents":
      "The project's documents are listed with their status and shown as pages; no other file can be opened so, and secrets are hidden.",
    "pages:people":
      "Agents are shown as people, with what is overridden or customized, and the first sentence to say to them.",
    "pages:memory": "What agents remember has a page, and the latest of it is on the first one, as text.",
    "pages:issues":
      "The first page, the pages of issues and conflicts and `doctor` count issues, and items in several sources, by one rule each, and nothing is called right that was not looked at.",
    "search:project":
      "A search finds stories, documents and memories of the project, then agents, workflows and files, on every surface by one function; every word counts, secrets are not found, and words are compared as words.",
    "pages:accessible":
      "axe-core finds nothing serious on any page, on a phone and a wide screen, light and dark.",
    "app:offered":
      "The board is an MCP App, linked from `bmad_work`, for clients that can show one; all others get the same tools and texts as without it.",
    "app:board":
      "The app shows the board, its titles as text, and follows changes, with the extension's own host bridge.",
    "pages:missing": "A browser gets a page for every path, also for one that does not exist.",
    "transport:http-page":
      "The pages at `/` show origins, kinds, conflicts, diagnostics, files and each thing's chain of origins; each is whole without a script and asks nothing elsewhere.",
    "transport:http-rights":
      "A server over HTTP holds no right to use the network, and lets nobody write when other machines can connect, unless told to.",
  },
  // Command line
  "11": {
    "cli:no-arguments-terminal":
      "On a terminal and without arguments the program says on stderr what it found and how to connect a client.",
    "cli:browse":
      "`list KIND`, `show NAME`, `search QUERY` and `execute NAME -m TEXT` print what the tool answers, for people or as JSON.",
    "authors:validate":
      "`validate PATH` finds planted faults of every generation, each with file and line, and none in a whole module.",
    "authors:validate-bounded":
      "`validate` ends with the thousandth fault, looks at the first 1,000 references of a text, and reads no text once for each of its faults.",
    "authors:validate-exit":
      "`validate` ends with 1 if it finds a fault that is not known upstream, with 0 otherwise, also as JSON.",
    "authors:validate-path":
      "`validate` takes a repository, a module, a BMAD root, a project, one skill or one file, and reports nothing else.",
    "authors:export-closure":
      "An export of an agent or workflow holds every file that its texts name, and those of the items that it starts.",
    "authors:export-resolved":
      "An export has configuration and customization resolved, no secret, no path of this machine, and names what it left out.",
    "authors:export-writes":
      "`export` writes one file or folder whole, replaces nothing without `--force`, and then only a file or an earlier export.",
    "authors:export-names":
      "Every name in an export is safe on every system, by itself and beside the others; a file with another name is left out, and the report says so.",
    "authors:new":
      "What `new` creates is in the project's own generation and root, served at once, without faults, and over nothing.",
    "authors:upstream":
      "`validate` finds no fault in BMAD's own npm packages and installations except those that it lists as known.",
    "cli:doctor":
      "`doctor` prints every diagnostic with what to do about it, and says by its exit code whether all is well.",
    "doctor:broken-workflow":
      "A workflow whose `workflow.yaml` cannot be parsed is still served, and `doctor` names the file.",
    "doctor:two-generations":
      "Installations of several generations in one project are a notice, not a problem.",
    "doctor:broken-manifest":
      "A manifest that is missing or broken costs no agent and no workflow that is on disk: `doctor` names it, with the command that has BMAD's installer write it again.",
    "cli:install":
      "`install CLIENT` writes our entry into the client's configuration file, `uninstall` removes it, and both keep everything else in it.",
    "cli:install-scopes":
      "`install` and `uninstall` change the user's files, with `--project` the project's and with `--user` the user's all the same; `--dry-run` only shows what would change; the first change leaves a backup.",
    "cli:install-shared":
      "An entry in a project's file names no path of one machine where the program is on the PATH or an npm package.",
    "cli:install-preview":
      "`--dry-run` says that nothing was changed; it and `--json` show no secret of other entries.",
    "cli:install-owner":
      "`install` and `uninstall` keep the owner, group and mode of a file, and what root creates belongs to the owner of the folder it is in.",
    "cli:install-http":
      "`install --http` names a server of this machine, or a team's by its https URL, in the client's file, with the token, which no other user can read there; a project's file names a variable instead.",
    "cli:install-found": "`install` finds clients by their files, and by their programs on PATH.",
    "cli:install-says":
      "`install` ends with a sentence to say to an agent that is served; without a client, `--print` prints the entry to paste.",
    "cli:install-list":
      "`install --list` shows every client, whether it is installed, its file and its entries, and changes nothing.",
    "cli:install-replace":
      "`install` names other BMAD servers in a client's file, `--replace` removes them, and `uninstall` brings them back; it removes only folders that `install` created.",
    "cli:install-immune":
      "An entry starts an absolute program, and nothing in the folder that a client starts it in can run in its place.",
    "cli:upgrade": "`upgrade` prints the exact command for the way in which the program was installed.",
    "cli:cache": "`cache list`, `cache update` and `cache clear` manage the copies of git origins.",
    "cli:memory": "`memory remember`, `recall`, `import`, `export` and `status` work on project memory.",
    "cli:config": "`config` prints every setting, its value and where the value came from.",
    "docs:readme":
      "The README fits a screen: what it is for, a picture of a real board, the start and ten everyday tasks.",
    "docs:readme-commands": "Every command of the README and the guide runs as it is written.",
    "cli:doctor-short":
      "Of many problems or facts alike, `doctor` prints the first five and says how many more.",
    "cli:config-set":
      "`config set` and `unset` change one key of the user's settings file, checked first; comments and other lines stay.",
    "cli:show-files":
      "`show` and read name each file of an item, what it is for, the supporting files elsewhere that its text names, and the files that customize it, with their source if it is another one.",
    "cli:show-overrides":
      "`show` tells what is in force, marks what a team or a user has changed, and says what it was.",
    "cli:config-precedence":
      "A flag beats a variable, a variable beats the settings file, and the file beats the default.",
    "cli:completions": "`completions SHELL` prints a completion script.",
    "cli:help-and-version":
      "`version` prints the program's version and `--help` prints help for the program and for each command.",
    "cli:help-options":
      "Help says what an option does in this command or action, and an option of another action is refused.",
    "cli:json": "`--json` makes every command print one JSON document.",
    "cli:plain-when-piped": "Colours and progress bars appear only on a terminal and obey NO_COLOR.",
    "cli:stdout-results": "Stdout carries results alone; everything else goes to stderr.",
    "cli:exit-codes":
      "The exit code is 0, or 1 for not found or ambiguous, 2 for wrong input or settings, 3 for unavailable or not allowed, 70 for a bug.",
    "cli:old-lines": "Old configuration lines keep working: `git+` arguments, `BMAD_ROOT`, `--mode=`.",
    "log:file":
      "`--log-file` keeps the log in a file too, which is put aside when it is full; only the log's own files can be written.",
    "log:requests":
      "At debug the log has one line for each request: method, name, duration, outcome and bytes, never a text of a user or a file.",
    "log:json":
      "`--log-format json` makes every line of the log a JSON object with time, level, process and message, and of a request its name, duration, outcome, status and bytes.",
    "log:no-secrets": "No token or key is in the log, whether the settings have it or a client sent it.",
    "cli:unknown-arguments": "An unknown argument to serve is a warning on stderr and no reason to stop.",
    "cli:json-errors": "With `--json`, a failure is one JSON object, alone on stderr.",
    "cli:quiet": "`--quiet` prints results and errors alone, and `--no-color` no colours.",
    "cli:forgotten-value":
      "Where a flag follows instead of a value, the value is said to be missing; `--flag=VALUE` takes anything.",
    "cli:unknown-refused":
      "An unknown command or flag is refused with a suggestion and exit code 2; a mistyped command never serves.",
    "cli:habits":
      "Words and flags of other programs do what is meant or are answered in one line; no server starts unasked.",
    "cli:screen":
      "From 40 columns on, no line is wider than the terminal, and what is found is wrapped, never cut off.",
    "cli:state-colours": "On a terminal, each state of a story has a colour of its own.",
    "cli:interrupted": "Ctrl-C on a terminal ends a command, a question or a server with exit code 130.",
  },
  // Git origins, and sources that people add
  "12": {
    "add:settings-text":
      "`add` and `remove` change one element of one list in a settings file; every other byte stays.",
    "add:pasted":
      "`add` understands folders, repositories and packages as people paste them, and refuses addresses with a login or without encryption.",
    "add:pinned":
      "What `add` adds is pinned in a lock file beside the settings file, and exactly that is served from the cache, whatever happens at the source.",
    "add:one-version":
      "Of one package, or one folder of a repository, a list has one version: `add` with another one replaces it, and says so.",
    "add:no-rights":
      "A pinned source gives the server no right to write, to run a program or to use the network.",
    "add:archives":
      "The archive of a package unpacks to plain files in a folder of its own within the limits, or is refused as a whole.",
    "add:packages":
      "A package is fetched by npm without running scripts, in an empty folder, and its archive must have the pinned hash.",
    "add:project":
      "With `--project`, `add` writes to the project's settings and trusts the project; without trust they do not count.",
    "add:nothing-written": "A source that cannot be fetched, or has no content, changes no file.",
    "add:update":
      "`update` says which items change, with `--diff` in every line, and which customizations no longer apply, before it switches; `--dry-run` switches nothing.",
    "add:rollback": "`update --rollback` serves what was pinned before the last update, from the cache.",
    "add:killed":
      "`add`, `update` and `remove` that are killed at any moment leave the former state or the new one, and hinder no later command.",
    "add:lists":
      "`add` takes entries of a marketplace.json and of a skills-lock.json as the folder, repository or package that they name, and nothing outside the list's own folder.",
    "add:entries":
      "`update` follows an entry of a list in a repository or package to the source that it names now, `--rollback` goes back, and an entry that is gone changes nothing.",
    "add:hostile":
      "A hostile project or repository makes `add` neither read nor write through a link, nor wait for a pipe; what trust puts into force is said.",
    "add:live":
      "A running server serves what `add`, `remove`, `update` and `--rollback` changed, without a restart and without further rights, and notifies its clients.",
    "add:modules":
      "`modules` lists BMAD's official modules with their sources, their state and what is served here; `add CODE` takes one from there, at the newest release, and `update` follows its releases.",
    "add:hollow":
      "A package that describes a module and lacks its texts is not added, and the answer says why and where the texts are.",
    "preview:exact":
      "`preview` names exactly what differs between real installations: names, files, scripts and keys of the configuration, and the customizations that lose their effect.",
    "preview:nothing-written": "`preview` writes nothing but the cache, and takes what `add` takes.",
    "add:remove":
      "`remove` takes a source away by any spelling or its short name, and names the candidates if several fit.",
    "git:pasted": "An address that people copy is answered with the `git+` form, without its login.",
    "git:url-grammar":
      "A git URL is host, path, `#ref` and `:/subpath` by a strict grammar; anything else is refused with the reason.",
    "git:argument-list":
      "Git is run with an argument list, never through a shell, and a URL cannot become an option.",
    "git:no-surprises": "Git runs without prompts, hooks, submodules and foreign protocols.",
    "git:atomic-clone":
      "A clone is shallow, made in a temporary folder and renamed into the cache when complete.",
    "git:cache-record": "A cached clone has a record of URL, ref, subpath, commit and time.",
    "git:cache-ttl":
      "A cached clone is used for 24 hours; an older one is served while a refresh runs in the background.",
    "git:lock": "Two processes do not clone over each other, and no lock outlives its process.",
    "git:offline": "`--offline` uses the cache alone.",
    "git:failure-reported":
      "A remote that fails or does not answer in time is retried after 1, 5 and 25 minutes, then once in 24 hours, and reported; the other origins serve.",
    "git:never-delays": "No remote delays the answer to `initialize`.",
    "git:credentials":
      "Credentials in an address are used, and never shown, logged, listed, stored or put into git's arguments.",
    "git:rights":
      "Git may be run, and its cache written, only where a repository is to be fetched; nothing else is written.",
    "git:limits": "Fetching that takes too long, or brings too much, is ended and leaves nothing behind.",
    "git:bombs":
      "A repository that unpacks to too many files, too much disk space or too long paths is refused before a file is written; git has a limit of memory.",
    "git:processes": "Whichever process is killed, no git and no helper of it is left running.",
    "git:any-ref": "A branch, a tag and a commit can be named; a branch that was rewritten is followed.",
    "git:killed": "Whenever a process is killed while it fetches, the next start serves whole copies.",
    "git:no-git": "Without git on the machine everything else works, and a diagnostic says what is missing.",
  },
  // Project memory and runs
  "13": {
    "memory:kit-formats":
      "Memory files, collections, ids and payloads are those of the project-memory kit, so that both tools share one memory.",
    "memory:recall": "What was remembered is recalled by meaning and by words, filtered by type and agent.",
    "memory:french": "A French question finds English memories, and an English one French memories.",
    "memory:offline": "Memories are found by meaning without any network and without anything to install.",
    "memory:endpoint":
      "A server with the embeddings API of OpenAI can be used in place of the embedder that is built in.",
    "memory:server-limits":
      "Servers of memories and embeddings are asked at their own address only: redirects are not followed, and replies, pages and times are limited.",
    "memory:worker": "The server answers other calls while long texts are embedded.",
    "memory:lazy": "Nothing of memory is loaded before the first request for it.",
    "memory:project-context": "get_project_context gives the project's context, whole or one section.",
    "memory:floor":
      "A question that no memory answers is told so; scores mean the same for any number of memories.",
    "memory:one":
      "Memories and the kit's files are one memory: what a tool was told or a file says is found by the others.",
    "memory:context-agents":
      "get_project_context lists the agents of the project's BMAD in every generation, with what the project's own files say about them.",
    "memory:no-learnings":
      "An agent that has learned nothing yet is answered with an empty list that says so; only an agent that nobody knows is refused.",
    "memory:personas":
      "A persona of the library, or of the project's own list of agents, means its agent in memory and runs; an agent that took over another's work is not the same.",
    "memory:nothing-dropped":
      "Every fact in the kit's files comes out of a tool, whatever the form it is written in.",
    "memory:agent-memory":
      "get_agent_memory gives the learnings of an agent, the latest or those that match.",
    "memory:failure-museum":
      "get_failure_museum gives real entries by category, not the examples in comments and code fences.",
    "memory:durable":
      "What was acknowledged as remembered survives a killed program and a full disk, which is told in words.",
    "memory:backup":
      "`memory backup` writes all memories, wherever they are stored, and the files of the memory folder to one file; `memory restore` puts them back, checks everything first, replaces nothing without `--force` and deletes nothing.",
    "memory:read-only":
      "Where the project cannot be written, memories are in the user's state folder; none is lost when that changes.",
    "memory:shared-file": "Several programs can use the memory of one project at once.",
    "memory:private":
      "Memories stay in the project or the user's own folder unless the user names a server; a project's file cannot.",
    "memory:hostile":
      "Names, types and texts that are no such things are refused, and nothing outside is touched.",
    "memory:hostile-file":
      "A memory file that came with a repository is used only if it is a plain file with exactly our tables; anything else is refused within seconds, with its reason, and ends nothing.",
    "memory:codebase":
      "search_codebase ranks the project's files for a question, with snippets, paths and lines, and needs no index.",
    "memory:codebase-meaning":
      "A question finds the symbol that answers it in other words; files that have the words come first.",
    "memory:codebase-scripts": "Words of any script are found in files.",
    "memory:codebase-secrets":
      "search_codebase and the served content leave out files that hold secrets by their name, also behind links, and secrets in other files are hidden before they can match.",
    "memory:codebase-fresh":
      "A later search_codebase finds what a first one would: files that were edited, added, removed, renamed or ignored since are seen.",
    "memory:resources": "The memories of each type can be read as the resource bmad://memory/{type}.",
    "memory:qdrant": "With a Qdrant server configured, memory is kept there.",
    "runs:state-files": "Runs and sessions are read from `_bmad-output/.runs/{branch}/{run_id}/state.json`.",
    "runs:contract":
      "The completion contract is run in a closed environment, with a time limit, and told as PASS, FAIL, NONE or ERROR; nothing that it started is left.",
    "runs:contract-output":
      "Of the contract's output the first 64 KB and the last 192 KB are kept; however much it prints, it costs no more memory.",
    "runs:delivery": "A delivery contract is a new file in the kit's form; none is overwritten.",
    "runs:delegation-agrees":
      "delegate_to_agent and execute mean the same agent by the same name, with the same text, origin and refusal.",
    "runs:delegation":
      "delegate_to_agent has the client's model do a task as any agent, or hands the whole persona back where the client cannot.",
    "runs:written": "update_run starts, notes, finishes and resumes a run in the kit's state.json.",
    "runs:directory":
      "Runs are kept in the folder that `runs_directory` names, if it lies inside the project and is not a program's.",
    "runs:answered":
      "answer_subagent_task claims a task once, answers or fails it once, and a claim expires.",
    "runs:inside-project":
      "Nothing outside the project is read, written or run, whatever names a client sends.",
    "runs:queue": "A spawned task is one file in the run's queue folder, written atomically.",
  },
  // Errors
  "14": {
    "errors:not-found-near-names":
      "A tool that finds nothing answers as an error with near names and the call to try.",
    "errors:ambiguous-candidates":
      "A tool that cannot decide answers as an error with the candidates and the call for each.",
    "errors:invalid-input-field":
      "A tool given a wrong argument answers as an error that names the field and what was wanted.",
    "errors:all-at-once": "Everything that is wrong with the settings is reported in one go, with its lines.",
    "errors:invalid-config-refused":
      "A wrong setting keeps the program from starting; the message names the setting, where it came from and what was wanted.",
    "errors:unavailable-says-rest":
      "When an origin or the memory cannot be reached, the error says so and what still works.",
    "errors:outside-root":
      "A request for something outside the served folders is answered as an error and shows no content.",
    "errors:bug-log-id":
      "A bug is answered as an internal error with the id of a log entry; the stack goes to the log alone.",
    "errors:resource-not-found":
      "A resource or prompt that is missing or ambiguous is answered with invalid params and suggestions in the data.",
    "errors:invalid-uri":
      "A URI that is not well-formed, or of another scheme, is called invalid everywhere, in one sentence with a right one; a well-formed one without a resource is not found.",
    "errors:resource-others":
      "A resource or prompt asked for with wrong arguments is answered with invalid params; one that cannot be reached, with an internal error that has the message.",
    "errors:prose": "A message says what failed, what was wanted and what to try.",
    "errors:unserved-named":
      "`doctor` names every file in a BMAD folder that nothing serves, with the reason.",
    "errors:near-items":
      "`doctor` names every file among somebody's own agents, workflows, tasks, tools, teams and skills that is none of them, with the reason.",
    "errors:broken-served":
      "A file that cannot be parsed is served as it is, with a note that says what is broken, and `doctor` exits with 1.",
    "errors:empty-served":
      "An item whose file is empty, or has only front matter, is served with a note that says so.",
    "errors:diagnostics-go-on":
      "A bad file or an unreachable origin among several stops nothing: it becomes a diagnostic.",
  },
  // Rights
  "15": {
    "rights:dropped-first":
      "Rights are given up before any content is read and before any third-party module is loaded.",
    "rights:only-roots":
      "After the start the process can read the configured folders and its own content, and no other file.",
    "rights:self-test": "A drop of rights that did not take stops the program.",
    "rights:no-net-no-run":
      "A stdio start without remote origins holds no right to use the network or to run programs.",
    "rights:too-wide":
      "The home folder, a folder above it and a whole disk never become the project by accident, whatever links name them.",
    "rights:trust-command":
      "`config trust DIR` and `config untrust DIR` change only the list of trusted folders in the user's settings file.",
    "rights:named-servers":
      "The network right is dropped unless the user names a server, and then requests reach the named servers only.",
    "rights:own-folder":
      "The folder of the program itself, such as a checkout, is a project only if it is named; `export` then needs `--out`.",
    "rights:init-cwd": "`INIT_CWD` says where the program was called only in a task of its own checkout.",
    "rights:secrets-hidden":
      "A URL where a folder is expected is refused without being quoted, and no log, list, message or report shows the login in a URL.",
    "rights:traversal-refused": "A path that leads above its root is refused.",
    "rights:symlink-refused": "A link that leads out of its root is not followed, not listed, and reported.",
    "rights:as-planned":
      "Rights are planned for real names, none of what lies in a project leads out of it, and a start ends unless the runtime holds exactly those.",
    "rights:symlink-inside": "A link that stays inside its root works.",
    "rights:writes-nothing": "Serving writes nothing into the project or the user's home.",
    "rights:project-file-inside":
      "A project's own settings file cannot choose project, roots or sandbox, and names only folders inside the project unless the user trusts it.",
    "rights:project-faults-ignored":
      "A mistake in the settings file of a project that is not trusted never stops a start: it is ignored, and `doctor`, `config` and the log name file, line and fix. The user's own file stays strict.",
    "rights:only-narrow":
      "A project's settings file only narrows what the user's settings say; what would widen them is ignored and reported, unless the user trusts exactly that folder.",
    "text:hidden":
      "A character that nobody sees (a control, a tag, zero width, a turn of direction, a misused selector) reaches a terminal, a page or a model as a visible mark; ordinary scripts, emoji and the joiners that languages need stay, and a resource is read as the file it is.",
    "calls:printed":
      "Every call of a tool and every script line that an activation, a text, a list, `next`, a refusal or `bmad://scripts` prints runs as it is printed, once what it names as open is filled in; in an empty project it may lack only files that the text has its reader write first.",
    "commands:safe":
      "A command that an answer prints is made of our own words and of checked ones, each quoted so that sh, bash, zsh, fish, PowerShell and cmd read it as that word and run nothing else; where a name does not allow that, the answer says so and prints no command.",
    "rights:file-size": "A file larger than 8 MiB is not served, and the answer says so.",
  },
  // The binary
  "16": {
    "binary:rights":
      "A binary starts with the rights that the program has from source, and each of them is needed for something.",
    "binary:contents":
      "A binary holds the program, the embedded content, the licences and the stamp of its build, and nothing else.",
    "binary:reproducible": "Two builds of one commit are the same, wherever and whenever they are made.",
    "binary:licences":
      "The program prints the licences of itself, of its content, of its runtime and of every package in it.",
    "binary:large-pages": "A binary for Linux on arm64 can be loaded where pages have 16 or 64 KB.",
    "binary:tmpdir":
      "The program works, and a binary starts, whatever folder TMPDIR names, and if it names none.",
    "binary:stripped": "The runtime in a binary for Linux has no symbols, and still runs.",
    "binary:stamp": "The program says its version, its commit, its runtime and its platform.",
    "binary:runtime-missing":
      "A build for which there is no runtime says in one sentence what is missing and what to do.",
    "binary:smoke":
      "One script tells of any program whether it serves both eras, stays inside its folders and ends with its input.",
  },
  // Getting the program
  "17": {
    "packaging:archives":
      "A release has an archive and a bundle for each of six platforms, with the program, README, licence, notice and the licences of all that is inside; the same files give the same bytes.",
    "packaging:npm":
      "The npm package depends on Deno alone, at the tested version, starts on Node 20 with the rights of the binary in an empty home, and is the same bytes wherever it is built.",
    "packaging:manifests":
      "Formula, manifests and registry entry of a release name its files by address and checksum, and follow the rules of their registries.",
    "packaging:install-script":
      "The install script puts a program in place only after its checksum was right and it has started, and changes nothing else.",
    "packaging:container":
      "The container image has glibc and git, runs as its own user on a read-only disk, wants a token and reports its health.",
    "packaging:sbom": "A release has a bill of materials with every package, the content and the runtime.",
    "packaging:verified":
      "Install scripts download over https alone, check the checksum always and the attestation where gh or cosign is installed, and say which; the release takes its tools by hash, and the runtime of its binaries by its published checksum.",
    "packaging:plugins":
      "Plugins for Claude Code, Codex and Gemini CLI start the installed program, and these clients accept them.",
    "packaging:rehearsed":
      "Every command in the README and in docs/releasing.md that can run without GitHub is run, and following the latter with an invented account passes its gates.",
    "packaging:readiness":
      "A tag is released only if it names the program's version, the change log tells of that version and the pages on GitHub name their owner.",
    "packaging:workflow":
      "The workflows pin what they use, ask for no more rights than they need, and pass the usual linters.",
  },
  // Work
  "18": {
    "work:brain-page":
      "The page of techniques has every technique of the catalogue with its icon, needs no network, and runs nothing but its own script, whatever the catalogue says.",
    "work:git-commits-only":
      "git_evidence reads commits and nothing else: no program that the repository's configuration or attributes name is started, nothing is written or fetched, and no repository above the project or behind a link out of it is seen, nor one made of the project's files.",
    "work:git-right":
      "Git may run for a script or a check only if the user calls it on the command line or sets `--allow-git`, and never with `--read-only`.",
    "work:same-answers":
      "A native script prints what BMAD's own prints for the same files and arguments, leaves the same files and ends with the same status; only what it says about broken input is in our words.",
    "work:older-rules":
      "In an installation of 6.5 to 6.11, a script answers by the rules of its own version where these differ from 6.12.",
    "work:help":
      "`--help` of a native script prints its usage, commands and options with their purpose, where BMAD's own has help.",
    "work:script-list":
      "`bmad://scripts` lists every call of every native script that is of use with the served content, whether it writes, and which scripts are not native.",
    "work:command-line":
      "A script's command line is read as a skill spells it, with names of the configuration and of the skill's customization filled in, and never given to a shell: a second command, a pipe, a variable, options of other programs, paths out of the project, control characters and texts over 100,000 characters are refused, and nothing is written.",
    "work:hostile-arguments":
      "Whatever the arguments of a native script are, it opens and writes nothing outside the project, writes inside it only documents of its folders, and changes nothing if it fails.",
    "work:script-limits":
      "A native script reads at most 2 MB of a document and 100,000 cells of a catalogue and prints at most 4 MB; above that it says so, prints nothing and ends with an error.",
    "work:folders":
      "Work is written only below the output folder and the artefact folders of the project's configuration, inside the project with links resolved, settled before the rights are dropped; a read-only start writes nothing.",
    "work:default":
      "`bmad_work` is on by default where the project is certain (named, a client's root, under version control or with BMAD in it).",
    "work:activation":
      "Where scripts can be run, an activation names the native call for each script of its text, with the text's own arguments; elsewhere it says what to do by hand.",
    "work:script":
      "A native script called over MCP answers with its stdout alone, or with an error, its stderr and its exit status; on the command line its output and exit status are the script's.",
    "work:script-output":
      "What steers a terminal or turns the order of writing in a script's output is shown as a picture of itself on a terminal and over MCP; a pipe gets the bytes of BMAD's own script.",
    "work:board":
      "The board has every story of every ledger with its state, title, file, owner, dependencies, requirement ids, criteria and boxes.",
    "work:ids":
      "Board, check, trace and context read requirement ids by one grammar: every spelling, range and list of people means the same ids; words, versions, dates, keys of stories, code and addresses mean none.",
    "work:show":
      "A story is found by its reference, key, file or title; a name that fits several or none is answered with them or with suggestions.",
    "work:flat-scripts":
      "Scripts after 6.12 that look something up are native: the configuration in three layers, help documents, rosters; modules and members agree with upstream's own scripts where a checkout is at hand. `memlog.py` only appends where the installed one does.",
    "work:setup-command":
      "`setup.py` is not native: a call is answered with its file and the command that runs it.",
    "work:tickets":
      "`tickets.py` is native: next, status, find, pull and mark over a ticket tree, with the original's fields and exit status.",
    "work:tickets-agree":
      "Board, check, mark and `tickets.py` have one reader of ticket trees: the same ids, statuses, titles, order and names of plans. Plans without a ticket and begun tickets without a plan are told, and what `tickets.py` refuses is a problem on the board in the same words.",
    "work:next":
      "`next` hands out the step that `list next` recommends, with its story, files, criteria and the exact call, in every generation.",
    "work:forms":
      "Each form of a story has one table: its words, which states of ledger and file go together and what that means, which steps back are part of the work, and what has to be there before it is done. Board, check, next, mark and reconcile follow it.",
    "work:agree":
      "Board, check, next, mark, reconcile and the scripts say the same of every story, in every form, and as BMAD's own scripts do.",
    "work:check":
      "A check finds what contradicts a story's claim, with the story, the file, the line and the fix: open boxes, missing or unmet criteria, open reviews, boxes ticked too early, words that contradict each other, files that were not changed or not listed, missing or removed tests, an empty diff, requirements that nobody covers.",
    "work:check-honest":
      "A check finds nothing in an honest project, whatever its ledger, its style and its language.",
    "work:honest":
      "In an honest project of any form, a story in review can be marked as done, and nothing is found afterwards.",
    "work:lies":
      "A story that shows no finished work is refused as done in every form, with all that the check found, and not a byte changes.",
    "work:review":
      "`review` hands a reviewer the diff, the criteria, what is settled and open, and says when to stop.",
    "work:finding":
      "`finding` records one in the story's own file and settles it, recognises a known one, and open ones block `done`.",
    "work:finding-same":
      "A finding that is raised again in other words, on other lines or after a rename is recognised, and none that is new.",
    "work:findings":
      "A finding of a review is read in the words of every release, and written and settled in those of its story's form.",
    "work:check-unchecked":
      "A check names what it could not look at, and why: commits that it may not read, a baseline that is not among them.",
    "work:check-limits":
      "A check reads hostile files in bounded time, and quotes neither secrets nor control characters.",
    "work:check-exit": "`bmad-mcp check` ends with 1 if something was found, and with 0 otherwise.",
    "work:next-claims":
      "`next` leaves what others hold to them, hands out what can begin, and names the calls that change the story's status.",
    "work:next-order":
      "Stories come in the order of BMAD's own script: in progress, in review, ready, backlog, and only then a retrospective.",
    "work:context":
      "A context pack has the sections of PRD, architecture, UX, decisions and earlier stories that a story needs, within its budget of tokens, each with its path, lines and headings, and names what was left out.",
    "work:context-general":
      "A context pack has the non-functional requirements, constraints and conventions of the project, however their ids are spelled.",
    "work:context-size":
      "A context pack names each document once, each section that was left out once, and is never larger than the documents.",
    "work:context-limits": "A context pack is made from hostile documents in bounded time.",
    "work:unknown-status": "A status that nobody knows is kept and shown, and never ends the advice.",
    "work:drift": "Where ledger, story file and plan disagree, the board says so with file and line.",
    "work:git-drift":
      "On the command line, and for a model with `--allow-git`, the board says where commits and ledger disagree: work committed for a story that nobody has begun, a story that is done without a commit or with files that are not committed.",
    "work:board-notices":
      "Whoever watches the board is told each change of it within a second or two: subscribers of `bmad://board` in both protocol eras, `board --watch` on a terminal, in a pipe and as JSON, and the page /board; without a listener nothing is watched.",
    "work:malformed": "A malformed ledger or story is a problem with its line; the rest is shown.",
    "work:hostile": "Hostile names and texts in ledgers are shown safely and read in bounded time.",
    "work:turns":
      "Other requests are answered while a long board is read, work is checked, a context pack is gathered or content is diagnosed.",
    "work:sprint-scripts":
      "`sprint_plan.py` and `sprint_status.py` answer with BMAD's own JSON and exit status, also for wrong arguments, and leave the same values in the ledger.",
    "work:one-writer":
      "However many processes change one ledger, and however they end, no acknowledged change is lost and no half of a file is seen.",
    "work:grouped-problems":
      "Problems that differ only in the story or the file they are about are one line with the keys on the board, its page, in `check` and `doctor`; JSON lists each of them.",
    "work:refused-write":
      "When the system refuses to write into the project (a read-only mount, a full disk, missing permissions, a lock that cannot be made), every writer names the path, the reason and the fix, over MCP and on the command line.",
    "work:mark":
      "A mark moves a story on, its epic follows, `last_updated` is kept current, and nothing goes back unless it is forced.",
    "work:mark-everywhere":
      "A mark works in every ledger: the line with the status changes, a sprint's story file and epic follow, a missing record or plan is made, and a repeated mark does what is left.",
    "work:forced":
      "What a check finds refuses `done` with the list; a status that is forced against a rule is recorded with the reasons and shown by the board.",
    "work:claim":
      "A claimed story has one owner for two hours, or as long as the setting says: nobody else claims, releases or marks it unless forced, and the board says who holds what; a claim without a story takes the next one that nobody holds.",
    "team:worktrees":
      "All worktrees of a clone see the same claims, whose owner is a name and a worktree; they lie in the repository's common directory, which is found by reading git's files and must know the worktree.",
    "work:evidence":
      "`evidence` notes a command and how it ended before and after the change, in one row of the story's own file, where BMAD's template for its form has a place; a second call changes that row, and no other byte.",
    "work:evidence-run":
      "With `--allow-exec` and without a told result, `evidence` runs the command within the limits of the completion contract: a plain call of a test runner, whose scripts and tasks the project's files define and which downloads nothing, or a command that the story's documents spell in a section with commands, outside reviews, noted results and whatever a native script may have written; anything else is refused with the way on, a command that cannot be started is no result, and nothing runs without the setting or in a read-only start.",
    "work:evidence-check":
      "Where commands may be run, `check` asks a story in review, or about to be done, that changed code for a command that passed after the change; one that failed is found in any case; spikes, chores, refactorings, documentation and stories that are done already are not asked.",
    "trace:graph":
      "`trace` leads from a requirement, in any spelling, to epics, stories, criteria, tests and commits and back, as text, JSON, Mermaid, page and resource, and names what is not covered, not tested or for nothing.",
    "work:stale-shown":
      "Where commits may be read, the board, a story, its changes and the next step say which requirements of a story have changed since it began.",
    "work:ask":
      "`ask` notes a question for people under a number that is never used again, in the worktrees of a machine, too; asked again, it keeps its number and its answer; `answer` takes words, or a choice by its letter.",
    "work:questions-list":
      "`open-questions.md` is read as people write it, with equal numbers after a merge, and changed line by line: what they added stays, byte for byte.",
    "work:parked":
      "A story with an open question is not handed out or claimed and cannot be done; once answered, `next` hands it out with the answer.",
    "work:questions-shown":
      "The board, `next`, `bmad://questions` and the page /questions list open questions, also those about no story.",
    "work:questions-answered":
      "On the page /questions a person answers with a choice or in words, under a name that is asked for once; a refusal is shown in its words.",
    "work:ask-form":
      "A client that can show a form shows the question at once, in both protocol eras; if its user does not answer, the question stays open.",
    "work:answer-remembered":
      "An answer is remembered as a decision where project memory is on, and stands where it is not.",
    "work:findings-shown": "The board, a story and the next step say how many findings of reviews are open.",
    "work:context-findings":
      "A context pack has what reviews of neighbouring stories have found and decided, in few lines and without secrets.",
    "trace:stale":
      "With `--stale`, a story whose requirement has other words than when the story began is listed.",
    "work:script-targets":
      "A script writes a new file or replaces what such a script has written; no document, story or record is replaced, whatever path its caller names.",
    "team:machines":
      "With `--claims remote` and `--allow-git`, all clones see who holds a story, by refs of a remote that only one of several can take; a claim ends by its time or unchanged for as long as it was made for; where the remote is away or refuses, the claim stands here, and the answer says so.",
    "team:tokens":
      "`token add` gives somebody a token of 256 random bits with a name, a role, projects and an end, of which only the hash is kept; servers that run notice what is added and revoked at once.",
    "team:oidc":
      "A token of the company's issuer counts if its signature, issuer, audience and times are right; its groups give a role; changed keys, clocks a minute apart and an outage of the issuer are dealt with.",
    "team:access":
      "Whom an issuer or a proxy signs in may use the projects that rules give to their groups; a rule about an unknown project is refused at the start.",
    "team:proxy": "Identity headers count from configured addresses alone.",
    "team:restarts":
      "A server that is restarted, or another one on the same state folder, goes on with the sessions of 2025 clients, for the person who began each; 2026 clients need nothing of the kind.",
    "team:record":
      "Every change through a server over HTTP is in its record, with name, address and request, which an owner can read and nobody can change there.",
    "team:matrix":
      "Every tool, operation, page, endpoint and action of the board is in one table with the right that it takes, and is answered or refused by it, for every role, in the projects that somebody may use and in no other.",
    "team:names":
      "What somebody does carries the name that the server knows, whatever the request says; nobody takes another's.",
    "team:limits": "Each name may send so many requests per minute, from wherever they come.",
    "team:projects":
      "One server has 50 projects open within 400 MB, and closes those that nobody has used for a while.",
    "team:reachable":
      "A server that others reach writes only for people whom it knows by name; whoever shows the token that all share reads.",
    "team:discovery":
      "A client that is refused finds the company's issuer by the metadata of the protected resource.",
    "team:boards":
      "A server of several projects shows one board over all of them at `/board?all`, kept current, and every story or epic in full, with its history and how long each state took.",
    "team:waves":
      "`next` with a count gives up to that many stories that can go on at the same time: dependencies met, held by nobody, and naming no file that another one changes; each has its claim, its call and the command for a worktree.",
    "team:journal":
      "Where a project keeps a journal, every mark, claim, release and force is one line in it, of which everybody sees who did what, what was forced and how long each state took.",
    "team:who":
      "Without a name, the owner is the git user, then the account's name, the same for every operation.",
    "work:lived":
      "In every form, a client that uses only `next`, `execute`, `mark` and what their answers and refusals print takes five stories from backlog to done, whenever the server is killed.",
    "work:plan":
      "`plan` leaves the ledger that `sprint_plan.py generate` leaves, except that rows without a plan and unknown statuses stay unless forced.",
    "work:reconcile":
      "`reconcile` has the ledger, its story files and its epics follow whichever is further, adds what the plan has gained, says each change and takes nothing back.",
    "work:ledger-bytes":
      "A change of a ledger changes the lines of what it means to change; every other byte stays, and what cannot be changed so is refused.",
    "team:merge":
      "Where two sides changed a ledger without contradicting each other, git merges it by itself: the status that is further on its way counts, and everything that was added stays once.",
    "team:merge-conflict":
      "Where two sides contradict each other in a ledger, both stay between git's marks, around their lines alone.",
    "team:merge-fuzz":
      "Merging edits by writers who keep to the rules loses no status, item, entry or comment, and gives the same bytes whichever side is ours.",
    "team:merge-speed":
      "A ledger of a megabyte and 20,000 lines is merged in bounded time, whatever it says.",
    "team:merge-driver":
      "`merge-driver` follows git's protocol, may open its three files alone, and keeps both sides where it is in doubt.",
    "team:setup":
      "`team init` writes git's attributes and configuration once, `team status` says what is set up, and `team remove` gives back every byte.",
    "team:setup-refused":
      "`team` refuses a folder without git, links that lead elsewhere, drivers of others, a lock that is taken, and changes with `--read-only`.",
    "hooks:tokens":
      "`prime` says what is served, in hand or next, and waits, in at most 400 tokens, and little where no project is.",
    "hooks:install":
      "`install --hooks` has every client that can run `prime` at the start of a session, and `uninstall` leaves its files as they were.",
    "hooks:bytes": "Our hook can be added to and removed from every style of a client's file, byte for byte.",
    "hooks:once":
      "A session is told once, whatever hooks it has, and not again when it is resumed or compacted; the answer has the client's form.",
    "hooks:end":
      "At the end of a turn, a session that has finished a story and not marked it is reminded, once and in no other case.",
    "hooks:never-fail": "`prime --hook` ends with exit status 0 and in bounded time, whatever is wrong.",
  },
  // Never behind upstream
  "22": {
    "upstream:known-scripts":
      "An answer of a native script whose installed original, or what that imports, is in no release that was compared follows the nearest rules and says so, with the command to run the original; `doctor` lists such scripts.",
    "upstream:verify-scripts":
      "`verify-scripts` has native and installed scripts answer the same generated calls, by the user's Python, and says what was compared, what differs and what could not be run; the project stays as it is.",
    "upstream:changes":
      "`deno task upstream` lists every change of scripts, options, calls, skills, retired names, keys, placeholders, statuses, headings, layouts, targets and modules between two releases and nothing else, each with what to do.",
    "upstream:issue":
      "A weekly workflow compares the newest releases with what is known, and opens, updates or closes one issue.",
    "upstream:new-release":
      "A skills release newer than the known one is served as it is, and every difference is named: its scripts, its new and lost names, what has moved.",
  },
} as const;

/** A part of the surface. */
export type Section = keyof typeof PROMISES;

/** The id of a promise. */
export type RequirementId = { [S in Section]: keyof (typeof PROMISES)[S] }[Section];

/** One promise. */
export interface Requirement {
  readonly says: string;
  readonly section: Section;
}

/** Every promise by its id. */
export const REQUIREMENTS = Object.fromEntries(
  Object.entries(PROMISES).flatMap(([section, promises]) =>
    Object.entries(promises).map(([id, says]) => [id, { says, section }])
  ),
) as Readonly<Record<RequirementId, Requirement>>;

/** The promises that no test proves yet. */
export const OPEN: readonly RequirementId[] = [];
