import type { RunEvent } from "@phasekit/core";
import { hashText } from "@phasekit/core/adapter";
import { blocked } from "./hook-events.ts";

/** Why an agent continues although a policy wanted to hold it back. */
export type WithheldWhy =
  | "mode"
  | "unknown-session"
  | "unreadable-state"
  | "planning"
  | "open-work"
  | "aborted"
  | "declared-wait"
  | "declared-unable"
  | "empty-turn"
  | "foreign-veto"
  | "same-text"
  | "refused-before"
  | "in-a-row"
  | "limit"
  | "not-delivered";

/** A refusal or veto that a policy asks for, with its circumstances. */
export interface BlockRequest {
  readonly block: "refuse" | "veto";
  readonly text: string;
  /** The session was seen from its start, or its log was read back. */
  readonly sessionKnown: boolean;
  /** The log of the session could be read. */
  readonly stateReadable: boolean;
  readonly planning?: boolean;
  readonly openWork?: number;
  readonly aborted?: boolean;
  /** The agent says that it continues because of a hook. */
  readonly continued?: boolean;
  /** The agent's last words. */
  readonly lastWords?: string;
}

/** The blocks of a session so far. Plain data; changed by `noteActivity`, `notePrompt` and `noteBlock` only. */
export interface GuardState {
  /** Tool calls that ran to an end since the last block. */
  activity: number;
  /** Blocks since something landed: an edit, passing tests, a prompt. */
  vetoesSinceProgress: number;
  refusalsSinceProgress: number;
  /** Vetoes since the user's last prompt. */
  vetoesSincePrompt: number;
  last: "none" | "refuse" | "veto";
  /** Hashes of the texts that were used since the user's last prompt. */
  said: string[];
  /** A user's prompt was interrupted and no new one came. */
  interrupted: boolean;
}

/** Limits of the guard. They hold in every agent, whatever limits the agent has itself. */
export const guardLimits = {
  vetoesSinceProgress: 2,
  refusalsSinceProgress: 4,
  vetoesSincePrompt: 4,
  rememberedTexts: 32,
} as const;

/** The state of a session that was never held back. */
export function emptyGuard(): GuardState {
  return {
    activity: 0,
    vetoesSinceProgress: 0,
    refusalsSinceProgress: 0,
    vetoesSincePrompt: 0,
    last: "none",
    said: [],
    interrupted: false,
  };
}

/** Ways to say that the agent waits, as parts of one pattern. */
const WAITS = [
  "waiting (?:for|on|until)",
  "i(?:'ll| will| am going to)? wait (?:for|until)",
  "will (?:check|resume|continue) (?:back )?(?:when|once|after|later)",
  "blocked on (?:you|your|the user)",
  "need (?:your|you to) (?:input|answer|decision|approve|confirm|choose)",
];
const DECLARED_WAIT = new RegExp(String.raw`\b(?:${WAITS.join("|")})\b`, "i");

/** True if the agent says that it waits for something or someone, which is a legal way to end a turn. */
export function declaresWait(text: string): boolean {
  return DECLARED_WAIT.test(text.slice(-2000));
}

/** Says that a check or a step of delivery was not possible: one that was asked for once is not asked for again. */
const UNABLE = new RegExp(
  [
    String.raw`\b(?:could ?n[o'’]t|could not|cannot|can[’']?t|(?:was|am|were) (?:un|not )able to|impossible to)\b`,
    String.raw`\b(?:run|test|verif|check|install|execut|commit|push|reach|open|access)`,
  ].join(".{0,60}"),
  "i",
);

/** True if the agent says that it could not do what was asked for. */
export function declaresUnable(text: string): boolean {
  return UNABLE.test(text.slice(-2000));
}

/**
 * The one guard around every way to hold an agent back. It answers undefined if the block may happen, else why not.
 * Everything unknown is decided for the agent.
 */
