/** Is every help catalogue of BMAD's releases read as it was meant, and are several merged as installers do? */
import assert from "node:assert/strict";
import { mergeHelp, parseHelp } from "../../../src/content/inventory/help_catalog.ts";
import type { HelpRow } from "../../../src/base/model.ts";

const SKILL_COLUMNS =
  "module,skill,display-name,menu-code,description,action,args,phase,preceded-by,followed-by,required,output-location,outputs";
const EARLY_SKILL_COLUMNS = SKILL_COLUMNS.replace("preceded-by,followed-by", "after,before");
const LEGACY_COLUMNS =
  "module,phase,name,code,sequence,workflow-file,command,required,agent-name,agent-command,agent-display-name,agent-title,options,description,output-location,outputs";
const LEGACY_MODULE_COLUMNS =
  "module,phase,name,code,sequence,workflow-file,command,required,agent,options,description,output-location,outputs,";

const MAP: HelpRow = {
  module: "Field Work",
  skill: "bmad-map",
  title: "Draw Map",
  code: "DM",
  description: "Draws, then checks.",
  phase: "2-planning",
  after: "bmad-walk",
  before: "bmad-route",
  required: true,
  outputs: "a map|a legend",
};

const EMPTY: HelpRow = {
  module: "fw",
  skill: "",
  title: "",
  code: "",
  description: "",
  phase: "",
  after: "",
  before: "",
  required: false,
  outputs: "",
};

function helpOf(...lines: readonly string[]) {
  return parseHelp(lines.join("\n"));
}

Deno.test("a help catalogue with the columns of skills is read by its header", () => {
  for (const header of [SKILL_COLUMNS, EARLY_SKILL_COLUMNS]) {
    const row =
      'Field Work,bmad-map,Draw Map,DM,"Draws, then checks.",create,-x,2-planning,bmad-walk,bmad-route,true,docs,a map|a legend';
    assert.deepEqual(helpOf(header, row), { value: [MAP], problem: undefined });
  }
});

Deno.test("a row without args is read as if they were empty [tool:list-next]", () => {
  const row =
    'Field Work,bmad-map,Draw Map,DM,"Draws, then checks.",,2-planning,bmad-walk,bmad-route,true,docs,a map|a legend';
  for (const header of [SKILL_COLUMNS, EARLY_SKILL_COLUMNS]) {
    assert.deepEqual(helpOf(header, row).value, [MAP]);
  }
});

Deno.test("rows with and without args may share one file", () => {
  const { value } = helpOf(
    SKILL_COLUMNS,
    "Field Work,bmad-one,One,A,First.,,,plan,,,true,,",
    "Field Work,bmad-two,Two,B,Second.,,ship,bmad-one,,true,,",
  );
  assert.deepEqual(value.map(({ skill, phase, after }) => [skill, phase, after]), [
    ["bmad-one", "plan", ""],
    ["bmad-two", "ship", "bmad-one"],
  ]);
});

Deno.test("a new row under the old header is read by position, with and without args", () => {
  const begin = 'Field Work,bmad-map,Draw Map,DM,"Draws, then checks.",';
  for (
    const rest of [
      "create,-x,2-planning,bmad-walk,,,,bmad-route,true,docs,a map|a legend",
      ",2-planning,bmad-walk,bmad-route,,,,true,docs,a map|a legend,",
    ]
  ) {
    assert.deepEqual(helpOf(LEGACY_COLUMNS, begin + rest), { value: [MAP], problem: undefined });
  }
});

Deno.test("a new row under the old header may have no steps before or after it", () => {
  const { value } = helpOf(
    LEGACY_COLUMNS,
    "Field Work,bmad-walk,Walk,WK,Goes out.,,1-analysis,,,,,,true,,,",
    "Field Work,bmad-walk,Walk,WK,Goes out.,,-fast,1-analysis,,,,,,true,,",
    "Field Work,bmad-rest,Rest,RS,Sits down.,,anytime,,,,,,false,,,",
  );
  assert.deepEqual(value.map(({ phase, after, before, required }) => [phase, after, before, required]), [
    ["1-analysis", "", "", true],
    ["1-analysis", "", "", true],
    ["anytime", "", "", false],
  ]);
});

Deno.test("an old row names its skill by workflow file or by command", () => {
  const { value, problem } = helpOf(
    LEGACY_COLUMNS,
    "fw,2-planning,Draw Map,DM,20,_bmad/fw/workflows/map/workflow.yaml,bmad-fw-map,true,scout,bmad:odd text:agent:scout,Rhea,Scout,Create Mode,Draws.,docs,a map",
    "fw,anytime,Rest,RS,,skill:bmad-rest,bmad-fw-rest,false,,,,,,Sits down.,,",
    "fw,,Walk,WK,10,skill:bmad-walk,,true,,,,,,Goes out.,,",
  );
  assert.equal(problem, undefined);
  assert.deepEqual(value, [
    {
      ...EMPTY,
      ...{ skill: "bmad-fw-map", title: "Draw Map", code: "DM", description: "Draws.", phase: "2-planning" },
      required: true,
      outputs: "a map",
    },
    { ...EMPTY, skill: "bmad-rest", title: "Rest", code: "RS", description: "Sits down.", phase: "anytime" },
    { ...EMPTY, skill: "bmad-walk", title: "Walk", code: "WK", description: "Goes out.", required: true },
  ]);
});

