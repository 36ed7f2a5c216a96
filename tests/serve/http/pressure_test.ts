/** What do clients cost that were not let in, or that send and read as slowly as they can? */
import assert from "node:assert/strict";
import { listen, type Listener, type ListenOptions } from "../../../src/serve/listener/mod.ts";
import { onAbort } from "../../../src/base/work.ts";
import { clientOf } from "../../../src/serve/listener/connections.ts";
import { canMakeCertificate, makeCertificate } from "../../support/certificate.ts";
import { connectTo, type HttpProgram, readAll, startHttp } from "../../support/http.ts";
import { withTree } from "../../support/trees.ts";
import { until, within } from "../../support/waiting.ts";

const TOKEN = "a-token-of-many-letters";
const MB = 1 << 20;
const encode = (text: string) => new TextEncoder().encode(text);

/** Sends bytes as long as the other side takes them, and says how many it took. */
async function pump(socket: Deno.TcpConn, size: number): Promise<number> {
  const part = new Uint8Array(65_536).fill(32);
  let sent = 0;
  try {
    while (sent < size) sent += await socket.write(part);
  } catch {
    // It does not want any more.
  }
  return sent;
}

const postOf = (size: number, headers: readonly string[] = []) =>
  encode(
    ["POST /mcp HTTP/1.1", "Host: localhost", `Content-Length: ${size}`, ...headers, "", ""].join("\r\n"),
  );

/**
 * Far less than the bodies have together, and more than the program itself loads meanwhile: its content and its watchdog.
 * The soak test measures a program that is warm.
 */
const MAX_GROWTH = 160 * MB;

async function memoryOf(program: HttpProgram): Promise<number> {
  const metrics = await fetch(`${program.url}/metrics`, { headers: { "x-api-key": TOKEN } });
  return Number(/^bmad_mcp_resident_memory_bytes (\d+)$/m.exec(await metrics.text())?.[1]);
}

const health = async ({ url }: { readonly url: string }) => {
  const answer = await fetch(`${url}/health`);
  await answer.text();
  return answer.status;
};

Deno.test("48 bodies of 64 MB without a token cost no memory [transport:http-pressure]", async () => {
  await using program = await startHttp([], { env: { BMAD_TOKEN: TOKEN } });
  assert.equal(await health(program), 200);
  const before = await memoryOf(program);
  const size = 64 * MB;
  const answers: string[] = [];
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 12 }, async () => {
      using socket = await connectTo(program);
      await socket.write(postOf(size));
      const [answer, taken] = await Promise.all([readAll(socket), pump(socket, size)]);
      answers.push(answer.slice(0, 12));
      assert.ok(taken < size / 2, `${Math.round(taken / MB)} MB were taken, more than the system buffers`);
    }));
  }
  assert.deepEqual([...new Set(answers)], ["HTTP/1.1 401"]);
  assert.equal(await health(program), 200);
  const grown = await memoryOf(program) - before;
  assert.ok(grown < MAX_GROWTH, `${Math.round(grown / MB)} MB more`);
});

Deno.test("150 stalled posts of 9 MB do not hold up /health [transport:http-pressure]", async () => {
  await using program = await startHttp(["--http-in-flight", "200", "--http-stall", "3"]);
  assert.equal(await health(program), 200);
  const before = await memoryOf(program);
  const sockets = await Promise.all(Array.from({ length: 150 }, () => connectTo(program)));
  const answers = sockets.map(readAll);
  await Promise.all(sockets.map(async (socket) => {
    await socket.write(postOf(10 * MB));
    await pump(socket, 9 * MB);
  }));
  assert.equal(await health(program), 200);
  const grown = await memoryOf(program) - before;
  assert.ok(grown < MAX_GROWTH, `${Math.round(grown / MB)} MB more`);
  const seen = (await Promise.all(answers)).map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  assert.deepEqual(new Set(seen), new Set(["408", "503"]));
  for (const socket of sockets) socket.close();
});

