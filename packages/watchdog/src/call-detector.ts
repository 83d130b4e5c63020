import { type Alert, definePolicy, type EventOf, type Policy } from "@phasekit/core";
import { type Call, readCall } from "./call.ts";
import type { ToolRules } from "./tool-rules.ts";

/** A detector that reads finished calls: what it keeps, how a call changes that, and what holds now. */
export interface CallDetector<TState> {
  readonly name: string;
  readonly tools: ToolRules | undefined;
  readonly initial: () => TState;
  readonly onCall: (state: TState, call: Call, event: EventOf<"tool.finished">) => void;
  /** Notices a request, for those that need its arguments. */
  readonly onRequest?: (state: TState, event: EventOf<"tool.requested">) => void;
  /** What holds after the last call. */
  readonly report: (state: Readonly<TState>) => Alert | undefined;
}

// How a detector is made into a policy is known here only: bundles look it up to run many of them as one.
const detectors = new WeakMap<Policy, CallDetector<object>>();

/** Makes a policy of a detector. A message to the agent is a new start. */
export function callDetector<TState extends object>(detector: CallDetector<TState>): Policy<TState> {
  const { name, tools, initial, onCall, onRequest, report } = detector;
  const policy = definePolicy<TState>({
    name,
    version: "1",
    initial,
    observe: {
      "tool.finished": (state, event) => {
        const call = readCall(event, tools);
        if (call !== undefined) onCall(state, call, event);
      },
      ...(onRequest !== undefined && { "tool.requested": onRequest }),
      "message.received": (state) => { Object.assign(state, initial()); },
    },
    decide: { "tool.finished": (_run, state) => report(state) },
  });
  detectors.set(policy, detector as unknown as CallDetector<object>);
  return policy;
}

/**
 * Runs many call detectors as one policy, so that a run asks once per event instead of once per detector. The alerts are
 * the same; their policy is the bundle.
 */
export function bundleDetectors(name: string, policies: readonly Policy[]): Policy<object[]> {
  const parts = policies.flatMap((policy) => detectors.get(policy) ?? []);
  const requests = parts.flatMap(({ onRequest }, index) => (onRequest === undefined ? [] : [{ onRequest, index }]));
  const tools = parts[0]?.tools;
  return definePolicy<object[]>({
    name,
    version: "1",
    initial: () => parts.map(({ initial }) => initial()),
    observe: {
      "tool.finished": (states, event) => {
        const call = readCall(event, tools);
        if (call === undefined) return;
        for (let index = 0; index < parts.length; index += 1) parts[index]?.onCall(states[index] ?? {}, call, event);
      },
      "tool.requested": (states, event) => {
        for (const { onRequest, index } of requests) onRequest(states[index] ?? {}, event);
      },
      "message.received": (states) => {
        for (const [index, { initial }] of parts.entries()) Object.assign(states[index] ?? {}, initial());
      },
    },
    decide: {
      "tool.finished": (_run, states) => {
        let alerts: Alert[] | undefined;
        for (let index = 0; index < parts.length; index += 1) {
          const found = parts[index]?.report(states[index] ?? {});
          if (found !== undefined) (alerts ??= []).push(found);
        }
        return alerts;
      },
    },
  });
}
