import type { NewEvent, RunEvent } from "@phasekit/core";
import { isObject } from "@phasekit/core/adapter";
import { stableText } from "./call-matcher.ts";

/** A call as an agent's hook describes it. */
interface CurrentCall {
  readonly call?: string;
  readonly tool: string;
  readonly input?: unknown;
}

/** Options for `missedEvents()`. */
export interface MissedEventsOptions {
  /** The events of the session's runs, in order. */
  readonly recorded: readonly RunEvent[];
  /** Calls that the event at hand is about: they are not missed. */
  readonly current?: readonly CurrentCall[];
  /** The prompt that the event at hand is about. */
  readonly prompt?: string;
}

interface SeenCall extends CurrentCall {
  isDone: boolean;
}

type LoggedCall = NewEvent<"tool.finished"> & { readonly call: string };

/** Longer inputs may be clipped in one of the two logs. */
const KEY_LENGTH = 200;
/** Calls that are compared by what they ask; more of them are compared from the end. */
const MAX_COMPARED = 1000;

/**
 * Returns the events of an agent's own log that its live run does not have: turns, calls that finished, prompts. Calls
 * are compared by their ids, or by what they ask where the hooks have none. Undefined if the two share no call:
 * the log is then about something else.
 */
export function missedEvents(
  logged: readonly NewEvent[],
  { recorded, current = [], prompt = "" }: MissedEventsOptions,
): readonly NewEvent[] | undefined {
  const { finished, unfinished } = callsIn(logged);
  const seen = callsOf(recorded);
  // The log may have the result of the call at hand, or not yet.
  const isInLog = (call: CurrentCall): boolean => !unfinished.some((open) => keyOf(open) === keyOf(call));
  for (const call of current.filter(isInLog)) {
    const open = seen.find((one) => !one.isDone && (one.call === call.call || keyOf(one) === keyOf(call)));
    if (open === undefined) seen.push({ ...call, isDone: true });
    else open.isDone = true;
  }
  const same = sameCalls(finished, seen);
  if (same.size === 0 && seen.length > current.length && finished.length > 0) return undefined;
  const missed = collect(logged, { finished, same, prompts: [...promptsOf(recorded), prompt] });
  return isTurnOpen(recorded) ? withoutFirstTurn(missed) : missed;
}

/** The last turn began, and none of its calls has ended. */
function isTurnOpen(recorded: readonly RunEvent[]): boolean {
  return recorded.findLast(({ type }) => type === "turn.started" || type === "tool.finished")?.type === "turn.started";
}

function withoutFirstTurn(missed: readonly NewEvent[]): readonly NewEvent[] {
  const first = missed.findIndex(({ type }) => type === "turn.started");
  return missed.filter((_event, index) => index !== first);
}

/** The calls of a log. A finished one has the input of its request: the run takes it as one event. */
function callsIn(logged: readonly NewEvent[]): {
  readonly finished: readonly LoggedCall[];
  readonly unfinished: readonly NewEvent<"tool.requested">[];
} {
  const open = new Map<string, NewEvent<"tool.requested">>();
  const finished: LoggedCall[] = [];
  for (const event of logged) {
    if (event.type === "tool.requested") open.set(event.call ?? "", event);
    if (event.type !== "tool.finished" || event.call === undefined) continue;
    const { input, at } = open.get(event.call) ?? {};
    open.delete(event.call);
    const took = at === undefined || event.at === undefined ? undefined : Math.max(0, event.at - at);
    finished.push({
      ...(input !== undefined && { input }),
      ...(took !== undefined && { durationMs: took }),
      ...event,
      call: event.call,
    });
  }
  return { finished, unfinished: [...open.values()] };
}

/** The calls of the runs so far. One that was refused is done. */
function callsOf(recorded: readonly RunEvent[]): SeenCall[] {
  const calls: SeenCall[] = [];
  const open = new Map<string, SeenCall>();
  for (const event of recorded) {
    if (event.type === "tool.requested") {
      const call: SeenCall = { ...event, isDone: false };
      calls.push(call);
      open.set(event.call ?? "", call);
    } else if (event.type === "tool.finished" || event.type === "tool.refused") {
      const known = open.get(event.call ?? "");
      if (known !== undefined) known.isDone = true;
      else if (event.type === "tool.finished") calls.push({ ...event, isDone: true });
    }
  }
  return calls;
}

