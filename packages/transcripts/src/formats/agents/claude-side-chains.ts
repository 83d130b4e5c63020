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
const MAX_PLACES = 20_000;
const MAX_TASKS = 1000;

/** Sorts the lines of sub-agents: by the agent's id where there is one, by the line they follow where there is none. */
export function createSideChains(session: RunWriter): SideChains {
  const byAgent = new Map<string, Chain>();
  /** Older versions have no ids: a line belongs to the agent of the line it follows. */
  const agentByLine = new Map<string, string>();
  /** Calls that may start an agent, by the prompt they give it. */
  const calls = new Map<string, string>();
  /** Agents at work in the background. */
  const launched = new Set<string>();
  let own: string | undefined;
  let unnamed = 0;

  function chainFor(
    agent: string,
    { call, text, at }: { readonly call?: string | undefined; readonly text: string; readonly at: number | undefined },
  ): Chain {
    const found = byAgent.get(agent);
    if (found !== undefined) return found;
    const from = call ?? calls.get(text);
    const writer = session.child({
      id: `${session.id}/${agent}`,
      ...defined({ call: from, startedAt: at }),
      ...(text !== "" && { task: { text } }),
    });
    const chain = { writer, call: from };
    byAgent.set(agent, chain);
    return chain;
  }

  /** Later versions keep a sub-agent in a file of its own: the session only has what it cost and how much it edited. */
  function elsewhere(
    { agentId, prompt, usage, totalToolUseCount, toolStats, status }: LooseObject,
    { call, at }: { readonly call: string; readonly at: number | undefined },
  ): void {
    if (typeof agentId !== "string") return;
    const child = `${session.id}/${agentId}`;
    const spent = anthropicUsage(usage);
    const time = defined({ at });
    session.record({ type: "child.started", child, call, ...time, ...defined({ task: nameIn(prompt) }) });
    // It works in the background: the answer only says that it was started.
    if (status === "async_launched") {
      if (launched.size < MAX_TASKS) launched.add(agentId);
      return;
    }
    session.record({
      type: "child.progressed",
      child,
      ...time,
      ...defined({ usage: spent, toolCalls: numberIn(totalToolUseCount) }),
    });
    // The names of the files are not there.
    const hasEdited = (numberIn(toObject(toolStats)["editFileCount"]) ?? 0) > 0;
    session.record({ type: "child.finished", child, reason: "done", ...(hasEdited && { changed: [""] }), ...time });
  }

  function agentOf({ agentId, parentUuid, uuid }: LooseObject): string {
    const agent = nameIn(agentId) ?? agentByLine.get(textIn(parentUuid)) ?? `agent-${String((unnamed += 1))}`;
    if (typeof uuid === "string") {
      setBounded(agentByLine, [uuid, agent], MAX_PLACES);
    }
    return agent;
  }

  return {
    writerFor: (line) => {
      const { content } = toObject(line["message"]);
      if (line["isSidechain"] !== true || (own !== undefined && line["agentId"] === own)) {
        for (const { type, id, input } of objectsIn(content)) {
          const prompt = type === "tool_use" ? nameIn(toObject(input)["prompt"]) : undefined;
          if (prompt !== undefined && calls.size < MAX_TASKS) calls.set(prompt, textIn(id));
        }
        return session;
      }
      return chainFor(agentOf(line), { text: contentText(content), at: timeIn(line["timestamp"]) }).writer;
    },
    progress: (line) => {
      const { type, agentId, message, prompt } = toObject(line["data"]);
      const inner = toObject(message);
      if (
        type !== "agent_progress" ||
        typeof agentId !== "string" ||
        (inner["type"] !== "assistant" && inner["type"] !== "user")
      )
        return undefined;
      const at = timeIn(line["timestamp"]);
      const { writer } = chainFor(agentId, { call: nameIn(line["parentToolUseID"]), text: textIn(prompt), at });
      return { writer, line: { timestamp: line["timestamp"], ...inner } };
    },
    answered: (content, about, at) => {
      const results = objectsIn(content).filter(({ type }) => type === "tool_result");
      for (const { tool_use_id: id, is_error: isError } of results) {
        let isSeen = false;
        for (const [agent, { writer, call }] of byAgent) {
          if (call === undefined || call !== id) continue;
          isSeen = true;
          writer.end({ ...(isError === true ? { reason: "unknown" as const } : {}), ...defined({ at }) });
          byAgent.delete(agent);
        }
        if (!isSeen && results.length === 1) elsewhere(about, { call: textIn(id), at });
      }
    },
    notified: (text, at) => {
      const { agent = "", status } = NOTIFICATION.exec(text)?.groups ?? {};
      if (!launched.delete(agent)) return;
      const reason = status === "completed" ? "done" : "unknown";
      session.record({ type: "child.finished", child: `${session.id}/${agent}`, reason, ...defined({ at }) });
    },
    atWork: () => launched.size > 0,
    adopt: (agent) => {
      own = agent;
    },
    endAll: () => {
      for (const { writer } of byAgent.values()) writer.end();
      byAgent.clear();
    },
  };
}
