import { hashText, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { agentOf, type HookAgent, type HookEvent, isAgentName } from "@phasekit/hooks";

/** An event that is to be taken in. */
export interface IncomingEvent {
  readonly agent: HookAgent;
  readonly event: HookEvent;
  /** Equal for an event that is sent again, or read from the spool. */
  readonly id: string | undefined;
  /** Until when its sender waits for the answer; undefined if it does not say. */
  readonly until: number | undefined;
  /** The agent's process, if its sender works inside it. */
  readonly pid: number | undefined;
}

/** Reads the requests of hook commands. */
export interface EventReader {
  /** The event of a request; undefined if there is nothing to do about it. */
  readonly read: (head: LooseObject, payload: string | object) => IncomingEvent | undefined;
}

/** A sender of an earlier version does not say how long it waits: no longer than this. */
const PATIENCE_MS = 900;
/** Two installations send the same event within this time. */
const DOUBLED_MS = 1500;
const MAX_RECENT = 256;
const MAX_SENDERS = 16;
const MAX_PARENTS = 1024;

/** A payload that came a short time ago. */
interface RecentPayload {
  readonly at: number;
  /** How often one sender sent it at most. */
  readonly most: number;
  readonly times: Map<string, number>;
}

/** Creates a reader. It drops events that are taken already, or come twice. */
export function createEventReader({
  now,
  isTaken,
}: {
  readonly now: () => number;
  readonly isTaken: (id: string) => boolean;
}): EventReader {
  const recent = new Map<string, RecentPayload>();
  /** Senders of one event each. */
  let lonely = 0;
  /** The sessions of sub-agents: one may start sub-agents of its own, which name it as their session. */
  const parents = new Map<string, string>();

  /**
   * True for an event that a second installation, such as one of the project beside the user's, sends as well. A sender
   * that sends equal payloads means as many events.
   */
  function isDoubled(agent: string, payload: string, sender: string): boolean {
    const key = `${agent} ${hashText(payload)}`;
    const known = recent.get(key);
    const isRecent = known !== undefined && now() - known.at <= DOUBLED_MS;
    const { most, times } = isRecent ? known : { most: 0, times: new Map<string, number>() };
    const own = (times.get(sender) ?? 0) + 1;
    keep(times, [sender, own], MAX_SENDERS);
    keep(recent, [key, { at: now(), most: Math.max(most, own), times }], MAX_RECENT);
    return own <= most;
  }

  function withRoot(event: HookEvent): HookEvent {
    const { agent, session, subagent } = event;
    const root = parents.get(`${agent}-${session}`) ?? session;
    if (subagent !== undefined && subagent !== root) keep(parents, [`${agent}-${subagent}`, root], MAX_PARENTS);
    return root === session ? event : { ...event, session: root };
  }

  return {
    read: (head, sent) => {
      const id = nameIn(head["id"]);
      // Its sender gave up on the answer, and sent it again or left it in the spool.
      if (id !== undefined && isTaken(id)) return undefined;
      const installedFor = textIn(head["agent"]);
      if (installedFor !== "auto" && !isAgentName(installedFor)) return undefined;
      const payload = typeof sent === "string" ? toObject(JSON.parse(sent)) : toObject(sent);
      const agent = agentOf(payload, installedFor);
      // No answer, since the first one has it: a finish that comes twice is then accepted, not vetoed twice.
      const text = typeof sent === "string" ? sent : JSON.stringify([sent]);
      if (isDoubled(agent.name, text, nameIn(head["sender"]) ?? String((lonely += 1)))) return undefined;
      const event = withRoot(agent.read(payload, nameIn(head["event"])));
      const isNothing = event.session === "" || event.kind === "ignored";
      // A sub-agent does not end the session.
      if (isNothing || (event.kind === "session.ended" && event.subagent !== undefined)) return undefined;
      const at = numberIn(head["at"]);
      const until = numberIn(head["until"]) ?? (at === undefined ? undefined : at + PATIENCE_MS);
      return { agent, event, id, until, pid: numberIn(head["pid"]) };
    },
  };
}

function keep<T>(map: Map<string, T>, [key, value]: readonly [string, T], limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > limit) map.delete(map.keys().next().value ?? "");
}
