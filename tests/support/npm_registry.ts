/**
 * A registry with one npm package, as npm asks for it.
 *
 * npm takes the packages of a scope from the registry that `.npmrc` names for it, and all others from its usual one.
 */
import { createHash } from "node:crypto";

export function serveNpmPackage(
  name: string,
  version: string,
  tarball: Uint8Array<ArrayBuffer>,
) {
  return serveNpmVersions(name, new Map([[version, tarball]]));
}

/** Serves several versions of a package, the last one as its latest; more may come. */
export function serveNpmVersions(
  name: string,
  tarballs: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  /** What the registry claims for a version, instead of the true hash. */
  claimed: Readonly<Record<string, string>> = {},
) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { origin, pathname } = new URL(request.url);
    const [, asked] = /^\/package-(.+)\.tgz$/.exec(pathname) ?? [];
    const tarball = tarballs.get(asked ?? "");
    if (tarball !== undefined) return new Response(tarball);
    if (decodeURIComponent(pathname) !== `/${name}`) return new Response("Not found", { status: 404 });
    const versions = await Promise.all([...tarballs].map(async ([version, tarball]) => {
      const manifest = JSON.parse((await listTar(tarball)).get("package/package.json") ?? "{}");
      const integrity = claimed[version] ??
        `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
      const dist = { tarball: `${origin}/package-${version}.tgz`, integrity };
      return [version, { name, version, ...manifest, dist }];
    }));
    return Response.json({
      name,
      "dist-tags": { latest: [...tarballs.keys()].at(-1) },
      versions: Object.fromEntries(versions),
    });
  });
  return {
    /** The line of `.npmrc` that sends npm here for the package's scope. */
    config: `${name.split("/")[0]}:registry=http://127.0.0.1:${server.addr.port}/\n`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

export async function listTar(archive: Uint8Array<ArrayBuffer>): Promise<ReadonlyMap<string, string>> {
  const stream = new Blob([archive]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const text = (at: number, length: number) => new TextDecoder().decode(bytes.subarray(at, at + length));
  const files = new Map<string, string>();
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const size = parseInt(text(at + 124, 11), 8);
    files.set(text(at, 100).replaceAll("\0", ""), text(at + 512, size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
