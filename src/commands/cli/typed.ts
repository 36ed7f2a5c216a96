/**
 * What a person types where a client would send messages is answered with how to run it, and goes no further. Only for a
 * terminal, which hands over whole lines.
 */
import type { ByteSource } from "../../process/pipes.ts";
import { oneLine, shorten, splitKeepingEnds } from "../../base/text.ts";

const ENDS: readonly string[] = ["quit", "exit", "stop", "bye", "q", ":q"];

/** The same input without lines that are not messages; `say` gets an answer to each of them. */
export function withoutTyped(source: ByteSource, say: (line: string) => void): ByteSource {
  const decoder = new TextDecoder();
  let isInMessage = false;
  const isMessage = (line: string) => {
    const isOne = isInMessage || /^\s*[{[]/.test(line);
    isInMessage = isOne && !line.endsWith("\n");
    return isOne;
  };
  return {
    read: async () => {
      for (let bytes; (bytes = await source.read()) !== null;) {
        const lines = Map.groupBy(splitKeepingEnds(decoder.decode(bytes, { stream: true })), isMessage);
        for (const line of lines.get(false) ?? []) if (line.trim() !== "") say(answerTo(oneLine(line)));
        const messages = lines.get(true)?.join("") ?? "";
        if (messages !== "") return new TextEncoder().encode(messages);
      }
      return null;
    },
    cancel: source.cancel,
  };
}

function answerTo(typed: string): string {
  if (ENDS.includes(typed.toLowerCase())) return "Ctrl-C stops the server.";
  const line = shorten(typed.replace(/^(?:\$ |> )?(?:bmad-mcp )?/, ""));
  return `This is a server for MCP clients, not a prompt. Press Ctrl-C, then run: bmad-mcp ${line}`;
}
