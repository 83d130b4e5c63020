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
const MAX_PARENTS = 1024;

/** Creates a reader. It drops events that are taken already, or come twice. */
export function createEventReader({
  now,
  isTaken,
}: {
  readonly now: () => number;
  readonly isTaken: (id: string) => boolean;
}): EventReader {
  /** When payloads came last, by their hash. */
  const recent = new Map<string, number>();
  /** The sessions of sub-agents: one may start sub-agents of its own, which name it as their session. */
  const parents = new Map<string, string>();

  /** True for an event that a second installation, such as one of the project beside the user's, sends as well. */
  function isDoubled(agent: string, payload: string): boolean {
    const key = `${agent} ${hashText(payload)}`;
    const seenAt = recent.get(key);
    const isNew = seenAt === undefined || now() - seenAt > DOUBLED_MS;
    keep(recent, [key, now()], MAX_RECENT);
    return !isNew;
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
      if (isDoubled(agent.name, typeof sent === "string" ? sent : JSON.stringify([sent]))) return undefined;
      const event = withRoot(agent.read(payload, nameIn(head["event"])));
      const isNothing = event.session === "" || event.kind === "ignored";
      // A sub-agent does not end the session.
      if (isNothing || (event.kind === "session.ended" && event.subagent !== undefined)) return undefined;
      const at = numberIn(head["at"]);
      return { agent, event, id, until: numberIn(head["until"]) ?? (at === undefined ? undefined : at + PATIENCE_MS) };
    },
  };
}

function keep<T>(map: Map<string, T>, [key, value]: readonly [string, T], limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > limit) map.delete(map.keys().next().value ?? "");
}
