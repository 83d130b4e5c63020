import { pushBounded } from "../text/bounded.ts";
import { alert, type Alert, nudge, refuse } from "./decision.ts";
import { assertNumbers } from "../text/assert-numbers.ts";
import { definePolicy, type Policy } from "./policy.ts";
import { depthOf, type RunView } from "../view/run-view.ts";

/** Options for `subAgentLimit()`. All optional. */
export interface SubAgentLimitOptions {
  /** Sub-agents one run may start. @default 20 */
  readonly count?: number;
  /** Sub-agents of one run at work together. @default 8 */
  readonly running?: number;
  /** How deep sub-agents may be nested: 1 lets the first run delegate, and none of its sub-agents. @default 2 */
  readonly depth?: number;
  /** Sub-agents started within a time span. @default { count: 10, withinMs: 60000 } */
  readonly rate?: { readonly count: number; readonly withinMs: number };
}

interface SpawnState {
  started: number;
  /** When the last ones were started. */
  readonly times: number[];
}

const MAX_TIMES = 256;

/**
 * Limits how many sub-agents a run starts, how deep they are nested and how fast they come. Over a limit, calls that
 * delegate are refused in mode `gate`; the other modes raise an alert and nudge the agent. Tokens are shared anyway: a
 * child spends from its parent's budget.
 *
 * @example
 * createRun({ policies: [subAgentLimit({ count: 5, depth: 1 })] })
 * @throws INVALID_OPTION if a limit is not a number of at least 0.
 */
export function subAgentLimit({
  count = 20,
  running = 8,
  depth = 2,
  rate = { count: 10, withinMs: 60_000 },
}: SubAgentLimitOptions = {}): Policy {
  assertNumbers({ count, running, depth, "rate.count": rate.count, "rate.withinMs": rate.withinMs });

  /** The limit that one more sub-agent would break, as the end of a sentence. */
  const reached = (run: RunView, { started, times }: Readonly<SpawnState>): ReachedLimit | undefined => {
    const recent = times.filter((at) => run.now - at < rate.withinMs).length;
    const atWork = [...run.children.values()].filter(({ status }) => status === "running").length;
    if (depthOf(run) >= depth) return { kind: "depth", count: depthOf(run), text: `${String(depth)} levels deep` };
    if (started >= count) return { kind: "count", count: started, text: `${String(count)} in this run` };
    if (atWork >= running) return { kind: "running", count: atWork, text: `${String(running)} at work together` };
    if (recent >= rate.count)
      return { kind: "rate", count: recent, text: `${String(rate.count)} in ${String(rate.withinMs / 1000)} s` };
    return undefined;
  };
  // A limit that is reached is not a problem; one more attempt is.
  const over = (run: RunView, state: Readonly<SpawnState>): readonly Alert[] => {
    const before = { started: state.started - 1, times: state.times.slice(0, -1) };
    const found = state.started === 0 ? undefined : reached(run, before);
    return found === undefined || found.kind === "running"
      ? []
      : [alert({ kind: "sub-agents", signature: found.kind, count: found.count + 1, severity: "warning" })];
  };

  return definePolicy({
    name: "sub-agent-limit",
    initial: (): SpawnState => ({ started: 0, times: [] }),
    observe: {
      "child.started": (state, { at }) => {
        state.started += 1;
        pushBounded(state.times, at, MAX_TIMES);
      },
    },
    decide: {
      "child.started": over,
      "tool.requested": (run, state, { meaning }) => {
        if (meaning.activity !== "delegate") return undefined;
        const found = reached(run, state);
        return found === undefined ? undefined : refuse(`${limitText(found)} Do this part of the work yourself.`);
      },
      "turn.started": (run, state) => {
        const found = over(run, state).length > 0 ? reached(run, state) : undefined;
        return found === undefined
          ? undefined
          : nudge(`${limitText(found)} Do the rest yourself, or wait for the ones at work.`, {
              episode: `sub-agents:${found.kind}`,
              topic: "sub-agents",
            });
      },
    },
  });
}

interface ReachedLimit {
  readonly kind: "count" | "running" | "depth" | "rate";
  readonly count: number;
  readonly text: string;
}

function limitText({ text }: ReachedLimit): string {
  return `No more sub-agents: the limit is ${text}.`;
}
