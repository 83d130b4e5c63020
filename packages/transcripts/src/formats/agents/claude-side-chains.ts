import { defined, type LooseObject, nameIn, numberIn, setBounded, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, timeIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import { anthropicUsage } from "../../write/usage.ts";

/** The sub-agents of a Claude Code session. */
export interface SideChains {
  /** Which run a line belongs to. */
  readonly writerFor: (line: LooseObject) => RunWriter;
  /** Reads the work of a sub-agent from a progress line of the session; `undefined` for any other progress. */
  readonly progress: (line: LooseObject) => { readonly writer: RunWriter; readonly line: LooseObject } | undefined;
  /** The session has the result of a sub-agent's call: it is over. `about` is what the tool notes beside the result. */
  readonly answered: (content: unknown, about: LooseObject, at: number | undefined) => void;
  /** The host tells the session that something in the background is over. */
  readonly notified: (text: string, at: number | undefined) => void;
  /** True while an agent works in the background. */
  readonly atWork: () => boolean;
  /** The session itself is this sub-agent. */
  readonly adopt: (agent: string) => void;
  readonly endAll: () => void;
}

interface Chain {
  readonly writer: RunWriter;
  readonly call: string | undefined;
}

const NOTIFICATION =
  /^<task-notification>\s*<task-id>(?<agent>[^<]*)<\/task-id>(?:(?!<summary>)[^])*?<status>(?<status>\w+)<\/status>/;
/** The status of a result that only says that an agent was started: it works in the background. */
const LAUNCHED = "async_launched";
const MAX_PLACES = 20_000;
const MAX_TASKS = 1000;

/** Sorts the lines of sub-agents: by the agent's id where there is one, by the line they follow where there is none. */
export function createSideChains(session: RunWriter): SideChains {
  return new Chains(session);
}

class Chains implements SideChains {
  readonly #session: RunWriter;
  readonly #byAgent = new Map<string, Chain>();
  /** Older versions have no ids: a line belongs to the agent of the line it follows. */
  readonly #agentByLine = new Map<string, string>();
  /** Calls that may start an agent, by the prompt they give it. */
  readonly #calls = new Map<string, string>();
  /** Agents at work in the background. */
  readonly #launched = new Set<string>();
  #own: string | undefined;
  #unnamed = 0;

  constructor(session: RunWriter) {
    this.#session = session;
  }

  readonly writerFor: SideChains["writerFor"] = (line) => {
    const { content } = toObject(line["message"]);
    if (line["isSidechain"] !== true || (this.#own !== undefined && line["agentId"] === this.#own)) {
      for (const { type, id, input } of objectsIn(content)) {
        const prompt = type === "tool_use" ? nameIn(toObject(input)["prompt"]) : undefined;
        if (prompt !== undefined && this.#calls.size < MAX_TASKS) this.#calls.set(prompt, textIn(id));
      }
      return this.#session;
    }
    return this.#chainFor(this.#agentOf(line), { text: contentText(content), at: timeIn(line["timestamp"]) }).writer;
  };

  readonly progress: SideChains["progress"] = (line) => {
    const { type, agentId, message, prompt } = toObject(line["data"]);
    const inner = toObject(message);
    if (
      type !== "agent_progress" ||
      typeof agentId !== "string" ||
      (inner["type"] !== "assistant" && inner["type"] !== "user")
    )
      return undefined;
    const at = timeIn(line["timestamp"]);
    const { writer } = this.#chainFor(agentId, { call: nameIn(line["parentToolUseID"]), text: textIn(prompt), at });
    return { writer, line: { timestamp: line["timestamp"], ...inner } };
  };

  readonly answered: SideChains["answered"] = (content, about, at) => {
    const results = objectsIn(content).filter(({ type }) => type === "tool_result");
    for (const { tool_use_id: id, is_error: isError, content: result } of results) {
      let isSeen = false;
      for (const [agent, { writer, call }] of this.#byAgent) {
        if (call === undefined || call !== id) continue;
        isSeen = true;
        if (about["status"] === LAUNCHED) continue;
        // Progress records lack the last answer; the result is that answer.
        const answer = isError === true ? "" : contentText(result);
        if (answer !== "") writer.finish(answer, defined({ at }));
        writer.end({ ...(isError === true ? { reason: "unknown" as const } : {}), ...defined({ at }) });
        this.#byAgent.delete(agent);
      }
      if (!isSeen && results.length === 1) this.#elsewhere(about, { call: textIn(id), at });
    }
  };

  readonly notified: SideChains["notified"] = (text, at) => {
    const { agent = "", status } = NOTIFICATION.exec(text)?.groups ?? {};
    const reason = status === "completed" ? "done" : "unknown";
    this.#byAgent.get(agent)?.writer.end({ reason, ...defined({ at }) });
    this.#byAgent.delete(agent);
    if (!this.#launched.delete(agent)) return;
    this.#session.record({ type: "child.finished", child: `${this.#session.id}/${agent}`, reason, ...defined({ at }) });
  };

  readonly atWork: SideChains["atWork"] = () => this.#launched.size > 0;

  readonly adopt: SideChains["adopt"] = (agent) => {
    this.#own = agent;
  };

  readonly endAll: SideChains["endAll"] = () => {
    for (const { writer } of this.#byAgent.values()) writer.end();
    this.#byAgent.clear();
  };

  #chainFor(
    agent: string,
    { call, text, at }: { readonly call?: string | undefined; readonly text: string; readonly at: number | undefined },
  ): Chain {
    const found = this.#byAgent.get(agent);
    if (found !== undefined) return found;
    const from = call ?? this.#calls.get(text);
    const writer = this.#session.child({
      id: `${this.#session.id}/${agent}`,
      ...defined({ call: from, startedAt: at }),
      ...(text !== "" && { task: { text } }),
    });
    const chain = { writer, call: from };
    this.#byAgent.set(agent, chain);
    return chain;
  }

  /** Later versions keep a sub-agent in a file of its own: the session only has what it cost and how much it edited. */
  #elsewhere(
    { agentId, prompt, usage, totalToolUseCount, toolStats, status }: LooseObject,
    { call, at }: { readonly call: string; readonly at: number | undefined },
  ): void {
    if (typeof agentId !== "string") return;
    const child = `${this.#session.id}/${agentId}`;
    const spent = anthropicUsage(usage);
    const time = defined({ at });
    this.#session.record({ type: "child.started", child, call, ...time, ...defined({ task: nameIn(prompt) }) });
    // It works in the background: the answer only says that it was started.
    if (status === LAUNCHED) {
      if (this.#launched.size < MAX_TASKS) this.#launched.add(agentId);
      return;
    }
    this.#session.record({
      type: "child.progressed",
      child,
      ...time,
      ...defined({ usage: spent, toolCalls: numberIn(totalToolUseCount) }),
    });
    // The names of the files are not there.
    const hasEdited = (numberIn(toObject(toolStats)["editFileCount"]) ?? 0) > 0;
    this.#session.record({
      type: "child.finished",
      child,
      reason: "done",
      ...(hasEdited && { changed: [""] }),
      ...time,
    });
  }

  #agentOf({ agentId, parentUuid, uuid }: LooseObject): string {
    const agent =
      nameIn(agentId) ?? this.#agentByLine.get(textIn(parentUuid)) ?? `agent-${String((this.#unnamed += 1))}`;
    if (typeof uuid === "string") {
      setBounded(this.#agentByLine, [uuid, agent], MAX_PLACES);
    }
    return agent;
  }
}
