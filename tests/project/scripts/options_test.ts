/** Are the arguments of a script read by its table, and is what is wrong with them said? */
import assert from "node:assert/strict";
import { parseArguments, type Usage } from "../../../src/project/scripts/options.ts";

const USAGE: Usage = {
  about: "Tries",
  args: [{ names: ["--json"], takes: "flag", help: "JSON" }],
  commands: {
    add: {
      about: "Add",
      args: [
        { names: ["--path"], help: "A path", isAlternative: true },
        { names: ["--workspace"], help: "A folder", isAlternative: true },
        { names: ["--text"], help: "A text", isRequired: true },
        { names: ["--field"], takes: "list", help: "A field" },
        { names: ["-n", "--count"], isInteger: true, help: "A count" },
      ],
    },
    show: { about: "Show", args: [{ names: ["names"], takes: "some", help: "Names" }] },
    read: { about: "Read", args: [{ names: ["file"], help: "A file" }] },
  },
};

const problemOf = (...words: readonly string[]) => {
  const parsed = parseArguments(USAGE, words);
  return parsed.is === "problem" ? parsed.text : parsed.is;
};

Deno.test("an option has its value behind it, after an equals sign or attached", () => {
  const words = ["--json", "add", "--path=a=b", "--text", "- a line", "--field", "x", "--field=y z", "-n-5"];
  const parsed = parseArguments(USAGE, words);
  assert.equal(parsed.is, "values");
  const { command, one, many, has } = parsed.given;
  assert.deepEqual([command, one("path"), one("text"), one("count")], ["add", "a=b", "- a line", "-5"]);
  assert.deepEqual([many("field"), has("json"), has("workspace")], [["x", "y z"], true, false]);
  const plain = parseArguments(USAGE, ["show", "a", "--", "--b", "--"]);
  assert.deepEqual(plain.is === "values" && plain.given.many("names"), ["a", "--b", "--"]);
  assert.deepEqual(parseArguments(USAGE, ["add", "-h"]), { is: "help", command: "add" });
});

Deno.test("wrong arguments are named, with what was meant", () => {
  const add = ["add", "--path", "p", "--text", "t"];
  assert.equal(problemOf(...add), "values");
  assert.equal(problemOf(), "a command is missing. Known commands: add, show, read");
  assert.equal(problemOf("ad"), 'unknown command "ad". Known commands: add, show, read');
  assert.equal(problemOf(...add, "--feild", "x"), 'unknown option "--feild". Did you mean --field?');
  assert.equal(problemOf(...add, "--zzzzzz=1"), 'unknown option "--zzzzzz"');
  assert.equal(problemOf(...add, "--json"), 'unknown option "--json"');
  assert.equal(problemOf("--json=1", ...add), "--json takes no value");
  assert.equal(problemOf(...add, "--field"), "--field needs a value");
  assert.equal(problemOf("add", "--path", "--text", "t"), "--path needs a value");
  assert.equal(problemOf(...add, "-n", "1.5"), '-n needs a whole number, not "1.5"');
  assert.equal(problemOf(...add, "more"), 'unexpected argument "more"');
  assert.equal(problemOf("read", "a", "b"), 'unexpected argument "b"');
  assert.equal(problemOf("read"), "missing file");
  assert.equal(problemOf("add", "--path", "p"), "missing --text");
  assert.equal(problemOf("add", "--text", "t"), "give exactly one of --path, --workspace");
  assert.equal(problemOf(...add, "--workspace", "w"), "give exactly one of --path, --workspace");
});
