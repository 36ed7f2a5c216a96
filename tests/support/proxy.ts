/**
 * A proxy without affinity: each request goes to the next of several servers, and to another one if that cannot be
 * reached. A request that may have arrived is not sent twice.
 */

interface Proxy extends AsyncDisposable {
  readonly url: string;
  readonly answered: ReadonlyMap<string, number>;
}

/** Starts it; `targets` is asked for each request, because servers come and go. */
export function startProxy(targets: () => readonly string[]): Proxy {
  const answered = new Map<string, number>();
  let turn = 0;
  const ended = new AbortController();
  const place = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: ended.signal };
  const server = Deno.serve(place, async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("host");
    const body = request.method === "GET" ? undefined : await request.bytes();
    const all = targets();
    const first = turn++;
    for (const at of all.keys()) {
      const target = all[(first + at) % all.length]!;
      try {
        const answer = await fetch(`${target}${pathname}${search}`, {
          ...{ method: request.method, headers, body, redirect: "manual" },
          signal: AbortSignal.any([request.signal, ended.signal]),
        });
        answered.set(target, (answered.get(target) ?? 0) + 1);
        return answer;
      } catch (error) {
        if (!/\(Connect\)/.test(String((error as Error).cause))) break;
      }
    }
    return new Response("No server answered", { status: 502 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    answered,
    [Symbol.asyncDispose]: async () => {
      // Streams of clients may still be open.
      ended.abort();
      await server.finished;
    },
  };
}
