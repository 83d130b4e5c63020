import type { EventOf, RunEvent } from "../events/run-event.ts";
import { pushBounded } from "../text/bounded.ts";
import { defined } from "../text/defined.ts";
import { callFailed, type CallCheck, checkOf, isBeforeEdit } from "./call.ts";
import { callNumber, type Work } from "./work.ts";

/** A check of the work, and where it stands. */
export interface SeenCheck extends CallCheck {
  /** Its place in the log: before a change that the same call makes after it. */
  readonly seq: number;
  readonly call: number;
}

/** The checks of a run: the newest ones. */
export interface Checks {
  readonly seen: SeenCheck[];
  /** The kinds of checks that failed before the first change of the work. */
  readonly redBefore: Set<CallCheck["kind"]>;
  /** The hook that refused the last commit or push. */
  refused: CallCheck | undefined;
}

const MAX_CHECKS = 100;

/** A run without checks. */
export function createChecks(): Checks {
  return { seen: [], redBefore: new Set(), refused: undefined };
}

/** Folds one event into the checks of a run. The event is folded into its work afterwards. */
export function foldChecks(checks: Checks, event: RunEvent, work: Readonly<Work>): void {
  switch (event.type) {
    case "tool.finished":
      foldCall(checks, event, work);
      return;
    case "check.finished":
      add(checks, reported(event), { seq: event.seq, call: work.calls, isFirst: work.changes === 0 });
      return;
    case "child.finished":
      if (event.verified === true && event.changed !== undefined)
        add(
          checks,
          { kind: "review", verdict: "pass", trusted: false, runner: "sub-agent", reaches: event.changed },
          { seq: event.seq, call: work.calls, isFirst: false },
        );
      return;
    default:
      return;
  }
}

function foldCall(checks: Checks, event: EventOf<"tool.finished">, work: Readonly<Work>): void {
  const { meaning, seq, call } = event;
  // A call without a request gets its number when it is folded into the work.
  const isOpen = call !== undefined && work.open.has(call);
  const place = { call: isOpen ? callNumber(work, call) : work.calls + 1, isFirst: work.changes === 0 };
  const check = checkOf(event) ?? passedHook(checks, event);
  if (check === undefined) return;
  const older = isBeforeEdit(meaning, "run", "test", "build", "lint");
  add(checks, check, { ...place, seq: older ? seq - 1 : seq });
}

/** A commit that goes through after a hook refused it: what the hook checks has passed. */
function passedHook(checks: Checks, event: EventOf<"tool.finished">): CallCheck | undefined {
  const { delivers = [] } = event.meaning;
  const { refused } = checks;
  if (refused === undefined || !delivers.includes("commit") || delivers.includes("no-verify")) return undefined;
  if (event.outcome === "denied" || callFailed(event)) return undefined;
  const { failed: _failed, ...hook } = refused;
  return { ...hook, verdict: "pass" };
}

function add(
  checks: Checks,
  check: CallCheck,
  { isFirst, ...place }: { readonly seq: number; readonly call: number; readonly isFirst: boolean },
): void {
  pushBounded(checks.seen, { ...check, ...place }, MAX_CHECKS);
  if (isFirst && check.verdict === "fail") checks.redBefore.add(check.kind);
  if (check.kind === "hook") checks.refused = check.verdict === "fail" ? check : undefined;
}

/** Names hosts give to their checks, by kind. */
const REPORTED: readonly (readonly [name: RegExp, kind: CallCheck["kind"]])[] = [
  [/^(?:tests?|unit|runtime|e2e|integration)$/, "test"],
  [/^(?:build|compile)$/, "build"],
  [/^(?:types?|type-?check)$/, "types"],
  [/^(?:lint|format)$/, "lint"],
  [/^ci$/, "ci"],
];

/** A check the host ran itself: its result is trusted. */
function reported({ check, outcome, passed, failed }: EventOf<"check.finished">): CallCheck {
  const name = check.toLowerCase();
  return {
    kind: REPORTED.find(([known]) => known.test(name))?.[1] ?? "run",
    verdict: outcome === "success" ? "pass" : outcome === "failure" ? "fail" : "unknown",
    trusted: true,
    runner: check,
    ...defined({ passed, failed }),
    reaches: "project",
  };
}
