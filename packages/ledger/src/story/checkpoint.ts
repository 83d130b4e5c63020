import type { RunEvent } from "@phasekit/core";
import { type Account, callOf, createAccount, foldAccount, notesOf } from "@phasekit/core/account";
import { defined, isDoneTodo, pushBounded, setBounded } from "@phasekit/core/adapter";

/** The state of a run, for whoever continues it: after a compaction, in the next session, or a person. */
export interface Checkpoint {
  /** The first request of the user, and the last one if there are more. Foreign text. */
  readonly task?: string;
  readonly lastRequest?: string;
  readonly phase: string;
  /** The files that are changed, the last one first, and how many there are. Foreign text. */
  readonly files: readonly string[];
  readonly changed: number;
  /** To-dos that are not done. Foreign text. */
  readonly todos: readonly string[];
  /** The last result of each kind of check, and whether a file was changed after it. */
  readonly checks: readonly CheckpointCheck[];
  /** Failures that no success followed, the last one first, with the number of tries. Foreign text. */
  readonly failures: readonly OpenFailure[];
}

/** The last result of one kind of check. */
export interface CheckpointCheck {
  readonly kind: string;
  readonly runner?: string;
  readonly verdict: "pass" | "fail" | "unknown";
  readonly passed?: number;
  readonly failed?: number;
  readonly isStale: boolean;
}

/** Something that failed and did not work since. */
export interface OpenFailure {
  readonly what: string;
  readonly times: number;
  /** The line that says most. */
  readonly why?: string;
}

/** The state of a checkpoint while events come in. Bounded. */
export interface CheckpointState {
  /** Absent where the run keeps one already. */
  readonly account?: Account;
  task: string | undefined;
  lastRequest: string | undefined;
  phase: string;
  todos: readonly string[];
  /** Failures by the identity of their call. */
  readonly failures: Map<string, OpenFailure>;
}

const MAX_FILES = 12;
const MAX_TODOS = 12;
const MAX_FAILURES = 6;
const MAX_REMEMBERED = 64;

/** The checkpoint of a run that has done nothing; `of: "run"` where the run keeps the account of its work. */
export function createCheckpoint({ of }: { readonly of?: "run" } = {}): CheckpointState {
  return {
    ...(of === undefined && { account: createAccount() }),
    task: undefined,
    lastRequest: undefined,
    phase: "",
    todos: [],
    failures: new Map(),
  };
}

/** Folds one event into a checkpoint. */
export function foldCheckpoint(state: CheckpointState, event: RunEvent): void {
  if (state.account !== undefined) foldAccount(state.account, event);
  switch (event.type) {
    case "run.started":
      state.task = event.task?.text;
      state.phase = event.phase;
      return;
    case "phase.transition":
      state.phase = event.to;
      return;
    case "message.received":
      if (event.from !== "user") return;
      if (state.task === undefined) state.task = event.excerpt;
      else state.lastRequest = event.excerpt;
      return;
    case "todos.updated":
      state.todos = event.todos
        .filter(({ status }) => !isDoneTodo(status))
        .flatMap(({ text }) => text ?? [])
        .slice(0, MAX_TODOS);
      return;
    case "tool.finished":
      foldFailure(state, event);
      return;
    default:
      return;
  }
}

/** A call that works closes the failures of the same call. A check that passes closes those of its kind. */
function foldFailure(
  { failures }: CheckpointState,
  event: Extract<RunEvent, { readonly type: "tool.finished" }>,
): void {
  const { failed, worked, about, label, check } = callOf(event);
  const key = check === undefined || check.kind === "run" ? about : `check ${check.kind}`;
  if (worked && check?.verdict !== "fail") {
    failures.delete(about);
    failures.delete(key);
  } else if (failed || check?.verdict === "fail") {
    const { times = 0 } = failures.get(key) ?? {};
    const why = notesOf(event.meaning).error?.line;
    setBounded(failures, [key, { what: label, times: times + 1, ...defined({ why }) }], MAX_REMEMBERED);
  }
}

/** The checkpoint of the events so far. Give the account of a run that keeps it. */
export function checkpointFrom(
  state: Readonly<CheckpointState>,
  account: Pick<Account, "work" | "checks"> = state.account ?? createAccount(),
): Checkpoint {
  const { task, lastRequest, phase, todos, failures } = state;
  const files = [...account.work.files.values()].map(({ path }) => path).filter((path) => path !== "");
  return {
    ...defined({ task, lastRequest }),
    phase,
    files: files.slice(-MAX_FILES).reverse(),
    changed: account.work.files.size,
    todos,
    checks: lastChecks(account),
    failures: [...failures.values()].slice(-MAX_FAILURES).reverse(),
  };
}

/** The checkpoint of a whole log. */
export function checkpointOf(events: Iterable<RunEvent>): Checkpoint {
  const state = createCheckpoint();
  for (const event of events) foldCheckpoint(state, event);
  return checkpointFrom(state);
}

function lastChecks({ work, checks }: Pick<Account, "work" | "checks">): readonly CheckpointCheck[] {
  const last = new Map<string, CheckpointCheck>();
  const changedAt = Math.max(0, ...[...work.files.values()].map(({ seq }) => seq));
  for (const { kind, runner, verdict, passed, failed, seq } of checks.seen) {
    // A program that was only tried out has no name.
    if (kind === "run" && runner === undefined) continue;
    last.delete(kind);
    last.set(kind, { kind, verdict, isStale: seq < changedAt, ...defined({ runner, passed, failed }) });
  }
  const kept: CheckpointCheck[] = [];
  for (const check of last.values()) pushBounded(kept, check, MAX_FAILURES);
  return kept;
}
