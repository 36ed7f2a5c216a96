/** A home, a project and repositories, to add sources to. */
import { type Repositories, withRepositories } from "./git.ts";
import { testsOver } from "./library.ts";
import { type CliResult, runHere } from "./program.ts";

interface SourcesScene extends Repositories {
  readonly home: string;
  readonly project: string;
  readonly file: string;
  readonly lock: string;
  readonly cache: string;
  readonly env: Readonly<Record<string, string>>;
  run(...args: readonly string[]): Promise<CliResult>;
  // deno-lint-ignore no-explicit-any
  json(...args: readonly string[]): Promise<any>;
}

export function agentFile(name: string, text = "You help."): string {
  return `---\nname: ${name}\ndescription: The ${name}.\n---\n\n# ${name}\n\n${text}\n`;
}

export function withSources(play: (scene: SourcesScene) => Promise<void>): Promise<void> {
  return withRepositories(async (repositories) => {
    const { dir } = repositories;
    const [home, project] = [`${dir}/home`, `${dir}/shop`];
    for (const folder of [home, project]) Deno.mkdirSync(folder);
    const settings = `${home}/.config/bmad-mcp`;
    const env = { HOME: home };
    const run = (...args: readonly string[]) => runHere(args, { cwd: project, env });
    await play({
      ...repositories,
      home,
      project,
      env,
      file: `${settings}/config.toml`,
      lock: `${settings}/config.lock.json`,
      cache: `${home}/.bmad/cache/git`,
      run,
      json: async (...args) => {
        const { code, stdout, stderr } = await run(...args, "--json");
        if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
        return JSON.parse(stdout);
      },
    });
  });
}

export const sourcesTest = testsOver(withSources);
