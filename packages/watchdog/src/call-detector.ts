import { type Alert, definePolicy, type EventOf, type Policy } from "@phasekit/core";
import { type AskedFor, askedFor, NOTHING_ASKED } from "./asked-for.ts";
import { pushRoughly } from "./bounded.ts";
import { type Call, readCall, withAnswer } from "./call.ts";
import { aboutHash } from "./fingerprint.ts";
import type { ToolRules } from "./tool-rules.ts";

/** What every call detector remembers. */
export interface DetectorState {
  /**
   * It has nothing to report, and an ordinary call would not change that: a first, successful call that looks at
   * something or runs something. Most calls are, so a detector that waits for something else is not shown them.
   */
  idle: boolean;
}

/** What a detector may know about a call beside the call itself; one live object for all detectors of a policy. */
interface CallContext {
  readonly event: EventOf<"tool.finished">;
  /** The call before, waiting aside, and what it answered. */
  readonly before: Call | undefined;
  readonly answer: unknown;
  /** This call is about the same as the one before. */
  readonly near: boolean;
  /** The agent has waited since then. */
  readonly waited: boolean;
  /** How many calls there were so far, waiting aside. */
  readonly number: number;
  /** What the last message to the agent asked for. */
  readonly asked: AskedFor;
  /** The last calls with this one at the end, without waiting and without repetitions inside one turn. */
  readonly recent: readonly Call[];
}

/** A detector that reads finished calls: what it keeps, how a call changes that, and what holds now. */
export interface CallDetector<TState extends DetectorState> {
  readonly name: string;
  readonly tools: ToolRules | undefined;
  /** Which ordinary calls it is shown even while it is idle: all, or those that do not look at something. @default none */
  readonly sees?: "all" | "doing";
  readonly initial: () => TState;
  readonly onCall: (state: TState, call: Call, context: CallContext) => void;
  /** Notices a request, for those that need its arguments. */
  readonly onRequest?: (state: TState, event: EventOf<"tool.requested">) => void;
  /** What holds after the last call; asked only when it is not idle. */
  readonly report: (state: Readonly<TState>) => Alert | undefined;
}

type AnyDetector = CallDetector<DetectorState>;

/** The states of the detectors of one policy, and the calls they share. */
interface CallState {
  readonly parts: DetectorState[];
  /** Some detector is not idle. */
  awake: boolean;
  readonly context: { event: EventOf<"tool.finished"> | undefined; before: Call | undefined; answer: unknown; about: number; near: boolean; waited: boolean; number: number; asked: AskedFor; readonly recent: Call[] };
}

const MAX_RECENT = 64;

// How a detector is made into a policy is known here only: bundles look it up to run many of them as one.
const detectors = new WeakMap<Policy, AnyDetector>();

/** Makes a policy of a detector. A message to the agent is a new start. */
export function callDetector<TState extends DetectorState>(detector: CallDetector<TState>): Policy {
  const policy = toPolicy(detector.name, [detector as unknown as AnyDetector]);
  detectors.set(policy, detector as unknown as AnyDetector);
  return policy;
}

/**
 * Runs many call detectors as one policy, so that a run asks once per event instead of once per detector. The alerts are
 * the same; their policy is the bundle.
 */
export function bundleDetectors(name: string, policies: readonly Policy[]): Policy {
  return toPolicy(name, policies.flatMap((policy) => detectors.get(policy) ?? []));
}

function toPolicy(name: string, parts: readonly AnyDetector[]): Policy {
  const requests = parts.flatMap(({ onRequest }, index) => (onRequest === undefined ? [] : [{ onRequest, index }]));
  const every = parts.map((_, index) => index);
  const seeLooks = every.filter((index) => parts[index]?.sees === "all");
  const seeDoing = every.filter((index) => parts[index]?.sees !== undefined);
  const tools = parts[0]?.tools;
  return definePolicy<CallState>({
    name,
    version: "1",
    initial: () => ({ parts: parts.map(({ initial }) => initial()), awake: false, context: { event: undefined, before: undefined, answer: undefined, about: 0, near: false, waited: false, number: 0, asked: NOTHING_ASKED, recent: [] } }),
    observe: {
      "tool.finished": (state, event) => {
        const call = readCall(event, tools);
        if (call === undefined) return;
        const { parts: states, context } = state;
        if (!call.waits) remember(context, call, event);
        const about = aboutHash(call.fingerprint);
        context.event = event;
        context.near = about === context.about && context.before?.tool === call.tool;
        const ordinary = call.ordinary && !context.near;
        // While all of them are idle, an ordinary call is shown to the few that want to see it.
        const shown = !ordinary || state.awake ? every : call.looks ? seeLooks : seeDoing;
        // Who is not shown a call stays as it was: idle.
        let awake = false;
        for (const index of shown) {
          const detector = parts[index];
          const part = states[index];
          if (detector === undefined || part === undefined || (ordinary && part.idle && !seesOrdinary(detector, call))) continue;
          detector.onCall(part, call, context as CallContext);
          awake ||= !part.idle;
        }
        state.awake = awake;
        context.waited = call.waits;
        if (call.waits) return;
        context.before = call;
        context.answer = event.output;
        context.about = about;
      },
      "tool.requested": ({ parts: states }, event) => {
        for (const { onRequest, index } of requests) {
          const state = states[index];
          if (state !== undefined) onRequest(state, event);
        }
      },
      "run.started": ({ context }, { task }) => {
        context.asked = askedFor(task?.text ?? "");
      },
      "message.received": (state, { excerpt = "" }) => {
        const { parts: states, context } = state;
        context.asked = askedFor(excerpt);
        for (const [index, { initial }] of parts.entries()) states[index] = initial();
        state.awake = false;
        context.before = undefined;
        context.answer = undefined;
        context.recent.length = 0;
      },
    },
    decide: {
      "tool.finished": (_run, { parts: states, awake }) => {
        if (!awake) return undefined;
        let alerts: Alert[] | undefined;
        for (let index = 0; index < states.length; index += 1) {
          const state = states[index];
          if (state === undefined || state.idle) continue;
          const found = parts[index]?.report(state);
          if (found !== undefined) (alerts ??= []).push(found);
        }
        return alerts;
      },
    },
  });
}

function seesOrdinary({ sees }: AnyDetector, { looks }: Call): boolean {
  return sees === "all" || (sees === "doing" && !looks);
}

function remember(context: CallState["context"], call: Call, event: EventOf<"tool.finished">): void {
  const { recent } = context;
  context.number += 1;
  if (call.compacts) recent.length = 0;
  for (let index = recent.length - 1; index >= 0 && recent[index]?.turn === call.turn; index -= 1) {
    if (recent[index]?.fingerprint === call.fingerprint) return;
  }
  // One call over and over is no cycle, so only what alternates is compared with earlier answers.
  pushRoughly(recent, call.moved === true && context.before?.fingerprint !== call.fingerprint ? withAnswer(call, event) : call, MAX_RECENT);
}
