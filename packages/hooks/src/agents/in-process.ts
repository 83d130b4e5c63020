import type { HookAgent } from "../hook-agent.ts";
import type { AgentName, Capability, HookEventBody } from "../hook-event.ts";
import { type ReportedAnswer, usageFrom } from "../reported-answer.ts";
import { listIn, nameIn, numberIn, ownValue, textIn, toObject } from "@phasekit/core/adapter";
import { known, type Payload } from "../payload.ts";

/**
 * An agent that loads Phasekit's own file into its process. That file writes the payloads, so their shape is ours:
 * `{ hook: "opencode" | "pi", event, session, cwd, … }`, and it reads Phasekit's answer as it is.
 */
function inProcessAgent({
  name,
  title,
  events,
  answerIn,
}: {
  readonly name: AgentName;
  readonly title: string;
  readonly events: Readonly<Record<string, readonly Capability[]>>;
  /** Reads the agent's own message of an answer. */
  readonly answerIn: (message: Payload) => ReportedAnswer | undefined;
}): HookAgent {
  const answersOf = (payload: Payload): readonly ReportedAnswer[] | undefined => {
    const answers = listIn(payload["answers"]).flatMap((message) => answerIn(toObject(message)) ?? []);
    return answers.length === 0 ? undefined : answers;
  };
  return {
    name,
    title,
    events,
    hasBatches: false,
    recognizes: (payload) => payload["hook"] === name,
    read: (payload) => ({
      agent: name,
      name: textIn(payload["event"]),
      session: textIn(payload["session"]),
      ...known({
        cwd: nameIn(payload["cwd"]),
        transcript: nameIn(payload["transcript"]),
        subagent: nameIn(payload["subagent"]),
        answers: answersOf(payload),
      }),
      ...bodyOf(payload),
    }),
    write: (event, answer) => {
      const can = ownValue(events, event.name) ?? [];
      const entries = Object.entries(answer).filter(([kind]) => can.includes(kind as Capability));
      return entries.length === 0 ? undefined : Object.fromEntries(entries);
    },
  };
}

/** opencode, as of 1.18, through a plugin. A finish can be answered under `opencode serve` and in its TUI only. */
export const opencode: HookAgent = inProcessAgent({
  name: "opencode",
  title: "opencode",
  events: {
    prompt: ["observe"],
    "tool.before": ["observe", "refuse"],
    "tool.after": ["observe", "nudge"],
    finish: ["observe", "veto"],
    "subagent.start": ["observe"],
    "subagent.end": ["observe"],
    compacted: ["observe"],
    end: ["observe"],
  },
  answerIn: ({ modelID, tokens, cost }) => {
    const { input, output, reasoning, cache } = toObject(tokens);
    const { read, write } = toObject(cache);
    const written = numberIn(output) === undefined ? undefined : Number(output) + (numberIn(reasoning) ?? 0);
    const usage = usageFrom({
      freshInput: input,
      output: written,
      cacheRead: read,
      cacheWrite: write,
      reasoning,
      cost,
    });
    return usage === undefined ? undefined : { usage, ...known({ model: nameIn(modelID) }) };
  },
});

/** Pi, as of 0.73 and 0.87, through an extension. */
export const pi: HookAgent = inProcessAgent({
  name: "pi",
  title: "Pi",
  events: {
    start: ["observe"],
    prompt: ["observe", "nudge"],
    "tool.before": ["observe", "refuse"],
    "tool.after": ["observe", "nudge"],
    finish: ["observe", "veto"],
    compacted: ["observe"],
    end: ["observe"],
  },
  answerIn: ({ model, usage: counts }) => {
    const { input, output, cacheRead, cacheWrite, reasoning, cost } = toObject(counts);
    const usage = usageFrom({
      freshInput: input,
      output,
      cacheRead,
      cacheWrite,
      reasoning,
      cost: toObject(cost)["total"],
    });
    return usage === undefined ? undefined : { usage, ...known({ model: nameIn(model) }) };
  },
});

function bodyOf(payload: Payload): HookEventBody {
  const call = {
    tool: textIn(payload["tool"]),
    input: payload["input"],
    ...known({ call: nameIn(payload["call"]) }),
  };
  switch (payload["event"]) {
    case "start":
      return { kind: "session.started", source: "startup" };
    case "prompt":
      return { kind: "prompt.submitted", text: textIn(payload["text"]), byPerson: true };
    case "tool.before":
      return { kind: "tool.started", ...call };
    case "tool.after": {
      // opencode says it beside the output, Pi at its end if it is not 0.
      const exitCode =
        numberIn(toObject(payload["metadata"])["exit"]) ??
        exitCodeIn(textIn(payload["output"])) ??
        (payload["hook"] === "pi" && call.tool === "bash" && payload["isError"] === false ? 0 : undefined);
      const failed = payload["isError"] === true || (exitCode !== undefined && exitCode !== 0);
      const outcome = failed ? ("error" as const) : ("ok" as const);
      return { kind: "tool.ended", ...call, outcome, output: payload["output"], ...known({ exitCode }) };
    }
    case "finish":
      return {
        kind: "finish.asked",
        text: textIn(payload["text"]),
        continued: payload["continued"] === true,
        openWork: 0,
        aborted: payload["aborted"] === true,
        ...(payload["leaving"] === true && { isLeaving: true }),
      };
    case "subagent.start":
      return { kind: "subagent.started", id: textIn(payload["subagent"]), task: textIn(payload["text"]) };
    case "subagent.end":
      return { kind: "subagent.ended", id: textIn(payload["subagent"]), text: textIn(payload["text"]) };
    case "compacted":
      return { kind: "context.compacted", ...known({ trigger: nameIn(payload["reason"]) }) };
    case "end":
      return { kind: "session.ended" };
    default:
      return { kind: "ignored" };
  }
}

function exitCodeIn(output: string): number | undefined {
  const code = /\nCommand exited with code (\d+)\s*$/.exec(output.slice(-200))?.[1];
  return code === undefined ? undefined : Number(code);
}
