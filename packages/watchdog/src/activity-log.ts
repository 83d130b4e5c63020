import { definePolicy, defineState, type Policy } from "@phasekit/core";
import { pushBounded } from "./bounded.ts";
import { callFailed } from "./call.ts";
import { labelOf } from "./fingerprint.ts";
import { errorOf, outputText } from "./result-text.ts";

/** A call as a reviewer sees it. */
export interface LoggedCall {
  readonly label: string;
  readonly fingerprint: string;
  readonly failed: boolean;
  readonly error: string;
}

/** What a review is written from: the last messages and calls, and the plan. */
export interface ActivityLog {
  readonly messages: string[];
  readonly calls: LoggedCall[];
  plan: string;
  /** Messages and results seen in all. */
  seen: number;
}

/** Where `buildReview` finds the log. */
export const activityLogKey = /* @__PURE__ */ defineState<ActivityLog>("watchdog.activity-log");

const MAX_MESSAGES = 60;
const MAX_CALLS = 20;
const MAX_TEXT = 600;
const MAX_RESULT = 150;
const LOOKED_AT = 1000;

/** Keeps a ring of clipped excerpts for reviews. It decides nothing. */
export function activityLog(): Policy<ActivityLog> {
  return definePolicy<ActivityLog>({
    name: "activity-log",
    version: "1",
    key: activityLogKey,
    initial: () => ({ messages: [], calls: [], plan: "", seen: 0 }),
    observe: {
      "message.sent": (log, { excerpt = "" }) => { say(log, `agent: ${clip(excerpt, MAX_TEXT)}`); },
      "message.received": (log, { excerpt = "", from = "user" }) => { say(log, `${from}: ${clip(excerpt, MAX_TEXT)}`); },
      "tool.finished": (log, event) => {
        const { tool, meaning } = event;
        const failed = callFailed(event);
        const label = meaning.fingerprint === undefined ? tool : labelOf(meaning.fingerprint);
        // A call and its result are two messages of a conversation.
        log.seen += 1;
        say(log, `${label} → ${renderResult({ text: outputText(event.output) || (event.error?.message ?? ""), failed })}`);
        pushBounded(log.calls, { label, fingerprint: meaning.fingerprint ?? label, failed, error: failed ? errorOf(event) : "" }, MAX_CALLS);
      },
      "tool.refused": (log, { tool, text, applied }) => {
        if (applied) say(log, `${tool} → [refused] ${clip(text, MAX_RESULT)}`);
      },
      "nudge.sent": (log, { text, by }) => {
        say(log, `phasekit: ${clip(text, MAX_TEXT)}`);
        // Told what a review said, the agent starts with a clean sheet: the next one looks at what it made of that.
        if (by === "review") log.calls.length = 0;
      },
      "plan.declared": (log, { text, steps }) => { log.plan = text ?? `${String(steps ?? 0)} steps`; },
      "todos.updated": (log, { todos }) => { log.plan = todos.map(({ status, text = "" }) => `- [${status}] ${text}`).join("\n").slice(0, 2000); },
    },
  });
}

function say(log: ActivityLog, text: string): void {
  log.seen += 1;
  pushBounded(log.messages, text, MAX_MESSAGES);
}

/** A result in one short line, marked when it is an error. */
export function renderResult({ text, failed }: { readonly text: string; readonly failed: boolean }): string {
  // Of a long result only its beginning is looked at.
  return `${failed ? "[error] " : ""}${clip(text.slice(0, LOOKED_AT).replace(/\s+/g, " ").trim(), MAX_RESULT)}`;
}

function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}...` : text;
}