async function withListener(
  options: Partial<ListenOptions>,
  check: (listener: Listener, refused: readonly number[], ended: readonly string[]) => Promise<void>,
): Promise<void> {
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    maxBody: MB,
    headerTimeout: 20_000,
    stallMs: 20_000,
    connections: 100,
    clientConnections: 100,
    ...options,
  });
  const refused: number[] = [];
  const ends: string[] = [];
  listener.answerWith(({ request, ended }) => {
    const { pathname } = new URL(request.url);
    onAbort(ended, () => ends.push(pathname));
    if (pathname === "/refused") return Promise.resolve({ response: new Response("no", { status: 401 }) });
    const large = () => new Response(new Uint8Array(32 * MB));
    const response = (body?: Uint8Array) =>
      pathname === "/large" ? large() : new Response(`${body?.length ?? 0}`);
    return Promise.resolve({
      isPublic: pathname === "/health",
      answer: (body) => Promise.resolve({ response: response(body) }),
    });
  }, (status) => void refused.push(status));
  try {
    await check(listener, refused, ends);
  } finally {
    await listener.close(0);
  }
}

async function ask(listener: Listener, text: string): Promise<string> {
  using socket = await connectTo(listener);
  await socket.write(encode(text));
  const answer = await within(60_000, readAll(socket));
  assert.ok(answer !== undefined, "no answer, and not closed either");
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n").replace(/^[\da-f]+\r\n([^]*)\r\n0\r\n\r\n$/, "$1");
  return `${head.split("\r\n")[0]} ${body}`;
}

const get = (path: string, headers = "Connection: close\r\n") =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

