/** How does a test get a project under version control, and run the program in it? */
import { runGit } from "./git.ts";
import { runHere } from "./program.ts";
import { withTree } from "./trees.ts";

export interface Repository {
  readonly dir: string;
  save(message: string): void;
  head(): string;
  write(path: string, text: string): void;
  run(...args: readonly string[]): Promise<string>;
}

export function withRepository(
  files: Readonly<Record<string, string>>,
  fn: (repository: Repository) => Promise<void>,
): Promise<void> {
  return withTree(files, async (dir) => {
    runGit(dir, "init", "--quiet", "--initial-branch=main");
    const save = (message: string) => {
      runGit(dir, "add", "--all");
      runGit(dir, "commit", "--quiet", "--message", message);
    };
    save("Begin");
    await fn({
      dir,
      save,
      head: () => runGit(dir, "rev-parse", "HEAD"),
      write: (path, text) => {
        Deno.mkdirSync(`${dir}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
        Deno.writeTextFileSync(`${dir}/${path}`, text);
      },
      run: async (...args) => {
        const { stdout, stderr } = await runHere(args, { cwd: dir });
        return `${stdout}${stderr}`;
      },
    });
  });
}
