/** Does install.ps1 do on Windows what install.sh does elsewhere? */
import assert from "node:assert/strict";
import { buildRelease, type ReleaseFiles, serveRelease } from "../support/release.ts";
import { listTree, withTree } from "../support/trees.ts";

const program = () => Deno.readFileSync(`${Deno.env.get("SYSTEMROOT")}\\System32\\curl.exe`);

async function install(files: ReleaseFiles, script: string, dir: string) {
  await using server = serveRelease(files);
  return await withTree({ "install.ps1": script }, async (folder) => {
    const { code, stdout, stderr } = await new Deno.Command("powershell", {
      args: ["-NoProfile", "-ExecutionPolicy", "Bypass", "-File", `${folder}\\install.ps1`],
      // The machine may have gh, and no workflow has built these files.
      env: { BMAD_MCP_BASE_URL: server.url, BMAD_MCP_INSTALL_DIR: dir, BMAD_MCP_VERIFY: "checksum" },
    }).output();
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    return { code, said, asked: server.asked };
  });
}

Deno.test({
  name: "install.ps1 installs only what is right, and nothing when it was cut off [packaging:install-script]",
  ignore: Deno.build.os !== "windows",
  fn: async () => {
    const files = await buildRelease(program);
    const script = new TextDecoder().decode(files.get("install.ps1"));
    await withTree({ "bmad-mcp.exe": "old" }, async (dir) => {
      const before = await listTree(dir);
      const cut = await install(files, script.slice(0, script.length / 2), dir);
      assert.deepEqual([cut.asked, await listTree(dir)], [[], before]);

      const damaged = new Map(
        [...files].map(([name, bytes]) => [name, name.endsWith(".zip") ? bytes.slice(1) : bytes]),
      );
      const refused = await install(damaged, script, dir);
      assert.match(refused.said, /does not match SHA256SUMS/);
      assert.notEqual(refused.code, 0);
      assert.deepEqual(await listTree(dir), before);

      const { code, said } = await install(files, script, dir);
      assert.equal(code, 0, said);
      assert.deepEqual(await Deno.readFile(`${dir}\\bmad-mcp.exe`), program());
      assert.deepEqual((await listTree(dir)).length, 1);
      assert.match(said, /Connect your clients: bmad-mcp install/);

      // What an earlier update could not remove is no obstacle to the next.
      await Deno.writeTextFile(`${dir}\\bmad-mcp.exe.before.old`, "runs no more");
      assert.equal((await install(files, script, dir)).code, 0);
      assert.deepEqual((await listTree(dir)).length, 1);
    });
  },
});

Deno.test("install.ps1 verifies what install.sh verifies [packaging:verified]", () => {
  const read = (name: string) =>
    Deno.readTextFileSync(new URL(`../../.github/release/${name}`, import.meta.url));
  const [ps1, sh] = [read("install.ps1"), read("install.sh")];
  const options = (script: string, command: string) => {
    const lines = script.slice(script.indexOf(command)).split("\n");
    const end = lines.findIndex((line) => !/[\\`]$/.test(line));
    const found = lines.slice(0, end + 1).join(" ").match(/--[\w-]+/g)!;
    return found.filter((option) => option !== "--hostname").sort();
  };
  const commands = ['gh attestation verify "', "cosign verify-blob-attestation --new"];
  assert.deepEqual(commands.map((one) => options(ps1, one)), commands.map((one) => options(sh, one)));
  assert.deepEqual(commands.map((one) => options(sh, one).length), [5, 5]);
  const checked = (script: string) =>
    [...script.matchAll(/'(Checked: [^']*)'|"(Checked: [^"]*)"/g)].map(([, one, two]) => one ?? two);
  assert.deepEqual(checked(ps1), checked(sh));
  assert.equal(checked(sh).length, 3);
  // Every download goes through the function that refuses whatever is not https.
  assert.doesNotMatch(ps1, /Invoke-WebRequest|Invoke-RestMethod|WebClient|Start-BitsTransfer/);
  assert.equal(ps1.match(/\[Net\.WebRequest\]::Create/g)!.length, 1);
  assert.match(
    ps1,
    /if \(\$url -notmatch \$allowed\) \{ throw .*\n\s+\$request = \[Net\.WebRequest\]::Create\(\$url\)/,
  );
});
