/**
 * Are values resolved exactly as BMAD's own scripts resolve them?
 *
 * A real installation of 6.12.0 brings `resolve_customization.py` and `resolve_config.py`. Each case below writes
 * override files for every customizable skill, or for the configuration; one Python process runs the scripts on
 * all of them, and what they print must be what we resolve. Where a script fails because of a file, we must
 * report that file and resolve what the script prints without it.
 */
import assert from "node:assert/strict";
import { configSteps } from "../../src/content/library/values/config.ts";
import { runAtOnce } from "../../src/base/work.ts";
import { resolveValues } from "../../src/content/library/values/customize.ts";
import { openLibrary, resolveEntry } from "../../src/content/library/mod.ts";
import type { Diagnostic } from "../../src/base/model.ts";
import { installation } from "../support/installs.ts";
import { opening } from "../support/library.ts";
import { NO_PYTHON, runPython } from "../support/python.ts";
import { copyTree, withTree } from "../support/trees.ts";

/** The texts of override files; `T` stands for the table that a skill has: `agent` or `workflow`. */
interface Case {
  readonly team?: string;
  readonly user?: string;
  readonly refused?: "team" | "user";
}

const CUSTOMIZATIONS: Readonly<Record<string, Case>> = {
  nothing: {},
  scalars: {
    team: '[T]\nicon = "T"\non_complete = "Say so."\ntitle = ""\nnumber = 7\nflag = true\n',
    user: '[T]\nicon = "U"\nnumber = 8.5\nflag = false\n',
  },
  tables: {
    team: "[T.limits]\na = 1\nb = { c = 1, e = [1] }\n",
    user: "[T.limits]\na = 3\n[T.limits.b]\nd = 2\ne = [2]\n",
  },
  "plain lists": {
    team:
      '[T]\npersistent_facts = ["x", "x"]\nprinciples = ["y"]\nactivation_steps_append = []\nnested = [[1]]\n',
    user: '[T]\npersistent_facts = ["x"]\nnested = [[1], [2]]\nmixed = [1, "a", { code = "b" }]\n',
  },
  "lists by code": {
    team:
      '[[T.menu]]\ncode = "BP"\ndescription = "Ours"\n[[T.menu]]\ncode = "ZZ"\ndescription = "New"\nskill = "s"\n',
    user: '[[T.menu]]\ncode = "ZZ"\nprompt = "Mine"\n[[T.menu]]\ncode = "zz"\nprompt = "Other"\n',
  },
  "lists by id": {
    team: [
      ...["review_layers", "lenses", "party_members", "party_groups", "research_types"].map((list) =>
        `[[T.${list}]]\nid = "blind"\nname = "Ours"\n[[T.${list}]]\nid = "new"\n`
      ),
    ].join(""),
    user: '[[T.lenses]]\nid = "new"\nname = "Mine"\n[[T.review_layers]]\nid = "newer"\n',
  },
  "lists whose items have no common key": {
    team: '[[T.menu]]\ncode = "BP"\n[[T.menu]]\nid = "x"\n[[T.lenses]]\nname = "no key"\n',
    user: '[[T.menu]]\ncode = "BP"\n[[T.lenses]]\nid = "a"\n',
  },
  "lists by both keys": {
    team: '[[T.rows]]\ncode = "a"\nid = "1"\n[[T.rows]]\ncode = "b"\nid = "1"\n',
    user: '[[T.rows]]\ncode = "c"\nid = "1"\n[[T.rows]]\ncode = "a"\nid = "2"\n',
  },
  "twins in one layer": {
    team:
      '[[T.rows]]\ncode = "a"\nn = 1\n[[T.rows]]\ncode = "a"\nn = 2\n[[T.menu]]\ncode = "Q"\n[[T.menu]]\ncode = "Q"\nn = 2\n',
    user: '[[T.rows]]\ncode = "a"\nn = 3\n[[T.rows]]\ncode = "a"\nn = 4\n',
  },
  "twins that nothing is laid over": { team: '[[T.rows]]\ncode = "a"\n[[T.rows]]\ncode = "a"\n' },
  "other types": {
    team:
      '[T]\npersistent_facts = "text"\nname = ["a"]\nprinciples = { a = 1 }\n[[T.on_complete]]\nid = "x"\n',
    user: '[T]\npersistent_facts = ["y"]\nname = { first = "b" }\nprinciples = 5\non_complete = "text"\n',
  },
  "numbers and dates": {
    team:
      "[T]\nf = 1.0\ng = -0.5e3\nh = 0xff\ni = 9_007_199_254_740_991\nday = 1979-05-27\nsince = 2001-01-01\n",
    user:
      "[T]\nmoment = 1979-05-27T07:32:00Z\nplace = 1979-05-27T00:32:00-07:00\nlocal = 1979-05-27T07:32:00\n" +
      "time = 07:32:00\nsince = [2002-02-02]\n",
  },
  "other tables": {
    team: 'top = 1\n[agent]\nicon = "A"\n[workflow]\non_complete = "W"\n[other]\nx = 1\n',
    user: "[agent]\nextra = 1\n[workflow]\nextra = 2\n",
  },
  "a scalar in place of the table": { team: 'T = "gone"\n' },
  "names of the language": {
    team: '[T]\n__proto__ = 1\nconstructor = { a = 1 }\ntoString = "x"\n"" = 2\n"ä b" = 3\na.b.c = 4\n',
    user: "[T]\nconstructor = { b = 2 }\n[T.__proto__]\nx = 1\n",
  },
  "multi-line texts": {
    team: "[T]\non_complete = \"\"\"\nOne\\n\ttwo \\\n   three\"\"\"\nicon = '''\n\\raw'''\n",
  },
  "empty files": { team: "", user: "# nothing yet\n" },
  "line ends of Windows": { team: '[T]\r\nicon = "W"\r\non_complete = """\r\na\r\nb"""\r\n' },
  "a file that is no TOML": { team: '[T]\nicon = "T"\n', user: "icon = \n", refused: "user" },
  "a key twice": { team: '[T]\nicon = "T"\nicon = "U"\n', user: '[T]\nicon = "mine"\n', refused: "team" },
  "a code that is no text": {
    team: "[[T.rows]]\ncode = 7\n",
    user: '[T]\nicon = "U"\n[[T.rows]]\ncode = "x"\n',
    refused: "user",
  },
  "a code that is empty": {
    team: '[[T.rows]]\ncode = "x"\n',
    user: '[T]\nicon = "U"\n[[T.rows]]\ncode = ""\n',
    refused: "user",
  },
};

interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the scripts of an installation, each with its arguments, in one process. */
const DRIVER = `
import contextlib, importlib, io, json, sys, datetime
sys.path.insert(0, sys.argv[1])

# JSON has no dates: the scripts stop at them with a traceback. Shown here in the form that TOML has them in.
plain = json.dumps
def dumps(value, **options):
    def date(value):
        if isinstance(value, datetime.datetime):
            return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return value.isoformat(timespec="milliseconds") if isinstance(value, datetime.time) else value.isoformat()
    return plain(value, default=date, **options)

told = []
for script, *arguments in json.load(open(sys.argv[2], encoding="utf-8")):
    module = importlib.import_module(script)
    module.json = type("Json", (), {"dumps": staticmethod(dumps)})
    sys.argv = [script, *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = module.main()
    told.append({"code": code, "out": out.getvalue(), "err": err.getvalue()})
print(plain(told))
`;

async function runScripts(project: string, jobs: readonly (readonly string[])[]): Promise<readonly Told[]> {
  const files = { "driver.py": DRIVER, "jobs.json": JSON.stringify(jobs) };
  const { success, out, said } = await withTree(
    files,
    (dir) => runPython(dir, ["driver.py", `${project}/_bmad/scripts`, "jobs.json"]),
  );
  assert.equal(success, true, said);
  return JSON.parse(out);
}

async function customizableSkills(project: string): Promise<ReadonlyMap<string, string>> {
  const skills = new Map<string, string>();
  for await (const { name } of Deno.readDir(`${project}/.claude/skills`)) {
    const text = await Deno.readTextFile(`${project}/.claude/skills/${name}/customize.toml`).catch(() => "");
    const table = /^\[(agent|workflow)\]/m.exec(text)?.[1];
    if (table !== undefined) skills.set(name, table);
  }
  return skills;
}

function overrideFiles(folder: string, { team, user }: Case, skills: ReadonlyMap<string, string>) {
  const files = [...skills].flatMap(([skill, table]) =>
    [[`${skill}.toml`, team], [`${skill}.user.toml`, user]]
      .filter(([, text]) => text !== undefined)
      .map((
        [name, text],
      ) => [`${folder}/_bmad/custom/${name}`, text!.replaceAll(/\bT\b(?=[\].]| =)/g, table)])
  );
  return { ...Object.fromEntries(files), [`${folder}/_bmad/custom/`]: "" };
}

const readable = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

