/** A small server that stands in for Qdrant: it keeps collections and points, and lists them. It ranks nothing. */

interface Point {
  readonly id: string;
  readonly payload: unknown;
  readonly vector: Readonly<Record<string, unknown>>;
}

export function startQdrant() {
  const collections = new Map<string, { readonly config: unknown; readonly points: Map<string, Point> }>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const [, , name = "", kind, action] = new URL(request.url).pathname.split("/");
    const body = request.method === "GET" ? {} : await request.json();
    const collection = collections.get(name);
    const result = (value: unknown) => Response.json({ result: value, status: "ok" });
    if (request.method === "PUT" && kind === undefined) {
      if (collection !== undefined) {
        return Response.json({ status: { error: "already exists" } }, { status: 409 });
      }
      collections.set(name, { config: { params: body }, points: new Map() });
      return result(true);
    }
    if (collection === undefined) return Response.json({ status: { error: "Not found" } }, { status: 404 });
    const { config, points } = collection;
    if (kind === undefined) return result({ config });
    if (kind === "index") return result(true);
    if (request.method === "PUT") {
      for (const point of body.points as readonly Point[]) points.set(point.id, point);
      return result(true);
    }
    if (action === undefined) return result(body.ids.flatMap((id: string) => points.get(id) ?? []));
    const isWanted = ({ id, vector }: Point) =>
      (body.filter?.must?.[0]?.has_id?.includes(id) ?? true) &&
      (body.filter?.must_not === undefined || !("" in vector));
    const wanted = [...points.values()].filter(isWanted);
    return result(action === "count" ? { count: wanted.length } : { points: wanted });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    texts: () =>
      [...collections.values()].flatMap(({ points }) =>
        [...points.values()].map(({ payload }) => (payload as { readonly text: string }).text)
      ),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
