import { alert, type Policy } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import { type Call, isBisecting } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { mayPass } from "../passing-error.ts";
import { errorOf, firstWords } from "../result-text.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `recurringError`. */
export interface RecurringErrorOptions extends CallOptions {
  /** Times one tool fails with the same error, whatever was done in between. @default 6 */
  readonly times?: number;
}

interface Recurring {
  readonly count: number;
  /** The numbers of the first and of the last call that failed like this. */
  readonly first: number;
  readonly last: number;
  /** The call, as long as it was the same one. */
  readonly call: string | undefined;
}

interface RecurringErrorState extends DetectorState {
  readonly errors: Map<string, Recurring>;
  count: number;
  fingerprint: string;
  tool: string;
  words: string;
}

const MAX_ERRORS = 16;
const TELLING = 12;
/** A round has a few calls; what comes back after more than that is something else. */
const LONGEST_ROUND = 8;

/**
 * Notices an error that comes back whatever is done about it.
 *
 * Fires: a port that is taken again after each of six kills; a cell that kills the kernel, restarted and loaded anew.
 * Silent: a failure for each of many things, other errors, files edited in between (`redTestLoop`'s), a call that worked
 * since.
 * Seen: openhands-llm-request/Qwen2.5-Coder-7B-Instruct__django__django-16485, calls 12–29: one script, settings missing;
 * aws-blocks issue 135: two agents, 34 and 44 of 120 turns spent on a port that stays taken.
 */
export function recurringError({ times = 6, tools }: RecurringErrorOptions = {}): Policy {
  return callDetector<RecurringErrorState>({
    name: "recurring-error",
    tools,
    initial: () => ({ idle: true, errors: new Map(), count: 0, fingerprint: "", tool: "", words: "" }),
    onCall: (state, call, { event, number, recent }) => {
      state.idle = true;
      state.count = 0;
      if (!call.failed) {
        if (isBisecting(call)) state.errors.clear();
        // An edit is a new try: it takes half of what there was back.
        else if (call.landed && event.meaning.activity === "edit") for (const [key, found] of state.errors) state.errors.set(key, { ...found, count: Math.min(found.count, times / 2) });
        else if (state.errors.size > 0) forget(state, call);
        return;
      }
      // Trying the same again at once is another detector's business.
      if (recent.at(-2)?.failed === true) return;
      if (call.polls || call.looks || call.spaced) return;
      const error = errorOf(event);
      if (error.length < TELLING || mayPass(error)) return;
      const key = `${call.tool}|${error}`;
      const known = state.errors.get(key);
      const before = known !== undefined && number - known.last <= LONGEST_ROUND ? known : undefined;
      const found = { count: (before?.count ?? 0) + 1, first: before?.first ?? number, last: number, call: before === undefined || before.call === call.fingerprint ? call.fingerprint : undefined };
      setBounded(state.errors, [key, found], MAX_ERRORS);
      if (found.count < times || (found.call === undefined && !isRound(recent.slice(found.first - number - 1)))) return;
      state.idle = false;
      state.count = found.count;
      state.fingerprint = call.fingerprint;
      state.tool = call.tool;
      state.words = firstWords(event);
    },
    report: ({ count, fingerprint, tool, words }) =>
      count === 0 ? undefined : alert({ kind: "recurring-error", signature: `${tool}|${words}`, subject: fingerprint, count, evidence: { tool, error: words } }),
  });
}

/** The errors of a call that worked are over. */
function forget({ errors }: RecurringErrorState, { fingerprint }: Call): void {
  for (const [key, { call }] of errors) if (call === fingerprint) errors.delete(key);
}

/** Whether most of what was done between the failures had been done before: then it is a round, and no list that is gone through. */
function isRound(steps: readonly Call[]): boolean {
  const others = steps.filter(({ failed }) => !failed);
  return others.length >= steps.length / 3 && others.filter(({ moved }) => moved !== undefined).length >= others.length * 0.6;
}
