import type { RunView } from "@phasekit/core";

/** Every readable member of a run's view as JSON. The graph is left out: it is an input of the replay. */
export function viewToJson(view: RunView): unknown {
  const { id, task, item, parent, attempt, mode, status, phase, phaseEntry, phaseStartedAt, previousPhase } = view;
  const { entry, now, startedAt, seq, turn, turnsInPhase, iterations, toolCalls, activeMs, usage, limits } = view;
  const { lastProgress, stopped, owed, outcome, transitions, nudges, pending, alerts, reviews, children } = view;
  return JSON.parse(
    JSON.stringify({
      ...{ id, task, item, parent, attempt, mode, status, phase, phaseEntry, phaseStartedAt, previousPhase },
      ...{ entry, now, startedAt, seq, turn, turnsInPhase, iterations, toolCalls, activeMs, usage, limits },
      ...{ lastProgress, stopped, owed, outcome, transitions: [...transitions], nudges: [...nudges] },
      pending: [...pending],
      alerts: [...alerts],
      reviews: [...reviews],
      children: [...children],
    }),
  );
}
