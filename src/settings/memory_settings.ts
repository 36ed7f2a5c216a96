/**
 * The settings for project memory: where memories are stored, and what finds them by meaning.
 *
 * Rows of THE table of settings. Memories leave the machine only for a URL named here, so a project's own file cannot
 * name one: cloning a repository must not send it anybody's memories.
 */
import { Invalid } from "../base/invalid.ts";
import { last, setting, yesOrNo } from "./values.ts";

export const MEMORY_SETTINGS = {
  qdrantUrl: setting<string | undefined>({
    flag: "--qdrant-url",
    value: "URL",
    default: undefined,
    help: "A Qdrant server for project memory, which a team can share. Default: a file in the project.",
    parse: parseUrl,
  }),
  qdrantKey: setting<string | undefined>({
    isSecret: true,
    variables: ["BMAD_QDRANT_API_KEY"],
    default: undefined,
    help: "The API key for that server.",
    parse: parseKey,
  }),
  embedder: setting({
    flag: "--no-embedder",
    files: "none",
    default: true,
    help: "Find memories by words alone, without the embedder that finds them by meaning.",
    parse: (texts) => {
      const isOff = yesOrNo(texts);
      return isOff instanceof Invalid ? isOff : !isOff;
    },
  }),
  embeddingsUrl: setting<string | undefined>({
    flag: "--embeddings-url",
    value: "URL",
    default: undefined,
    help:
      "A server with OpenAI's embeddings API, such as Ollama's http://localhost:11434/v1, instead of the built-in " +
      "embedder. It receives the text of every memory and question.",
    parse: parseUrl,
  }),
  embeddingsModel: setting<string | undefined>({
    flag: "--embeddings-model",
    value: "NAME",
    default: undefined,
    help: "The model to use on that server, such as nomic-embed-text.",
    parse: last,
  }),
  embeddingsKey: setting<string | undefined>({
    isSecret: true,
    variables: ["BMAD_EMBEDDINGS_API_KEY"],
    default: undefined,
    help: "The API key for that server.",
    parse: parseKey,
  }),
};

function parseUrl(texts: readonly string[]): string | Invalid {
  const url = URL.parse(last(texts));
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return new Invalid("expected a URL such as http://localhost:6333");
  }
  if (url.username !== "" || url.password !== "") {
    return new Invalid("the URL must not contain a user or password: pass the key in its own variable");
  }
  // A key in the query would end up in clients' files, and the query in the middle of request URLs.
  if (/[?#]/.test(url.href)) {
    return new Invalid("the URL must not contain ? or #: pass the key in its own variable");
  }
  return url.href.replace(/\/$/, "");
}

/** A key is sent in a header, so only printable ASCII is allowed. */
function parseKey(texts: readonly string[]): string | Invalid {
  return /^[\x21-\x7e]{1,4096}$/.test(last(texts))
    ? last(texts)
    : new Invalid("expected printable ASCII characters without spaces");
}
