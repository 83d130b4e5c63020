/** Members of an error besides its code and message. */
export interface PhasekitErrorOptions {
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The one error class: `code` for programs, `message` for what happened, `hint` for what to do. */
export class PhasekitError<TCode extends string = string> extends Error {
  override readonly name = "PhasekitError";
  readonly code: TCode;
  readonly hint: string | undefined;

  constructor(code: TCode, message: string, { hint, cause }: PhasekitErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** True for a Phasekit error, of one code or any. Compares names: two copies of a package may be loaded. */
export function isPhasekitError<TCode extends string = string>(
  error: unknown,
  code?: TCode,
): error is PhasekitError<TCode> {
  if (typeof error !== "object" || error === null) return false;
  try {
    const candidate = error as { readonly name?: unknown; readonly code?: unknown };
    return candidate.name === "PhasekitError" && (code === undefined || candidate.code === code);
  } catch {
    // A member of it throws when it is read: none of ours does.
    return false;
  }
}

/** An edge, a rule or a policy names a phase the graph lacks. */
export function unknownPhase(
  phase: string,
  known: readonly string[],
  where = "The graph",
): PhasekitError<"UNKNOWN_PHASE"> {
  return new PhasekitError("UNKNOWN_PHASE", `${where} has no phase "${phase}".`, {
    hint: `Use one of: ${known.join(", ")}.`,
  });
}

/** `defineEvent` got the name of one of core's own events. */
export function reservedEvent(name: string): PhasekitError<"RESERVED_EVENT"> {
  return new PhasekitError("RESERVED_EVENT", `"${name}" is the name of one of core's own events.`, {
    hint: `Record it by its type: run.record({ type: "${name}", … }). Name an event of your own "<package>.${name}".`,
  });
}

export function duplicatePolicy(name: string): PhasekitError<"DUPLICATE_POLICY"> {
  return new PhasekitError("DUPLICATE_POLICY", `Two policies are named "${name}".`, {
    hint: `Give one of them another name: named(policy, "${name}-2").`,
  });
}

export function unknownGuard(guard: string, known: readonly string[]): PhasekitError<"UNKNOWN_GUARD"> {
  return new PhasekitError(
    "UNKNOWN_GUARD",
    `An edge of the graph names the guard "${guard}", which no policy provides.`,
    {
      hint:
        known.length > 0 ? `Use one of: ${known.join(", ")}.` : `Add a policy with guards: { "${guard}": (run) => … }.`,
    },
  );
}

export function invalidOption(option: string, problem: string): PhasekitError<"INVALID_OPTION"> {
  return new PhasekitError("INVALID_OPTION", `The option "${option}" is wrong: ${problem}.`, {
    hint: "See the documentation of the function's options.",
  });
}

export function runEnded(id: string): PhasekitError<"RUN_ENDED"> {
  return new PhasekitError("RUN_ENDED", `Run "${id}" has ended.`, {
    hint: "Make a run for each invocation: pass a function, () => createRun(…), where a run is expected.",
  });
}

/** A run was stopped, and the host asks its model again although there is nothing left to say. */
export function runStopped(reason: string): PhasekitError<"RUN_STOPPED"> {
  return new PhasekitError("RUN_STOPPED", `The run was stopped (${reason}); the model is not asked again.`, {
    hint: "End the loop when `run.beforeTurn().stop` is set, and end the run; start another run for more work.",
  });
}

export function calledFromPolicy(method: string): PhasekitError<"CALLED_FROM_POLICY"> {
  return new PhasekitError("CALLED_FROM_POLICY", `A policy called run.${method}() while the run was deciding.`, {
    hint: "Return a decision instead; policies do not act.",
  });
}

export function damagedLog(problem: string, seq: number): PhasekitError<"DAMAGED_LOG"> {
  return new PhasekitError("DAMAGED_LOG", `The log is damaged at event ${String(seq)}: ${problem}.`, {
    hint: "Read the log up to the event before it, or restore it from its store.",
  });
}

/** A run was read back with a graph that lacks the phase the run is in, or without the graph it had. */
export function otherGraph(run: string, phase: string, problem: string): PhasekitError<"OTHER_GRAPH"> {
  return new PhasekitError("OTHER_GRAPH", `Run "${run}" is in the phase "${phase}", but ${problem}.`, {
    hint: `Pass the graph the run was created with: resumeRun(store, "${run}", { graph }).`,
  });
}

/** `run.snapshot()` found state that JSON cannot hold, or something that is under way. */
export function notStorable(owner: string, problem: string): PhasekitError<"NOT_STORABLE"> {
  return new PhasekitError("NOT_STORABLE", `No snapshot can be taken, because of ${owner}: ${problem}.`, {
    hint: "Keep plain objects, lists, maps and sets in the state of a policy, and take snapshots between two turns.",
  });
}

/** `createRun({ from })` got something that is not a whole snapshot. */
export function damagedSnapshot(problem: string): PhasekitError<"DAMAGED_SNAPSHOT"> {
  return new PhasekitError("DAMAGED_SNAPSHOT", `The snapshot cannot be read: ${problem}.`, {
    hint: "Continue from an older snapshot, or from the log: replayRun(events, options).",
  });
}

/** `createRun({ from })` got the snapshot of a run with other policies, interpreters, graph or mode. */
export function otherSnapshot(changed: readonly string[]): PhasekitError<"OTHER_SNAPSHOT"> {
  return new PhasekitError("OTHER_SNAPSHOT", `The snapshot is of a run with other parts: ${changed.join(", ")}.`, {
    hint: "Pass the options the run was created with, or continue from the log: replayRun(events, options).",
  });
}

export function unknownEvent(type: unknown, problem: string): PhasekitError<"UNKNOWN_EVENT"> {
  return new PhasekitError(
    "UNKNOWN_EVENT",
    `An event of type ${typeof type === "string" ? `"${type}"` : typeof type} cannot be read: ${problem}.`,
    {
      hint: "It was perhaps written by a newer version of Phasekit: update the packages.",
    },
  );
}
