import { listIn, textIn, toObject } from "@phasekit/core/adapter";
import { createAsk } from "../client/ask-in-process.ts";

interface OpencodeClient {
  readonly session: { readonly promptAsync: (request: object) => Promise<unknown> };
}

const MAX_REMEMBERED = 256;
/** Sub-agents of sub-agents. */
const MAX_DEPTH = 8;

// This file becomes opencode's plugin `phasekit.js`. opencode calls every export, so there is one.
export const PhasekitPlugin = ({
  client,
  directory,
}: {
  readonly client: OpencodeClient;
  readonly directory: string;
}): Promise<object> => {
  const ask = createAsk("opencode");
  // `opencode run` leaves when its agent is idle, before a veto could reach it.
  const isOneShot = process.argv.slice(1, 4).includes("run");
  const inputs = new Map<string, unknown>();
  const lastTexts = new Map<string, string>();
  /** Sub-agents are sessions of their own: the session that started each. */
  const parents = new Map<string, string>();
  const aborted = new Set<string>();
  /** The model's messages since the session's last event, for what they cost. */
  const answers = new Map<string, object[]>();
  const counted = new Map<string, true>();
  /** Sessions that worked in this process and did not end. */
  const openSessions = new Map<string, true>();
  const ofSession = (session: string): object => {
    const since = answers.get(session);
    answers.delete(session);
    const parent = rootOf(session);
    const who = parent === session ? { session } : { session: parent, subagent: session };
    return { ...who, ...(since !== undefined && { answers: since }) };
  };
  const rootOf = (session: string): string => {
    let root = session;
    for (let steps = 0; steps < MAX_DEPTH; steps += 1) root = parents.get(root) ?? root;
    return root;
  };

  function noteAnswer(info: Readonly<Record<string, unknown>>): void {
    const id = textIn(info["id"]);
    const isDone = toObject(info["time"])["completed"] !== undefined;
    if (info["role"] !== "assistant" || !isDone || counted.has(id)) return;
    keep(counted, id, true);
    const { sessionID, modelID, tokens, cost } = info;
    keep(answers, textIn(sessionID), [...(answers.get(textIn(sessionID)) ?? []), { modelID, tokens, cost }]);
  }

  async function end(session: string): Promise<void> {
    openSessions.delete(session);
    await ask({ event: "end", ...ofSession(session) });
  }

  async function onEvent(type: string, properties: Readonly<Record<string, unknown>>): Promise<void> {
    const session = textIn(properties["sessionID"]);
    if (type === "session.created") {
      const { id, parentID } = toObject(properties["info"]);
      if (textIn(parentID) !== "") keep(parents, textIn(id), textIn(parentID));
    } else if (type === "message.updated") noteAnswer(toObject(properties["info"]));
    else if (type === "message.part.updated") {
      const part = toObject(properties["part"]);
      if (part["type"] === "text") keep(lastTexts, textIn(part["sessionID"]), textIn(part["text"]));
    } else if (type === "session.error") aborted.add(session);
    else if (type === "session.deleted") {
      const { id, parentID } = toObject(properties["info"]);
      if (textIn(parentID) === "") await end(textIn(id));
    } else if (type === "session.idle" && parents.has(session))
      await ask({ event: "subagent.end", ...ofSession(session), text: lastTexts.get(session) ?? "" });
    else if (type === "session.idle") {
      const { veto } = await ask({
        event: "finish",
        ...ofSession(session),
        text: lastTexts.get(session) ?? "",
        aborted: aborted.delete(session),
        leaving: isOneShot,
      });
      if (veto !== undefined)
        await client.session.promptAsync({ path: { id: session }, body: { parts: [{ type: "text", text: veto }] } });
    }
  }

  return Promise.resolve({
    "chat.message": async ({ sessionID }: { sessionID: string }, output: { parts?: unknown }) => {
      const text = listIn(output.parts)
        .map((part) => textIn(toObject(part)["text"]))
        .join("\n");
      if (!parents.has(sessionID)) keep(openSessions, sessionID, true);
      const event = parents.has(sessionID) ? "subagent.start" : "prompt";
      await ask({ event, ...ofSession(sessionID), cwd: directory, text });
    },
    "tool.execute.before": async (
      { sessionID, callID, tool }: { sessionID: string; callID: string; tool: string },
      output: { args?: unknown },
    ) => {
      keep(inputs, callID, output.args);
      const { refuse } = await ask({
        event: "tool.before",
        ...ofSession(sessionID),
        cwd: directory,
        call: callID,
        tool,
        input: output.args,
      });
      if (refuse !== undefined) throw new Error(refuse);
    },
    "tool.execute.after": async (
      { sessionID, callID, tool }: { sessionID: string; callID: string; tool: string },
      output: { output?: unknown; metadata?: unknown },
    ) => {
      const { nudge } = await ask({
        event: "tool.after",
        ...ofSession(sessionID),
        cwd: directory,
        call: callID,
        tool,
        input: inputs.get(callID),
        output: output.output,
        metadata: output.metadata,
      });
      inputs.delete(callID);
      if (nudge !== undefined && typeof output.output === "string") output.output += `\n\n${nudge}`;
    },
    // opencode leaves. A session that the user continues later continues its run.
    dispose: async () => {
      await Promise.all([...openSessions.keys()].map(end));
    },
    event: async ({ event }: { event: { type: string; properties?: unknown } }) => {
      await onEvent(event.type, toObject(event.properties)).catch(() => undefined);
    },
  });
};

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value ?? "");
}
