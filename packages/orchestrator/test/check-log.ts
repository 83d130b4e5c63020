import { conversationPhases, type RunEvent } from "@phasekit/core";
import { edgesFrom } from "@phasekit/core/adapter";
import {
  agentFinished,
  completionIgnored,
  conversationEnding,
  roundClosed,
  roundOpened,
} from "../src/conversation/conversation-events.ts";

/** What is wrong with the log of a conversation on the conversation graph; nothing when every promise was kept. */
export function checkLog(log: readonly RunEvent[]): readonly string[] {
  const problems: string[] = [];
  const open = new Map<
    string,
    { readonly agents: readonly string[]; readonly phase: string; readonly done: Map<string, number> }
  >();
  const rounds = new Map<string, "open" | "closed">();
  const reflected = new Set<string>();
  let phase: string = conversationPhases.initial;
  let ending = false;
  for (const [index, event] of log.entries()) {
    if (event.type === "phase.transition") {
      if (event.from !== phase) problems.push(`${event.seq}: left "${event.from}" while in "${phase}"`);
      if (!edgesFrom(conversationPhases, event.from).some(({ to }) => to === event.to))
        problems.push(`${event.seq}: no edge from ${event.from} to ${event.to}`);
      phase = event.to;
      if (event.from === "reflection" && event.to === "chat") reflected.clear();
    } else if (roundOpened.is(event)) {
      const { round, agents, phase: where } = event.data;
      if (ending) problems.push(`${event.seq}: a round after the end`);
      if (open.size > 0) problems.push(`${event.seq}: ${round} opened while another is open`);
      if (rounds.has(round)) problems.push(`${event.seq}: ${round} opened twice`);
      if (where !== phase) problems.push(`${event.seq}: ${round} is in "${where}", the conversation in "${phase}"`);
      rounds.set(round, "open");
      open.set(round, { agents, phase: where, done: new Map() });
    } else if (agentFinished.is(event)) {
      const { round: id, agent, outcome } = event.data;
      const next = log[index + 1];
      if (next !== undefined && completionIgnored.is(next) && next.cause === event.seq) continue;
      const round = open.get(id);
      if (round === undefined) problems.push(`${event.seq}: a completion of ${id} was taken although it is not open`);
      else {
        if (round.done.has(agent)) problems.push(`${event.seq}: ${agent} finished ${id} twice`);
        round.done.set(agent, event.seq);
        if (round.phase === "reflection" && outcome === "done") {
          if (reflected.has(agent)) problems.push(`${event.seq}: ${agent} reflected twice in one cycle`);
          reflected.add(agent);
        }
      }
    } else if (roundClosed.is(event)) {
      const { round: id, why, missing } = event.data;
      const round = open.get(id);
      if (round === undefined)
        problems.push(`${event.seq}: ${id} closed although it is ${rounds.get(id) ?? "unknown"}`);
      else {
        const lacking = round.agents.filter((agent) => !round.done.has(agent));
        if (JSON.stringify(lacking) !== JSON.stringify(missing))
          problems.push(`${event.seq}: ${id} says that ${missing.join()} are missing, but ${lacking.join()} are`);
        if (why === "complete" && lacking.length > 0)
          problems.push(`${event.seq}: ${id} is complete without ${lacking.join()}`);
      }
      open.delete(id);
      rounds.set(id, "closed");
    } else if (conversationEnding.is(event)) ending = true;
    else if (event.type === "run.finished" && open.size > 0) problems.push(`${event.seq}: ended with an open round`);
  }
  return problems;
}