export function whyWithhold(state: Readonly<GuardState>, request: BlockRequest): WithheldWhy | undefined {
  if (!request.stateReadable) return "unreadable-state";
  if (!request.sessionKnown) return "unknown-session";
  return request.block === "veto" ? whyAccept(state, request) : whyAllow(state);
}

/** Why a tool call runs although a policy refused it. */
function whyAllow(state: Readonly<GuardState>): WithheldWhy | undefined {
  // Refusing the repair that a veto asked for is how agents get wedged.
  if (state.last === "veto" && state.activity === 0) return "in-a-row";
  if (state.last === "refuse" && state.activity === 0) return "in-a-row";
  return state.refusalsSinceProgress >= guardLimits.refusalsSinceProgress ? "limit" : undefined;
}

/** Why a finish is accepted although a policy vetoed it. */
function whyAccept(state: Readonly<GuardState>, request: BlockRequest): WithheldWhy | undefined {
  if (request.aborted === true || state.interrupted) return "aborted";
  if (request.planning === true) return "planning";
  if ((request.openWork ?? 0) > 0) return "open-work";
  if (declaresWait(request.lastWords ?? "")) return "declared-wait";
  if (state.vetoesSincePrompt > 0 && declaresUnable(request.lastWords ?? "")) return "declared-unable";
  if (state.last === "refuse" && state.activity === 0) return "refused-before";
  if (state.last === "veto" && state.activity === 0) return "empty-turn";
  // Another hook vetoed: two that veto in turn would never end.
  if (request.continued === true && state.vetoesSincePrompt === 0) return "foreign-veto";
  if (
    state.vetoesSinceProgress >= guardLimits.vetoesSinceProgress ||
    state.vetoesSincePrompt >= guardLimits.vetoesSincePrompt
  )
    return "limit";
  return state.said.includes(hashText(request.text)) ? "same-text" : undefined;
}

/**
 * The guard of a session that continues in another process, from the events of its run. Progress is not counted, so
 * that it holds the agent back less, not more.
 */
export function guardOf(events: readonly RunEvent[]): GuardState {
  const state = emptyGuard();
  for (const event of events) {
    const isPrompt =
      (event.type === "message.received" && event.from === "user") ||
      (event.type === "move.requested" && event.do === "resume" && event.by === "user");
    if (isPrompt) notePrompt(state);
    else if (event.type === "tool.finished") noteActivity(state);
    else if (blocked.is(event)) addBlock(state, event.data);
  }
  return state;
}

/** A block happened: the agent was held back. */
export function noteBlock(state: GuardState, { block, text }: Pick<BlockRequest, "block" | "text">): void {
  addBlock(state, { block, text: hashText(text) });
}

function addBlock(state: GuardState, { block, text }: Pick<BlockRequest, "block" | "text">): void {
  state.last = block;
  state.activity = 0;
  if (block === "veto") {
    state.vetoesSinceProgress += 1;
    state.vetoesSincePrompt += 1;
    state.said.push(text);
    if (state.said.length > guardLimits.rememberedTexts) state.said.shift();
  } else state.refusalsSinceProgress += 1;
}

/** The last veto did not reach the agent. */
export function withdrawBlock(state: GuardState): void {
  state.vetoesSinceProgress = Math.max(0, state.vetoesSinceProgress - 1);
  state.vetoesSincePrompt = Math.max(0, state.vetoesSincePrompt - 1);
  state.said.pop();
  state.last = "none";
}

/** A tool call ran to its end; `progress` if something landed. */
export function noteActivity(state: GuardState, { progress = false }: { readonly progress?: boolean } = {}): void {
  state.activity += 1;
  if (!progress) return;
  state.vetoesSinceProgress = 0;
  state.refusalsSinceProgress = 0;
}

/** The user spoke: everything starts anew. */
export function notePrompt(state: GuardState): void {
  Object.assign(state, emptyGuard());
}

/** The user interrupted the turn. */
export function noteInterrupt(state: GuardState): void {
  state.interrupted = true;
}
