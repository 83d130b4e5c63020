import { listIn, textIn, toObject } from "@phasekit/core/adapter";
import { createAsk } from "../client/ask-in-process.ts";

interface OpencodeClient {
  readonly session: { readonly promptAsync: (request: object) => Promise<unknown> };
}

type Members = Readonly<Record<string, unknown>>;

/** A call of opencode's, as its hooks name it. */
interface OpencodeCall {
  readonly sessionID: string;
  readonly callID: string;
  readonly tool: string;
}

const MAX_REMEMBERED = 256;
/** Sub-agents of sub-agents. */
const MAX_DEPTH = 8;

// This file becomes opencode's plugin `phasekit.js`. opencode calls every export, so there is one.
export const PhasekitPlugin = (about: {
  readonly client: OpencodeClient;
  readonly directory: string;
}): Promise<object> => {
  const plugin = new Plugin(about);
  return Promise.resolve({
    "chat.message": ({ sessionID }: { sessionID: string }, output: { parts?: unknown }) =>
      plugin.prompt(sessionID, output),
    "tool.execute.before": (call: OpencodeCall, output: { args?: unknown }) => plugin.toolStarts(call, output),
    "tool.execute.after": (call: OpencodeCall, output: { output?: unknown; metadata?: unknown }) =>
      plugin.toolEnds(call, output),
    // opencode leaves. A session that the user continues later continues its run.
    dispose: () => plugin.endAll(),
    event: async ({ event }: { event: { type: string; properties?: unknown } }) => {
      await plugin.takeEvent(event.type, toObject(event.properties)).catch(() => undefined);
    },
  });
};

/** The sessions of one opencode, and the questions about them. */
class Plugin {
  readonly #ask = createAsk("opencode");
  readonly #client: OpencodeClient;
  readonly #directory: string;
  /** `opencode run` leaves when its agent is idle, before a veto could reach it. */
  readonly #isOneShot = process.argv.slice(1, 4).includes("run");
  readonly #inputs = new Map<string, unknown>();
  readonly #lastTexts = new Map<string, string>();
  /** Sub-agents are sessions of their own: the session that started each. */
  readonly #parents = new Map<string, string>();
  /** Sub-agents that work. */
  readonly #working = new Map<string, true>();
  readonly #aborted = new Set<string>();
  /** The model's messages since the session's last event, for what they cost. */
  readonly #answers = new Map<string, object[]>();
  readonly #counted = new Map<string, true>();
  /** Sessions that worked in this process and did not end. */
  readonly #open = new Map<string, true>();

  constructor({ client, directory }: { readonly client: OpencodeClient; readonly directory: string }) {
    this.#client = client;
    this.#directory = directory;
  }

  async prompt(session: string, { parts }: { parts?: unknown }): Promise<void> {
    const text = listIn(parts)
      .map((part) => textIn(toObject(part)["text"]))
      .join("\n");
    const isSubagent = this.#parents.has(session);
    keep(isSubagent ? this.#working : this.#open, session, true);
    const event = isSubagent ? "subagent.start" : "prompt";
    await this.#ask({ event, ...this.#about(session), cwd: this.#directory, text });
  }

  async toolStarts({ sessionID, callID, tool }: OpencodeCall, { args }: { args?: unknown }): Promise<void> {
    keep(this.#inputs, callID, args);
    const { refuse } = await this.#ask({
      event: "tool.before",
      ...this.#about(sessionID),
      cwd: this.#directory,
      call: callID,
      tool,
      input: args,
    });
    if (refuse !== undefined) throw new Error(refuse);
  }

  async toolEnds(
    { sessionID, callID, tool }: OpencodeCall,
    output: { output?: unknown; metadata?: unknown },
  ): Promise<void> {
    // The result of a sub-agent may come before the event of its end, and its parent hears about it with the result.
    await this.#subagentEnds(textIn(toObject(output.metadata)["sessionId"]));
    const { nudge } = await this.#ask({
      event: "tool.after",
      ...this.#about(sessionID),
      cwd: this.#directory,
      call: callID,
      tool,
      input: this.#inputs.get(callID),
      output: output.output,
      metadata: output.metadata,
    });
    this.#inputs.delete(callID);
    if (nudge !== undefined && typeof output.output === "string") output.output += `\n\n${nudge}`;
  }

  async takeEvent(type: string, properties: Members): Promise<void> {
    const session = textIn(properties["sessionID"]);
    const { id, parentID } = toObject(properties["info"]);
    switch (type) {
      case "session.created":
        if (textIn(parentID) !== "") keep(this.#parents, textIn(id), textIn(parentID));
        break;
      case "message.updated":
        this.#noteAnswer(toObject(properties["info"]));
        break;
      case "message.part.updated":
        this.#noteText(toObject(properties["part"]));
        break;
      case "session.error":
        this.#aborted.add(session);
        break;
      case "session.compacted":
        await this.#ask({ event: "compacted", ...this.#about(session) });
        break;
      case "session.deleted":
        if (textIn(parentID) === "") await this.#end(textIn(id));
        break;
      case "session.idle":
        await (this.#parents.has(session) ? this.#subagentEnds(session) : this.#finish(session));
        break;
    }
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((session) => this.#end(session)));
  }

  async #finish(session: string): Promise<void> {
    const { veto } = await this.#ask({
      event: "finish",
      ...this.#about(session),
      text: this.#lastTexts.get(session) ?? "",
      aborted: this.#aborted.delete(session),
      leaving: this.#isOneShot,
    });
    if (veto !== undefined)
      await this.#client.session.promptAsync({
        path: { id: session },
        body: { parts: [{ type: "text", text: veto }] },
      });
  }

  async #subagentEnds(session: string): Promise<void> {
    if (!this.#working.delete(session)) return;
    await this.#ask({ event: "subagent.end", ...this.#about(session), text: this.#lastTexts.get(session) ?? "" });
  }

  async #end(session: string): Promise<void> {
    this.#open.delete(session);
    await this.#ask({ event: "end", ...this.#about(session) });
  }

  /** Whose event it is, with the answers since the last one. */
  #about(session: string): object {
    const answers = this.#answers.get(session);
    this.#answers.delete(session);
    const root = this.#rootOf(session);
    const who = root === session ? { session } : { session: root, subagent: session };
    return { ...who, ...(answers !== undefined && { answers }) };
  }

  #rootOf(session: string): string {
    let root = session;
    for (let steps = 0; steps < MAX_DEPTH; steps += 1) root = this.#parents.get(root) ?? root;
    return root;
  }

  #noteAnswer({ id, role, time, sessionID, modelID, tokens, cost }: Members): void {
    const isDone = toObject(time)["completed"] !== undefined;
    if (role !== "assistant" || !isDone || this.#counted.has(textIn(id))) return;
    keep(this.#counted, textIn(id), true);
    const session = textIn(sessionID);
    keep(this.#answers, session, [...(this.#answers.get(session) ?? []), { modelID, tokens, cost }]);
  }

  #noteText({ type, sessionID, text }: Members): void {
    if (type === "text") keep(this.#lastTexts, textIn(sessionID), textIn(text));
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value ?? "");
}
