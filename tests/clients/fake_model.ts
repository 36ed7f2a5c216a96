/**
 * A model that is none: asked for the first time it calls our tool, asked again it says that it is done.
 *
 * It speaks as much of two providers' streaming protocols as their clients need to hear, and keeps what it was
 * asked, so that it can be seen what a real model would have been told.
 */

const ARGUMENTS = { operation: "execute", agent: "analyst", message: "Size the market for dog walking" };

const event = (data: unknown, name?: string) =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${
    typeof data === "string" ? data : JSON.stringify(data)
  }\n\n`;

const DIALECTS = [
  {
    path: /\/v1\/messages$/,
    call: (name: string) =>
      anthropic({ type: "tool_use", id: "call_1", name, input: {} }, {
        type: "input_json_delta",
        partial_json: JSON.stringify(ARGUMENTS),
      }, "tool_use"),
    say: (text: string) => anthropic({ type: "text", text: "" }, { type: "text_delta", text }, "end_turn"),
  },
  {
    path: /\/chat\/completions$/,
    call: (name: string) =>
      completion({
        role: "assistant",
        tool_calls: [{
          index: 0,
          id: "call_1",
          type: "function",
          function: { name, arguments: JSON.stringify(ARGUMENTS) },
        }],
      }, "tool_calls"),
    say: (content: string) => completion({ role: "assistant", content }, "stop"),
  },
  {
    path: /\/v1\/responses$/,
    call: (name: string) =>
      response({
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name,
        arguments: JSON.stringify(ARGUMENTS),
      }),
    say: (text: string) =>
      response({
        type: "message",
        id: "msg_1",
        role: "assistant",
        content: [{ type: "output_text", text, annotations: [] }],
      }),
  },
  {
    path: /:streamGenerateContent$/,
    call: (name: string) => generated({ functionCall: { name, args: ARGUMENTS } }),
    say: (text: string) => generated({ text }),
  },
];

function response(item: unknown): readonly string[] {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return [
    { type: "response.created", response: { id: "resp_1" } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "resp_1", usage } },
  ].map((data) => event(data, data.type));
}

function generated(part: unknown): readonly string[] {
  return [
    event({ candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }] }),
  ];
}

function anthropic(block: unknown, delta: unknown, stop: string): readonly string[] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "fake", content: [], usage };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage },
    { type: "message_stop" },
  ].map((data) => event(data, data.type));
}

function completion(delta: unknown, reason: string): readonly string[] {
  const chunk = (choice: unknown) => ({
    id: "c",
    object: "chat.completion.chunk",
    model: "fake",
    choices: [choice],
  });
  return [
    event(chunk({ index: 0, delta, finish_reason: null })),
    event(chunk({ index: 0, delta: {}, finish_reason: reason })),
    event("[DONE]"),
  ];
}

export type FakeModel = ReturnType<typeof startFakeModel>;

export function startFakeModel() {
  const heard: string[] = [];
  const listener = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const dialect = DIALECTS.find(({ path }) => path.test(new URL(request.url).pathname));
    if (dialect === undefined) return new Response("{}", { headers: { "content-type": "application/json" } });
    const body = await request.text();
    heard.push(body);
    // Our tool is the one whose name ends with ours and begins with the server's, as clients put it together.
    const tool = /"name":\s*"((?:mcp_+)?bmad_+bmad)"/.exec(body)?.[1];
    const isAnswered = /tool_result|functionResponse|"role":\s*"tool"/.test(body);
    const events = tool === undefined || isAnswered ? dialect.say("Done.") : dialect.call(tool);
    return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
  });
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    heard,
    [Symbol.asyncDispose]: () => listener.shutdown(),
  };
}
