/** The contents of a file, counted without the translators: by looking for marks in its text. */
export interface RawCounts {
  readonly calls: number;
  readonly results: number;
  /** Answers that come with their usage. */
  readonly usage: number;
  /** Runs with an explicit ending or verdict. */
  readonly outcomes: number;
}

type Counter = (text: string) => RawCounts;

const count = (text: string, mark: RegExp): number => [...text.matchAll(mark)].length;
const distinct = (text: string, mark: RegExp): number => new Set([...text.matchAll(mark)].map(([, name]) => name)).size;
const counter =
  (marks: Partial<Readonly<Record<keyof RawCounts, RegExp>>>): Counter =>
  (text) => ({
    calls: marks.calls === undefined ? 0 : count(text, marks.calls),
    results: marks.results === undefined ? 0 : count(text, marks.results),
    usage: marks.usage === undefined ? 0 : count(text, marks.usage),
    outcomes: marks.outcomes === undefined ? 0 : count(text, marks.outcomes),
  });

/** Actions of OpenHands that are tool calls; `finish` is not one of them. */
const OPENHANDS = "(?:run|run_ipython|edit|read|write|browse|think|task_tracking)";

const COUNTERS: Readonly<Record<string, Counter>> = {
  "agents-study": (text) => {
    const parts = (JSON.parse(text) as { readonly parts: Readonly<Record<string, { readonly text: string }>> }).parts;
    const actions = parts["thoughts_actions"]?.text ?? "";
    const inCode = [...actions.matchAll(/^Action at Iteration \d+: (.*)$/gm)].map(([, action = ""]) =>
      Math.max(1, count(action, /\b[a-z_]+\([^()]*\)/g)),
    );
    // One text holds the results of all calls of a step.
    const answered = [...(parts["results_actions"]?.text ?? "").matchAll(/^Result at [Ii]teration (\d+)/gm)].map(
      ([, step]) => Number(step),
    );
    const results = answered.reduce((sum, step) => sum + (inCode[step] ?? 1), 0);
    const calls =
      inCode.length > 0
        ? inCode.reduce((sum, calls) => sum + calls, 0)
        : count(actions, /^(?:Thought and Action at )?[Ii]teration \d+: Thought=/gm);
    return { calls, results, usage: 0, outcomes: 0 };
  },
  "ai-sdk": counter({ calls: /"type": ?"tool-input-start"/g, results: /"type": ?"tool-output-available"/g }),
  aider: counter({
    calls: /^> (?:Applied edit to|The LLM did not conform)/gm,
    results: /^> (?:Applied edit to|The LLM did not conform)/gm,
    usage: /^> [\d.,k]+ prompt tokens/gm,
  }),
  "claude-code": (text) => ({
    ...counter({ calls: /"type":"tool_use"/g, results: /"type":"tool_result"/g })(text),
    usage: distinct(text, /"id":"(msg_\w+|chatcmpl[\w-]+)","type":"message"/g),
  }),
  codex: counter({
    calls: /"payload":\{"type":"(?:function_call|custom_tool_call)"/g,
    results: /"payload":\{"type":"(?:function_call|custom_tool_call)_output"/g,
    usage: /"type":"token_count","info":\{/g,
    outcomes: /"type":"turn_aborted"/g,
  }),
  "copilot-cli": counter({
    calls: /^\{"type":"tool\.execution_start"/gm,
    results: /^\{"type":"tool\.execution_complete"/gm,
    usage: /"outputTokens":/g,
  }),
  "gemini-cli": (text) =>
    text.includes('"projectHash"')
      ? counter({ calls: /"args":/g, results: /"functionResponse":/g, usage: /"tokens":/g })(text)
      : counter({ calls: /"functionCall":/g, results: /"functionResponse":/g })(text),
  inspect: (text) => {
    const { samples } = JSON.parse(text) as {
      readonly samples: readonly {
        readonly messages: readonly { readonly role: string; readonly tool_calls?: readonly unknown[] }[];
        readonly events: readonly { readonly event: string }[];
        readonly scores: object;
      }[];
    };
    const messages = samples.flatMap((sample) => sample.messages);
    return {
      calls: messages.reduce((sum, { tool_calls: calls = [] }) => sum + calls.length, 0),
      results: messages.filter(({ role }) => role === "tool").length,
      usage: samples.flatMap(({ events }) => events).filter(({ event }) => event === "model").length,
      outcomes: samples.length,
    };
  },
  intercode: (text) => {
    const runs = Object.values(
      JSON.parse(text) as Readonly<
        Record<
          string,
          { readonly turn_history: { readonly actions: readonly string[]; readonly observations: readonly unknown[] } }
        >
      >,
    );
    const work = runs.flatMap(({ turn_history: { actions } }) => actions.filter((action) => !/^submit\b/.test(action)));
    return { calls: work.length, results: work.length, usage: 0, outcomes: runs.length };
  },
  langfuse: (text) => {
    const { observations } = JSON.parse(text) as {
      readonly observations: readonly { readonly type: string; readonly name: string; readonly output: unknown }[];
    };
    const generations = observations.filter(({ type, name }) => type === "GENERATION" && name !== "ai.generateText");
    const tools = observations.filter(({ type, name }) => type === "TOOL" || name === "get_weather");
    return { calls: tools.length, results: tools.length, usage: generations.length, outcomes: 0 };
  },
  langsmith: counter({ usage: /"usage_metadata":/g }),
  "mini-swe-agent": counter({
    calls: /"role": "assistant",\s*"content": "[^\n]*```mswea_bash_command/g,
    results: /"content": "(?:<returncode>|diff --git)/g,
  }),
  mint: (text) => {
    const runs = text
      .trim()
      .split("\n")
      .map(
        (line) =>
          JSON.parse(line) as {
            readonly state: { readonly history: readonly { readonly role: string; readonly content: string }[] };
          },
      );
    const histories = runs.map(({ state }) => state.history);
    const executes = (content: string | undefined): boolean => content?.includes("<execute>") === true;
    return {
      calls: histories.flat().filter(({ role, content }) => role === "assistant" && executes(content)).length,
      results: histories.reduce(
        (sum, history) =>
          sum +
          history.filter(({ role }, index) => role === "user" && index > 0 && executes(history[index - 1]?.content))
            .length,
        0,
      ),
      usage: 0,
      outcomes: runs.length,
    };
  },
  opencode: counter({ calls: /"callID":/g, results: /"status": ?"(?:completed|error)"/g, usage: /"finish":/g }),
  "openhands-events": counter({
    calls: new RegExp(`"action": ?"${OPENHANDS}"[,}]`, "g"),
    results: new RegExp(`"observation": ?"${OPENHANDS}"[,}]`, "g"),
    usage: new RegExp(`"action": ?"(?:run|edit|read|think|task_tracking|finish)", ?"tool_call_metadata"`, "g"),
    outcomes: /"success": ?(?:true|false), ?"comment_success"|"error": ?"RuntimeError/g,
  }),
  "openhands-llm-request": (text) => {
    const { messages, response } = JSON.parse(text) as {
      readonly messages: readonly Message[];
      readonly response: { readonly choices: readonly [{ readonly message: Message }] };
    };
    const all = [...messages.slice(2), response.choices[0].message];
    const written = all.filter(
      ({ role, content }) => role === "assistant" && /<function=(?!finish)/.test(textOf(content)),
    ).length;
    const asked = all
      .flatMap(({ tool_calls: calls = [] }) => calls ?? [])
      .filter((call) => call.function.name !== "finish").length;
    return {
      calls: written + asked,
      results: all.filter(
        ({ role, content }) => role === "tool" || (role === "user" && textOf(content).startsWith("EXECUTION RESULT")),
      ).length,
      usage: 1,
      outcomes: 0,
    };
  },
  otlp: counter({ usage: /"llm\.token_count\.total"/g }),
  pi: counter({
    calls: /"type":"toolCall"/g,
    results: /"role":"toolResult"/g,
    usage: /"role":"assistant","content":\[\{/g,
  }),
  super: (text) => {
    const cells = (
      JSON.parse(text) as {
        readonly cells: readonly { readonly cell_type: string; readonly source: readonly string[] }[];
      }
    ).cells;
    const own = cells.filter(
      (cell, index) =>
        cell.cell_type === "code" &&
        !cells
          .slice(Math.max(0, index - 3), index)
          .some(({ source }) => source.join("").includes("[pre-executed by user]")),
    );
    const work = own.filter(
      ({ source }, index) =>
        !(index === own.length - 1 && (source.join("").startsWith("submit") || !source.join("").startsWith("!"))),
    );
    return { calls: work.length, results: work.length, usage: 0, outcomes: 0 };
  },
  "swe-agent": (text) => {
    const { trajectory } = JSON.parse(text) as { readonly trajectory: readonly unknown[] };
    return { calls: trajectory.length, results: trajectory.length, usage: 0, outcomes: 1 };
  },
  "tau-bench": (text) => {
    const runs = JSON.parse(text) as readonly { readonly traj: readonly Message[] }[];
    const all = runs.flatMap(({ traj }) => traj);
    return {
      calls: all.flatMap(({ tool_calls: calls }) => calls ?? []).length,
      results: all.filter(({ role }) => role === "tool").length,
      usage: 0,
      outcomes: runs.length,
    };
  },
  trail: counter({
    calls: /"openinference\.span\.kind": ?"TOOL"/g,
    results: /"openinference\.span\.kind": ?"TOOL"/g,
    usage: /"openinference\.span\.kind": ?"LLM"/g,
  }),
  whowhen: counter({
    calls: /"content": ?"exitcode: /g,
    results: /"content": ?"exitcode: /g,
    outcomes: /"is_correct(?:ed)?": ?(?:true|false)/g,
  }),
};

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly function: { readonly name: string } }[] | null;
}

function textOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((part: { readonly text?: string }) => part.text ?? "").join("")
      : "";
}

/** The counts of a file of one agent's folder; zeros for folders without tools, usage and endings. */
export function rawCounts(agent: string, text: string): RawCounts {
  return (COUNTERS[agent] ?? counter({}))(text);
}