Deno.test("stalled bodies, readers and handshakes are cut off [transport:http-limits]", () =>
  withListener({ stallMs: 300, headerTimeout: 1_000 }, async (listener, refused, ended) => {
    assert.equal(
      await ask(listener, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"),
      "HTTP/1.1 408 Request Timeout Request body stalled: no data for 0.3 s (--http-stall)\n",
    );
    assert.deepEqual(refused, [408]);
    {
      using reader = await connectTo(listener);
      await reader.write(encode(get("/large")));
      await reader.read(new Uint8Array(10));
      await until("the client that does not read is cut off", () => ended.includes("/large"));
    }
    using trickling = await connectTo(listener);
    const trickle = (async () => {
      await trickling.write(encode("GET / HTTP/1.1\r\nHost: localhost\r\n"));
      for (let n = 0;; n++) {
        await trickling.write(encode(`X-${n}: 1\r\n`));
        await within(50, new Promise(() => {}));
      }
    })().catch(() => {});
    assert.match(await readAll(trickling), /^HTTP\/1\.1 408 /);
    await trickle;
  }));

Deno.test("an endless TLS handshake is cut [transport:http-tls]", { ignore: !canMakeCertificate() }, () => {
  const check = async (listener: Listener) => {
    for (const bytes of [[], [22, 3, 1, 2, 0, 1]]) {
      using socket = await connectTo(listener);
      await socket.write(new Uint8Array(bytes));
      assert.equal(await within(60_000, readAll(socket)), "");
    }
  };
  return withTree({}, (dir) => withListener({ tls: makeCertificate(dir), headerTimeout: 300 }, check));
});

Deno.test("a refused client can read why, though it is still sending [transport:http-limits]", () =>
  withListener({}, async (listener) => {
    for (const size of [MB / 4, 8 * MB]) {
      using socket = await connectTo(listener);
      await socket.write(
        encode(`POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n`),
      );
      const [answer] = await Promise.all([readAll(socket), pump(socket, size)]);
      assert.match(answer, /^HTTP\/1\.1 401 [^]*connection: close[^]*no/i);
    }
    // It is not asked for a body that nobody will read.
    const expects = "Host: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    assert.match(await ask(listener, `POST /refused HTTP/1.1\r\n${expects}`), /^HTTP\/1\.1 401 /);
    assert.match(
      await ask(listener, `POST /mcp HTTP/1.1\r\nConnection: close\r\n${expects}abc`),
      /^HTTP\/1\.1 100 Continue HTTP\/1\.1 200 [^]*\r\n3\r\n/,
    );
  }));

Deno.test("URLs, headers and the framing of bodies are limited [transport:http-limits]", () =>
  withListener({}, async (listener) => {
    const chunked = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    const tooLarge = "431 Request Header Fields Too Large";
    const extended = `${chunked}1;${"a".repeat(200_000)}\r\nx\r\n1\r\ny\r\n0\r\n\r\n`;
    const trailed = `${chunked}1\r\nx\r\n0\r\n${"X: 1\r\n".repeat(20_000)}\r\n`;
    const cases: readonly (readonly [string, string])[] = [
      [get(`/${"u".repeat(9_000)}`), "414 URI Too Long URL longer than 8192 bytes"],
      [get("/", "X: 1\r\n".repeat(101)), `${tooLarge} More than 100 headers`],
      [extended, "400 Bad Request Chunk extensions too large"],
      [trailed, `${tooLarge} Headers larger than 16 KB`],
    ];
    for (const [text, expected] of cases) assert.equal(await ask(listener, text), `HTTP/1.1 ${expected}\n`);
    assert.match(
      await ask(listener, `${chunked}1\r\nx\r\n0\r\n\r\n`.replace("\r\n", "\r\nConnection: close\r\n")),
      /^HTTP\/1\.1 200 /,
    );
  }));

async function knownConnection(listener: Listener): Promise<Deno.TcpConn> {
  const socket = await connectTo(listener);
  await socket.write(encode(get("/mcp", "")));
  await socket.read(new Uint8Array(1_000));
  return socket;
}

async function isOpen(socket: Deno.TcpConn): Promise<boolean> {
  try {
    await socket.write(encode(get("/health", "")));
    return await socket.read(new Uint8Array(1_000)) !== null;
  } catch {
    return false;
  }
}

for (const limit of ["connections", "clientConnections"]) {
  Deno.test(`at the limit of ${limit} the oldest stranger's goes [transport:http-limits]`, () =>
    withListener({ [limit]: 3 }, async (listener, refused) => {
      using known = await knownConnection(listener);
      using stranger = await connectTo(listener);
      using other = await knownConnection(listener);
      using late = await knownConnection(listener);
      assert.equal(await isOpen(stranger), false, "the oldest stranger made room");
      using later = await knownConnection(listener);
      assert.equal(await isOpen(known), false, "the oldest idle one made room");
      for (const socket of [other, late, later]) assert.equal(await isOpen(socket), true);
      assert.deepEqual(refused, [503, 503]);
    }));
}

Deno.test("with all connections in use, /health is answered [transport:http-pressure]", () =>
  withListener({ connections: 2 }, async (listener) => {
    const busy = [];
    for (const path of ["/one", "/two"]) {
      const socket = await connectTo(listener);
      const expects = "Host: localhost\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
      await socket.write(encode(`POST ${path} HTTP/1.1\r\n${expects}`));
      await socket.read(new Uint8Array(1_000));
      busy.push(socket);
    }
    assert.equal(await ask(listener, get("/health")), "HTTP/1.1 200 OK 0");
    assert.match(
      await ask(listener, get("/mcp")),
      /503 Service Unavailable Limit of connections reached \(--http-conn/,
    );
    // Those that are held open make room for those that ask.
    const held = await Promise.all(Array.from({ length: 40 }, () => connectTo(listener)));
    assert.equal(await ask(listener, get("/health")), "HTTP/1.1 200 OK 0");
    for (const socket of busy) {
      await socket.write(encode("cde"));
      assert.ok(await socket.read(new Uint8Array(1_000)), "a request under way was cut off");
    }
    for (const socket of [...busy, ...held]) socket.close();
  }));

Deno.test("a client is an IPv4 address or the network of an IPv6 address", () => {
  const clients = {
    "192.168.7.7": "192.168.7.7",
    "::ffff:192.168.7.7": "192.168.7.7",
    "::1": "0:0:0:0::/64",
    "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
    "2001:DB8:1:2::9": "2001:db8:1:2::/64",
    "2001:db8::9": "2001:db8:0:0::/64",
    "fe80::1%eth0": "fe80:0:0:0::/64",
  };
  for (const [address, client] of Object.entries(clients)) assert.equal(clientOf(address), client);
  assert.equal(clientOf(undefined), "unknown");
});
