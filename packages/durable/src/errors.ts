import { PhasekitError } from "@phasekit/core";

/** `durableRun` got a clock or ids that a replay cannot repeat. */
export function hostClock(problem: string): PhasekitError<"HOST_CLOCK"> {
  return new PhasekitError("HOST_CLOCK", `A durable run cannot be replayed: ${problem}.`, {
    hint: "Pass `steps: createSteps(…)`: time comes with the results of steps. Or pass `now`, the engine's own clock.",
  });
}

/** A durable run was created before the engine gave a time. */
export function noTimeYet(): PhasekitError<"NO_TIME_YET"> {
  return new PhasekitError("NO_TIME_YET", "No step has run yet, so a durable run has no time to start at.", {
    hint: 'Await one step before durableRun(): await steps.step("start", () => undefined).',
  });
}

/** A replay decides otherwise than the journal of the workflow, because code or options changed since it started. */
export function replayChanged(
  step: string,
  { at, changes }: { readonly at: string; readonly changes: readonly string[] },
): PhasekitError<"REPLAY_CHANGED"> {
  const why = changes.length === 0 ? "" : ` Since it was started: ${changes.join("; ")}.`;
  return new PhasekitError(
    "REPLAY_CHANGED",
    `Before the step "${step}", the run differs from the one in the workflow's journal (${at}).${why}`,
    {
      hint: "Let the deployment that started the workflow finish it, or go back to its policies: see docs/engines.md.",
    },
  );
}

/** `newEvents` got a run that `durableRun` did not create. */
export function notDurable(id: string): PhasekitError<"NOT_DURABLE"> {
  return new PhasekitError("NOT_DURABLE", `Run "${id}" was not created by durableRun(), so its events are not kept.`, {
    hint: "Create it with durableRun(), or store it as it happens: storeRun(run, store) of @phasekit/ledger.",
  });
}

/** `newEvents` was asked for events that an earlier call said are stored. */
export function eventsReleased(from: number, released: number): PhasekitError<"EVENTS_RELEASED"> {
  return new PhasekitError(
    "EVENTS_RELEASED",
    `Events after ${String(from)} are gone: an earlier call said that all up to ${String(released)} are stored.`,
    { hint: "Pass the last event that is stored, such as the result of storeEvents(). It never gets smaller." },
  );
}

/** A loop that ran twice on the same journal did not do the same twice. */
export function notDeterministic(problem: string): PhasekitError<"NOT_DETERMINISTIC"> {
  return new PhasekitError("NOT_DETERMINISTIC", `The loop is not deterministic: ${problem}`, {
    hint: "Make clocks, random numbers, files and requests the work of a step, and keep no state outside the loop.",
  });
}
