/**
 * The settings of project memory: where memories are kept, and what finds them by meaning.
 *
 * Rows of THE table of settings. Memories leave the machine only for a URL that is named here, so a project's own file
 * can name none: whoever clones a repository must not send it what they know.
 */
import { Invalid } from "../base/invalid.ts";
import { last, type Setting, yesOrNo } from "./values.ts";

/** Settings of memory with their values. */
export interface MemorySettings {
  /** A server of Qdrant that memories are kept on; undefined to keep them in a file. */
  readonly qdrantUrl: string | undefined;
  /** The key for that server. */
  readonly qdrantKey: string | undefined;
  /** False after `--no-embedder`: then memories are found by words alone. */
  readonly embedder: boolean;
  /** A server with the embeddings API of OpenAI; undefined to use the embedder that is built in. */
  readonly embeddingsUrl: string | undefined;
  /** The model to ask that server for. */
  readonly embeddingsModel: string | undefined;
  /** The key for that server. */
  readonly embeddingsKey: string | undefined;
}

/** The rows. */
export const MEMORY_SETTINGS: { readonly [K in keyof MemorySettings]: Setting<MemorySettings[K]> } = {
  qdrantUrl: {
    flag: "--qdrant-url",
    value: "URL",
    variables: ["BMAD_QDRANT_URL"],
    files: "user",
    default: undefined,
    help:
      "A Qdrant server to keep project memory on, which a team can share. Without it: a file in the project.",
    parse: parseUrl,
  },
  qdrantKey: {
    isSecret: true,
    variables: ["BMAD_QDRANT_API_KEY"],
    files: "user",
    default: undefined,
    help: "The API key for that server.",
    parse: parseKey,
  },
  embedder: {
    flag: "--no-embedder",
    variables: ["BMAD_NO_EMBEDDER"],
    files: "none",
    default: true,
    help: "Find memories by their words alone, without the embedder that finds them by meaning.",
    parse: (texts) => {
      const isOff = yesOrNo(texts);
      return isOff instanceof Invalid ? isOff : !isOff;
    },
  },
  embeddingsUrl: {
    flag: "--embeddings-url",
    value: "URL",
    variables: ["BMAD_EMBEDDINGS_URL"],
    files: "user",
    default: undefined,
    help:
      "A server with the embeddings API of OpenAI, such as http://localhost:11434/v1 of Ollama, to use instead of the " +
      "embedder that is built in. It gets the text of every memory and question.",
    parse: parseUrl,
  },
  embeddingsModel: {
    flag: "--embeddings-model",
    value: "NAME",
    variables: ["BMAD_EMBEDDINGS_MODEL"],
    files: "user",
    default: undefined,
    help: "The model to ask that server for, such as nomic-embed-text.",
    parse: last,
  },
  embeddingsKey: {
    isSecret: true,
    variables: ["BMAD_EMBEDDINGS_API_KEY"],
    files: "user",
    default: undefined,
    help: "The API key for that server.",
    parse: parseKey,
  },
};

function parseUrl(texts: readonly string[]): string | Invalid {
  const url = URL.parse(last(texts));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return new Invalid("it must be a URL such as http://localhost:6333");
  }
  if (url.username !== "" || url.password !== "") {
    return new Invalid("it may hold no user and no password: a key has a variable of its own");
  }
  // It would stand in clients' files, where a key is not to be, and in the midst of what is asked for.
  if (/[?#]/.test(url.href)) {
    return new Invalid("it may hold nothing behind a ? or a #: a key has a variable of its own");
  }
  return url.href.replace(/\/$/, "");
}

/** A key is sent in a header, which takes only so much. */
function parseKey(texts: readonly string[]): string | Invalid {
  return /^[\x21-\x7e]{1,4096}$/.test(last(texts))
    ? last(texts)
    : new Invalid("it must be one word of plain letters, digits and signs");
}
