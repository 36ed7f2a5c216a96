/**
 * How does a test get a release without compiling one?
 *
 * `buildRelease` makes a whole one with the real script, from a program that is a shell script and only says its
 * version, which is all that the install scripts ask of it. `serveRelease` serves it as GitHub does.
 */
import { runStep } from "../../.github/release/package.ts";
import { describeRelease, type Release } from "../../.github/release/release.ts";
import { type Target, TARGET_NAMES } from "../../.github/release/targets.ts";
import { withTree } from "./trees.ts";

export const REPOSITORY = "alice-b/bmad-mcp";

export const RELEASE: Release = describeRelease(REPOSITORY);

export const VERSION: string = RELEASE.version;

/** The program for a platform: starts on every system that has a shell, and is another one for each platform. */
export function programFor(target: Target): string {
  return `#!/bin/sh\n# ${target}\necho "bmad-mcp ${VERSION}"\n`;
}

export type ReleaseFiles = ReadonlyMap<string, Uint8Array>;

let shared: Promise<ReleaseFiles> | undefined;

/** One that tests only read. */
export function sharedRelease(): Promise<ReleaseFiles> {
  return shared ??= buildRelease();
}

export function buildRelease(
  program: (target: Target) => string | Uint8Array = programFor,
): Promise<ReleaseFiles> {
  const programs = Object.fromEntries(TARGET_NAMES.map((target) => [target, program(target)]));
  return withTree({ ...programs, licenses: "Everybody's licence\n", "out/": "" }, async (dir) => {
    const common = ["--repository", REPOSITORY];
    for (const target of TARGET_NAMES) {
      const given = ["--target", target, "--program", `${dir}/${target}`, "--licenses", `${dir}/licenses`];
      await runStep(["archive", ...common, ...given, "--out", `${dir}/out`]);
    }
    await Deno.writeTextFile(`${dir}/out/${RELEASE.files.npm}`, "A package\n");
    await Deno.writeTextFile(`${dir}/out/${RELEASE.files.sbom}`, "{}\n");
    await runStep(["complete", ...common, "--dir", `${dir}/out`]);
    const names = [...Deno.readDirSync(`${dir}/out`)].map(({ name }) => name).sort();
    return new Map(names.map((name) => [name, Deno.readFileSync(`${dir}/out/${name}`)]));
  });
}

interface Serving {
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Another server that every request is redirected to. */
  readonly elsewhere?: string;
}

export function serveRelease(files: ReleaseFiles, { certificate, elsewhere }: Serving = {}) {
  const asked: string[] = [];
  const where = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const secure = certificate && { cert: certificate.cert, key: certificate.key };
  const server = Deno.serve({ ...where, ...secure }, (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    if (elsewhere !== undefined) return Response.redirect(`${elsewhere}${pathname}`);
    const [, name] = new RegExp(`^/(?:latest/download|download/v${VERSION})/([^/]+)$`).exec(pathname) ?? [];
    const bytes = files.get(name ?? "");
    return bytes === undefined
      ? new Response("Not found", { status: 404 })
      : new Response(new Uint8Array(bytes));
  });
  return {
    url: `${certificate === undefined ? "http://127.0.0.1" : "https://localhost"}:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
