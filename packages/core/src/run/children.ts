import type { ClipLimits } from "../text/clip.ts";
import { defined } from "../text/defined.ts";
import { followChild } from "./follow-child.ts";
import { readMembers } from "../text/json.ts";
import type { ChildOptions, Run, RunOptions } from "./run.ts";
import { depthOf, type Limits, remainingBudget } from "../view/run-view.ts";
import type { ViewState } from "../view/view-state.ts";

/** Everything the runs of sub-agents depend on. */
export interface ChildContext {
  readonly view: ViewState;
  /** Options a child inherits. */
  readonly inherited: Pick<RunOptions, "mode" | "folder" | "redact" | "createId" | "classify" | "onError" | "clock"> & {
    readonly clip: ClipLimits;
  };
  readonly record: (input: unknown) => boolean;
  readonly assemble: <TPhase extends string>(options: RunOptions<TPhase>, limits: Limits) => Run<TPhase>;
}

/** Starts the runs of sub-agents, and stops them with their parent. */
export function createChildren({ view, inherited, record, assemble }: ChildContext): {
  readonly start: Run["child"];
  readonly stopAll: () => void;
  /** True while a sub-agent works. */
  readonly areRunning: () => boolean;
} {
  const children = new Set<Run>();

  function start<const TPhase extends string>(options: ChildOptions<TPhase> = {}): Run<TPhase> {
    const { call, ...own } = readMembers(options) as ChildOptions<TPhase>;
    const limits: Limits = defined({
      tokens: remainingBudget(view, "tokens"),
      timeMs: remainingBudget(view, "timeMs"),
      cost: remainingBudget(view, "cost"),
      cachedWeight: view.limits.cachedWeight,
      repeatedWeight: view.limits.repeatedWeight,
    });
    const depth = depthOf(view) + 1;
    const parent = defined({ run: view.id, call, depth: depth > 1 ? depth : undefined });
    const child = assemble<TPhase>({ ...inherited, ...own, parent }, limits);
    const untyped = child as unknown as Run;
    record({ type: "child.started", child: child.id, call, task: own.task?.text });
    followChild(child, record);
    if (view.status === "ended" || view.stopped !== undefined) child.stop({ by: "host", reason: "parent_ended" });
    else children.add(untyped);
    child.subscribe((step) => {
      if (step[0]?.type === "run.finished") children.delete(untyped);
    });
    return child;
  }

  function stopAll(): void {
    const running = [...children];
    children.clear();
    for (const child of running)
      child.stop({ by: "host", reason: "parent_ended", why: "The run that started this one has ended." });
  }

  return { start, stopAll, areRunning: () => children.size > 0 };
}
