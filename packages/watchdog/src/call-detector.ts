import { type Alert, definePolicy, type EventOf, type Policy } from "@phasekit/core";
import { pushRoughly } from "./bounded.ts";
import { type Call, readCall } from "./call.ts";
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
  /** The call before, waiting aside. */
  readonly before: Call | undefined;
  /** The agent has waited since then. */
  readonly waited: boolean;
  /** How many calls there were so far, waiting aside. */
  readonly number: number;
  /** The last calls with this one at the end, without waiting and without repetitions inside one turn. */
  readonly recent: readonly Call[];
}

/** A detector that reads finished calls: what it keeps, how a call changes that, and what holds now. */
export interface CallDetector<TState extends DetectorState> {
  readonly name: string;
  readonly tools: ToolRules | undefined;
  /** It is shown ordinary calls even while it is idle. @default false */
  readonly seesAll?: boolean;
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
  readonly context: { event: EventOf<"tool.finished"> | undefined; before: Call | undefined; waited: boolean; number: number; readonly recent: Call[] };
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
  const always = parts.map(({ seesAll = false }) => seesAll);
  const tools = parts[0]?.tools;
  return definePolicy<CallState>({
    name,
    version: "1",
    initial: () => ({ parts: parts.map(({ initial }) => initial()), context: { event: undefined, before: undefined, waited: false, number: 0, recent: [] } }),
    observe: {
      "tool.finished": ({ parts: states, context }, event) => {
        const call = readCall(event, tools);
        if (call === undefined) return;
        if (!call.waits) remember(context, call);
        context.event = event;
        for (let index = 0; index < parts.length; index += 1) {
          const state = states[index];
          if (state === undefined || (call.ordinary && state.idle && always[index] !== true)) continue;
          parts[index]?.onCall(state, call, context as CallContext);
        }
        context.waited = call.waits;
        if (!call.waits) context.before = call;
      },
      "tool.requested": ({ parts: states }, event) => {
        for (const { onRequest, index } of requests) {
          const state = states[index];
          if (state !== undefined) onRequest(state, event);
        }
      },
      "message.received": ({ parts: states, context }) => {
        for (const [index, { initial }] of parts.entries()) states[index] = initial();
        context.before = undefined;
        context.recent.length = 0;
      },
    },
    decide: {
      "tool.finished": (_run, { parts: states }) => {
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

function remember(context: CallState["context"], call: Call): void {
  const { recent } = context;
  context.number += 1;
  if (call.compacts) recent.length = 0;
  for (let index = recent.length - 1; index >= 0 && recent[index]?.turn === call.turn; index -= 1) {
    if (recent[index]?.fingerprint === call.fingerprint) return;
  }
  pushRoughly(recent, call, MAX_RECENT);
}
