/**
 * How does a test get a folder with exactly these files?
 *
 * `withTree` writes them below a fresh temporary folder, hands over the folder's real name and removes it
 * afterwards, also when the test fails. A value is a file's text, its bytes, or `{ link }` for a symbolic
 * link whose target is taken as it is; a path that ends with "/" is an empty folder.
 */

export type TreeFile = string | Uint8Array | { readonly link: string };

export async function withTree<T>(
  files: Readonly<Record<string, TreeFile>>,
  fn: (dir: string) => T | Promise<T>,
): Promise<T> {
  // The temporary folder of macOS is reached through a link, and what we compare with is resolved.
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "bmad-mcp-tree-" }));
  try {
    await writeTree(dir, files);
    return await fn(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

export function treeTest(
  name: string,
  files: Readonly<Record<string, TreeFile>>,
  fn: (dir: string, t: Deno.TestContext) => void | Promise<void>,
): void {
  Deno.test(name, (t) => withTree(files, (dir) => fn(dir, t)));
}

/** The same, once the files are so old that a program which starts now need not read them a second time. */
export async function withSettledTree<T>(
  files: Readonly<Record<string, TreeFile>>,
  fn: (dir: string) => T | Promise<T>,
): Promise<T> {
  return await withTree(files, async (dir) => {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    return await fn(dir);
  });
}

/** Longer than the program distrusts the times of files. */
const SETTLED_MS = 300;

export async function writeTree(dir: string, files: Readonly<Record<string, TreeFile>>): Promise<void> {
  const folders = new Set(Object.keys(files).map((path) => path.slice(0, path.lastIndexOf("/") + 1)));
  for (const folder of folders) Deno.mkdirSync(`${dir}/${folder}`, { recursive: true });
  for (const [path, content] of Object.entries(files)) await put(dir, path, content);
}

/** Everything below a folder, sorted: folders with a slash behind them, files with their size, links with their target. */
export async function listTree(dir: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (folder: string) => {
    for await (const { name, isDirectory, isSymlink } of Deno.readDir(`${dir}/${folder}`)) {
      const path = `${folder}${name}`;
      if (isSymlink) found.push(`${path} -> ${await Deno.readLink(`${dir}/${path}`)}`);
      else if (!isDirectory) found.push(`${path} ${(await Deno.lstat(`${dir}/${path}`)).size}`);
      else {
        found.push(`${path}/`);
        await walk(`${path}/`);
      }
    }
  };
  await walk("");
  return found.sort();
}

/** The text of every file below a folder by its path, and every folder and link without one. */
export async function readTree(dir: string): Promise<Readonly<Record<string, string>>> {
  const paths = (await listTree(dir)).map((line) => line.replace(/ \d+$/, ""));
  const textOf = (path: string) =>
    path.endsWith("/") || path.includes(" -> ") ? "" : Deno.readTextFile(`${dir}/${path}`);
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await textOf(path)] as const)),
  );
}

/** Copies all files below a folder into another one, over what is there under other names. */
export async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

/** The texts of all files in some folders of a project, byte for byte; without our own records. */
export function documentsIn(root: string, ...folders: readonly string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const exact = new TextDecoder("utf-8", { ignoreBOM: true });
  const walk = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(`${root}/${folder}`)) {
      const path = `${folder}/${name}`;
      if (!isDirectory) found[path] = exact.decode(Deno.readFileSync(`${root}/${path}`));
      else if (name !== ".bmad-work") walk(path);
    }
  };
  for (const folder of folders.filter((one) => isThere(`${root}/${one}`))) walk(folder);
  return found;
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

async function put(dir: string, path: string, content: TreeFile): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  if (path === folder) return;
  const target = `${dir}/${path}`;
  // Some trees have thousands of files: without a promise for each they are written in half the time.
  if (typeof content === "string") Deno.writeTextFileSync(target, content);
  else if (content instanceof Uint8Array) Deno.writeFileSync(target, content);
  else {await Deno.symlink(content.link, target, {
      type: await isFolder(dir, folder, content.link) ? "dir" : "file",
    });}
}

/** Windows wants to know what a link leads to when it is made. */
async function isFolder(dir: string, folder: string, link: string): Promise<boolean> {
  const target = /^([\\/]|[A-Za-z]:)/.test(link) ? link : `${dir}/${folder}${link}`;
  try {
    return (await Deno.stat(target)).isDirectory;
  } catch {
    return false;
  }
}