Deno.test("an old module's file is read with 13 or 14 fields in a row", () => {
  const { value } = helpOf(
    LEGACY_MODULE_COLUMNS,
    "fw,2-planning,Draw Map,DM,20,skill:bmad-map,bmad-fw-map,true,scout,Create,Draws.,docs,a map,",
    "fw,anytime,Rest,RS,,skill:bmad-rest,bmad-fw-rest,,,,Sits down.,,",
  );
  assert.deepEqual(value.map(({ skill, description, outputs }) => [skill, description, outputs]), [
    ["bmad-map", "Draws.", "a map"],
    ["bmad-rest", "Sits down.", ""],
  ]);
});

Deno.test("rows of another schema are skipped and reported", () => {
  const foreign = [
    "gg,anytime,Rest,RS,,gg/rest/workflow.yaml,gg-rest,false,,,Sits down.,,",
    "gg,1-preproduction,Idea,ID,10,gg/idea/workflow.yaml,gg-idea,true,,,Thinks.,,",
    "gg,gametest,Try,TR,10,gg/try/workflow.yaml,gg-try,true,,,Tries.,,",
  ];
  const own = "Field Work,bmad-map,Draw Map,DM,,,,plan,,,true,,";
  const { value, problem } = helpOf(SKILL_COLUMNS, ...foreign.toSpliced(1, 0, own));
  assert.deepEqual(value.map(({ skill }) => skill), ["bmad-map"]);
  assert.equal(problem, "skipped 3 help rows of another schema");
});

Deno.test("a row about the module itself is not about a skill, and not a problem", () => {
  const { value, problem } = helpOf(
    SKILL_COLUMNS,
    "Field Work,_meta,,,,,,,,,false,https://example.org/docs,",
    "Field Work,bmad-map,Draw Map,DM,,,,plan,,,true,,",
  );
  assert.deepEqual([value.map(({ skill }) => skill), problem], [["bmad-map"], undefined]);
  const shifted = helpOf(LEGACY_COLUMNS, "Field Work,_meta,,,,,,,,,,,false,https://example.org/docs,,");
  assert.deepEqual(shifted, { value: [], problem: undefined });
});

Deno.test("a help catalogue that is empty or only a header has no rows", () => {
  assert.deepEqual(helpOf(""), { value: [], problem: "the file is empty" });
  assert.deepEqual(helpOf(SKILL_COLUMNS), { value: [], problem: undefined });
  assert.deepEqual(helpOf("some,other,columns", "a,b,c"), { value: [], problem: undefined });
});

Deno.test("catalogues are merged by module and phase, and the first row about a skill counts", () => {
  const joined = mergeHelp([
    {
      module: "fw",
      text: `${SKILL_COLUMNS}\n,bmad-route,Route,RT,,,,ship,bmad-map,,true,,a way\n` +
        'Field Work,bmad-map,"Draw, Map",DM,,,-x,plan,,bmad-route,false,docs,"a ""map"""\n',
    },
    { module: "core", text: `${SKILL_COLUMNS}\n,_meta,,,,,,,,,false,https://example.org/,\n` },
    {
      module: "fw",
      text:
        `${SKILL_COLUMNS}\nField Work,bmad-map,Old Map,OM,,,,plan,,,,,\nField Work,bmad-old,Old,OL,,,,plan,,,,,\n`,
    },
  ]);
  assert.deepEqual(joined.split("\n"), [
    SKILL_COLUMNS,
    ",_meta,,,,,,,,,false,https://example.org/,",
    'Field Work,bmad-map,"Draw, Map",DM,,,-x,plan,,bmad-route,false,docs,"a ""map"""',
    "Field Work,bmad-old,Old,OL,,,,plan,,,,,",
    "fw,bmad-route,Route,RT,,,,ship,bmad-map,,true,,a way",
  ]);
});

Deno.test("catalogues of older generations are merged into the columns of the newest", () => {
  const joined = mergeHelp([
    {
      module: "old",
      text:
        `${LEGACY_MODULE_COLUMNS}\nold,plan,Map,DM,20,skill:bmad-map,x,true,scout,Create,Draws.,docs,a map,\n`,
    },
    {
      module: "mid",
      text:
        `${EARLY_SKILL_COLUMNS}\nMid,bmad-walk,Walk,WK,Goes out.,,1-analysis,bmad-rest,bmad-map,true,docs,steps\n`,
    },
  ]);
  assert.deepEqual(joined.split("\n").slice(1), [
    "Mid,bmad-walk,Walk,WK,Goes out.,,,1-analysis,bmad-rest,bmad-map,true,docs,steps",
    "old,bmad-map,Map,DM,Draws.,,,plan,,,true,docs,a map",
  ]);
});
