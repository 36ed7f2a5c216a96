/**
 * The strangers of strangers.ts. Told a port and how many they are, they answer when each has had its first turn, and once
 * more, when they are told to stop, with how many connections they opened.
 */
const PAUSE_MS = 100;
const PART = new Uint8Array(1_024).fill(32);
const HEAD = new TextEncoder().encode(
  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\r\n",
);

const scope = self as unknown as {
  onmessage: (event: MessageEvent) => void;
  postMessage(count: number): void;
};
let isOver = false;
let opened = 0;

async function trickle(port: number): Promise<void> {
  using socket = await Deno.connect({ hostname: "127.0.0.1", port });
  opened++;
  await socket.write(HEAD);
  while (!isOver) {
    await socket.write(PART);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function persist(port: number): Promise<void> {
  // Whatever ends a connection, the next one follows.
  while (!isOver) await trickle(port).catch(() => {});
}

scope.onmessage = ({ data }) => {
  if (data === "stop") {
    isOver = true;
    return scope.postMessage(opened);
  }
  for (let n = 0; n < data.connections; n++) void persist(data.port);
  setTimeout(() => scope.postMessage(opened), PAUSE_MS);
};
