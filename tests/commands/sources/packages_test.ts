/** Can a package be added, and is it exactly the pinned one, whatever it or its registry does? */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { serveNpmVersions } from "../../support/npm_registry.ts";
import { assertFailed } from "../../support/program.ts";
import { agentFile, withSources } from "../../support/sources.ts";
import { packageOf, tgzOf } from "../../support/tar.ts";
import { listTree, writeTree } from "../../support/trees.ts";

const NAME = "@acme/bmad-ops";

function opsPackage(version: string, text: string, more: Readonly<Record<string, unknown>> = {}) {
  return packageOf({
    "package.json": JSON.stringify({ name: NAME, version, ...more }),
    "agents/captain.md": agentFile("captain", text),
  });
}

const integrityOf = (bytes: Uint8Array) => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

Deno.test("npm fetches a package and runs nothing [add:packages, add:pinned]", () =>
  withSources(async ({ run, json, home, lock, project, cache }) => {
    const scripts = Object.fromEntries(
      ["preinstall", "install", "postinstall", "prepare", "prepack", "postpack"].map((name) => [
        name,
        `touch ${home}/ran-${name}`,
      ]),
    );
    const versions = new Map([["1.0.0", await opsPackage("1.0.0", "First orders.", { scripts })]]);
    await using registry = serveNpmVersions(NAME, versions);
    await writeTree(home, { ".npmrc": `${registry.config}fetch-retries=0\n` });
    // Nothing in the working folder has a say.
    await writeTree(project, {
      ".npmrc": `@acme:registry=http://127.0.0.1:1/\nscript-shell=${home}/evil\n`,
      "package.json": JSON.stringify({ name: "shop", scripts: { prepack: `touch ${home}/ran-shop` } }),
      "node_modules/.bin/npm": `#!/bin/sh\ntouch ${home}/ran-bin\n`,
    });
    const integrity = integrityOf(versions.get("1.0.0")!);
    const added = await json("add", NAME);
    assert.deepEqual(
      [added.added[0].source, added.added[0].version, added.added[0].integrity, added.added[0].agents],
      [`npm:${NAME}`, "1.0.0", integrity, 1],
    );
    assert.deepEqual(JSON.parse(await Deno.readTextFile(lock)).sources, {
      [`npm:${NAME}`]: { version: "1.0.0", integrity },
    });
    assert.match((await run("execute", "captain")).stdout, /First orders\./);
    assert.match((await run("sources")).stdout, /npm:@acme\/bmad-ops, pinned to version 1\.0\.0\n/);
    assert.deepEqual((await listTree(home)).filter((path) => path.includes("ran-")), []);
    const { items: [copy] } = await json("cache", "list");
    assert.deepEqual([copy.name, copy.configured, copy.size], [`npm:${NAME}@1.0.0`, true, 4 * 4_096]);

    // The registry serves other bytes for the same version: what is pinned stays, and cannot be had again.
    versions.set("1.0.0", await opsPackage("1.0.0", "Evil orders."));
    await Deno.remove(cache, { recursive: true });
    await Deno.remove(`${home}/.npm`, { recursive: true });
    assertFailed(
      await run("add"),
      3,
      /npm:@acme\/bmad-ops: it is not the archive that is pinned: its hash differs/,
    );
    assert.equal((await run("show", "captain")).code, 1);
    // A registry that lies about the hash is refused by npm itself.
    await run("remove", NAME);
    await using liar = serveNpmVersions(NAME, versions, { "1.0.0": integrity });
    await writeTree(home, { ".npmrc": `${liar.config}fetch-retries=0\n` });
    assertFailed(await run("add", `${NAME}@1.0.0`), 3, /sha512|integrity/i);
    assertFailed(await run("add", "@acme/nothing"), 3, /Cannot open npm:@acme\/nothing: /);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(lock)).sources, {});
  }));

Deno.test("only a safe archive is added [add:packages, add:archives, add:nothing-written]", () =>
  withSources(async ({ run, json, project, lock, file, cache, home }) => {
    await Deno.writeFile(`${project}/ops.tgz`, await opsPackage("2.1.0", "Orders of a file."));
    const added = await json("add", "./ops.tgz", "--project");
    assert.deepEqual([added.added[0].source, added.added[0].version], ["./ops.tgz", "2.1.0"]);
    assert.match((await run("execute", "captain")).stdout, /Orders of a file\./);
    // The copy is served, not the file.
    await Deno.writeFile(`${project}/ops.tgz`, await opsPackage("2.1.0", "Other orders."));
    assert.match((await run("execute", "captain")).stdout, /Orders of a file\./);

    const link = { path: "package/agents/passwd.md", type: "2", link: "/etc/passwd" };
    const climbing = { path: "package/../../../escaped.md", data: "Evil." };
    for (
      const [name, entry, reason] of [["link", link, /a link/], ["up", climbing, /unsafe name/]] as const
    ) {
      const honest = { path: "package/agents/medic.md", data: agentFile("medic") };
      await Deno.writeFile(`${project}/${name}.tgz`, await tgzOf([honest, entry]));
      assertFailed(await run("add", `./${name}.tgz`), 3, reason);
    }
    await Deno.writeTextFile(`${project}/text.tgz`, "No archive.");
    assertFailed(await run("add", "./text.tgz"), 3, /not a \.tgz archive/);
    for (const path of [lock, `${home}/escaped.md`]) await assert.rejects(Deno.lstat(path), path);
    assert.doesNotMatch(await Deno.readTextFile(file), /sources/);
    const left = (await listTree(cache)).filter((path) => !/^\.work\/(?:[^/]*\.lock .*)?$/.test(path));
    assert.deepEqual(left.filter((path) => !path.startsWith("file-ops.tgz~")), []);
  }));