/** The seen calls by the ids of the logged ones: first by their ids, the others by what they ask. */
function sameCalls(finished: readonly LoggedCall[], seen: readonly SeenCall[]): ReadonlyMap<string, SeenCall> {
  const byId = new Map(seen.map((call) => [call.call, call]));
  const logged = new Set(finished.map(({ call }) => call));
  const same = inBoth(
    finished.filter(({ call }) => !byId.has(call)).slice(-MAX_COMPARED),
    seen.filter(({ call = "" }) => !logged.has(call)).slice(-MAX_COMPARED),
  );
  for (const { call } of finished) {
    const known = byId.get(call);
    if (known !== undefined) same.set(call, known);
  }
  return same;
}

/** The longest sequence of calls that both lists have, in the same order. */
function inBoth(finished: readonly LoggedCall[], seen: readonly SeenCall[]): Map<string, SeenCall> {
  const [a, b] = [finished.map(keyOf), seen.map(keyOf)];
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const same = new Map<string, SeenCall>();
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [call, known] = [finished[i], seen[j]];
    if (a[i] === b[j] && call !== undefined && known !== undefined) {
      same.set(call.call, known);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return same;
}

function keyOf({ tool, input }: Partial<CurrentCall>): string {
  return `${String(tool)} ${stableText(isObject(input) ? input : null).slice(0, KEY_LENGTH)}`;
}

function promptsOf(recorded: readonly RunEvent[]): readonly string[] {
  return recorded.flatMap((event) => {
    if (event.type === "run.started") return event.task?.text ?? [];
    return event.type === "message.received" && event.from === "user" ? (event.excerpt ?? []) : [];
  });
}

/** Collects missed calls: with their turns, and the prompts before them. */
function collect(
  logged: readonly NewEvent[],
  {
    finished,
    same,
    prompts,
  }: {
    readonly finished: readonly LoggedCall[];
    readonly same: ReadonlyMap<string, SeenCall>;
    readonly prompts: readonly string[];
  },
): readonly NewEvent[] {
  const calls = new Map(finished.map((call) => [call.call, call]));
  const heard = prompts.map(plain);
  const missed: NewEvent[] = [];
  /** Events that are missed if the next call is. */
  let pending: NewEvent[] = [];
  for (const event of logged) {
    if (event.type === "turn.started" || event.type === "context.compacted") pending.push(event);
    else if (event.type === "message.received" && event.from === "user") {
      const text = "text" in event ? plain(event.text) : "";
      const index = heard.findIndex((one) => one !== "" && (one.startsWith(text) || text.startsWith(one)));
      if (index >= 0) heard.splice(index, 1);
      else if (text !== "" && !text.includes("<phasekit>")) pending.push(event);
    } else if (event.type === "tool.finished") {
      const call = calls.get(event.call ?? "");
      const known = same.get(call?.call ?? "");
      // The run may know the request, under an id of its own.
      if (call !== undefined && known?.isDone !== true)
        missed.push(...pending, known?.call === undefined ? call : { ...call, call: known.call });
      else missed.push(...nextTurn(missed, pending));
      pending = [];
    }
  }
  return [...missed, ...nextTurn(missed, pending)];
}

/** The turn after missed calls began in the blind time. */
function nextTurn(missed: readonly NewEvent[], pending: readonly NewEvent[]): readonly NewEvent[] {
  return missed.at(-1)?.type === "tool.finished" ? pending.filter(({ type }) => type === "turn.started") : [];
}

const plain = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, KEY_LENGTH);

/** The number of calls among missed events. */
export function countCalls(events: readonly NewEvent[]): number {
  return events.filter((event): event is NewEvent<"tool.finished"> => event.type === "tool.finished").length;
}