Deno.test({
  name: "the customization of every skill is what BMAD's own script prints [tool:execute-customization]",
  // BMAD's scripts need Python 3.11.
  ignore: NO_PYTHON,
  fn: async (t) => {
    const install = await installation("6.12.0");
    const skills = await customizableSkills(install);
    assert.equal(skills.size, 27);
    const cases = Object.entries(CUSTOMIZATIONS);
    const files = cases.map(([, given], at) => ({
      ...overrideFiles(`${at}`, given, skills),
      // The same without the file that makes the script give up.
      ...(given.refused === undefined
        ? {}
        : overrideFiles(`${at}-rest`, { ...given, [given.refused]: undefined }, skills)),
    }));
    await withTree(Object.assign({}, ...files), async (dir) => {
      const jobs = cases.flatMap(([, { refused }], at) =>
        [...skills].flatMap(([skill, table]) =>
          [`${at}`, ...(refused === undefined ? [] : [`${at}-rest`])].map((folder) => [
            ...["resolve_customization", "--skill", `${install}/.claude/skills/${skill}`],
            ...["--project-root", `${dir}/${folder}`, "--key", table],
          ])
        )
      );
      const all = [...await runScripts(install, jobs)];
      for (const [at, [name, { refused }]] of cases.entries()) {
        const told = all.splice(0, skills.size * (refused === undefined ? 1 : 2));
        await t.step(name, async () => {
          const library = await openLibrary([
            opening("project", 1, `${dir}/${at}`),
            opening("cli", 2, install),
          ]);
          for (const skill of skills.keys()) {
            const { customization, problems } = resolveValues(
              library,
              resolveEntry(library, { name: skill }),
            );
            const script = told.shift()!;
            const kept = refused === undefined ? script : told.shift()!;
            assert.equal(script.code, refused === undefined ? 0 : 1, script.err);
            assert.deepEqual(readable(customization), JSON.parse(kept.out), skill);
            const spoiled = refused === undefined
              ? []
              : [`_bmad/custom/${skill}${refused === "user" ? ".user" : ""}.toml`];
            assert.deepEqual(problems.map((problem) => problem.split(" is ignored: ")[0]), spoiled);
          }
        });
      }
      assert.deepEqual(all, []);
    });
  },
});

const CONFIGURATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nothing: {},
  "the team's and the user's own": {
    "custom/config.toml":
      '[core]\nproject_name = "Ours"\nlist = [1]\n[modules.bmm]\nplanning_artifacts = "plans"\n',
    "custom/config.user.toml":
      '[core]\nuser_name = "Ann"\nlist = [2]\n[modules.bmm]\nuser_skill_level = "expert"\n',
  },
  "tables and lists by key in all layers": {
    "config.user.toml": '[core.paths]\na = 1\n[[modules.bmm.rows]]\ncode = "a"\n',
    "custom/config.toml":
      '[core.paths]\nb = 2\n[[modules.bmm.rows]]\ncode = "a"\nx = 1\n[[modules.bmm.rows]]\ncode = "b"\n',
    "custom/config.user.toml": '[core.paths]\na = "text"\n[[modules.bmm.rows]]\ncode = "b"\nx = 2\n',
  },
  "agents of the team": {
    "custom/config.toml":
      '[agents.bmad-agent-pm]\ndescription = "Short."\n[agents.captain]\nname = "Cap"\nteam = "crew"\n',
    "custom/config.user.toml": '[agents.captain]\nicon = "C"\n',
  },
  "modules and tables that nobody knows": {
    "custom/config.toml": "top = 1\n[modules.zzz]\na = true\n[own.table]\nwhen = 2024-01-01\n",
  },
};

Deno.test({
  name: "the effective configuration is what BMAD's own script prints [resources:config-current]",
  ignore: NO_PYTHON,
  fn: async (t) => {
    const install = await installation("6.12.0");
    await withTree({}, async (dir) => {
      const cases = Object.entries(CONFIGURATIONS);
      for (const [at, [, files]] of cases.entries()) {
        await copyTree(`${install}/_bmad`, `${dir}/${at}/_bmad`);
        for (const [path, text] of Object.entries(files)) {
          await Deno.writeTextFile(`${dir}/${at}/_bmad/${path}`, `\n${text}`, { append: true });
        }
      }
      const jobs = cases.map((_, at) => ["resolve_config", "--project-root", `${dir}/${at}`]);
      const told = await runScripts(install, jobs);
      for (const [at, [name]] of cases.entries()) {
        await t.step(name, async () => {
          const problems: Diagnostic[] = [];
          const library = await openLibrary([opening("project", 1, `${dir}/${at}`)]);
          assert.equal(told[at]?.code, 0, told[at]?.err);
          assert.deepEqual(readable(runAtOnce(configSteps(library, problems))), JSON.parse(told[at].out));
          assert.deepEqual(problems, []);
        });
      }
    });
  },
});
