/** A model that calls a tool, then answers; "Fail." makes it fail. It needs no network. */
export function scriptedModel(): typeof fetch {
  const call = { id: "c1", type: "function", function: { name: "count_lines", arguments: '{"path":"README.md"}' } };
  return (_url, init) => {
    const { messages } = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as {
      messages: readonly { role: string; content: unknown }[];
    };
    if (messages[0]?.content === "Fail.")
      return Promise.resolve(Response.json({ error: { message: "overloaded" } }, { status: 503 }));
    const hasResult = messages.some(({ role }) => role === "tool");
    const message = hasResult ? { content: "It has 12 lines." } : { content: null, tool_calls: [call] };
    const choices = [{ index: 0, finish_reason: hasResult ? "stop" : "tool_calls", message }];
    const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
    return Promise.resolve(Response.json({ choices, usage }));
  };
}
