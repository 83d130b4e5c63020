import type { RunEvent } from "@phasekit/core";
import { labelOf, callOf } from "@phasekit/core/account";
import { cleanText, fitText } from "../clean-text.ts";
import type { Colors } from "../terminal.ts";
import { wrapText } from "./wrap-text.ts";

/** Options for `eventLine()` and `eventLines()`. */
export interface EventLineOptions {
  readonly colors: Colors;
  readonly width: number;
  /** Include tool calls and dropped nudges. @default false */
  readonly all?: boolean;
}

const LABEL = 9;
/** Lines of a long text at most: an event is a note, and the report has it whole. */
const MAX_LINES = 4;

/** Renders one event as a line, cut to the width; `undefined` for events that are not shown. */
export function eventLine(event: RunEvent, options: EventLineOptions): string | undefined {
  const shown = textOf(event, options.all ?? false);
  return shown === undefined ? undefined : labelled(shown, options) + fitText(shown.text, options.width - LABEL);
}

/** Renders one event as lines that wrap at words; none for events that are not shown. */
export function eventLines(event: RunEvent, options: EventLineOptions): readonly string[] {
  const shown = textOf(event, options.all ?? false);
  if (shown === undefined) return [];
  const width = Math.max(LABEL, options.width - LABEL);
  const lines = wrapText(fitText(shown.text, MAX_LINES * (width - 6)), width);
  return lines.map((line, index) => (index === 0 ? labelled(shown, options) : " ".repeat(LABEL)) + line);
}

function labelled({ label, tone }: EventText, { colors }: EventLineOptions): string {
  const paint: Readonly<Record<EventText["tone"], (text: string) => string>> = {
    good: colors.green,
    bad: colors.red,
    watch: colors.magenta,
    say: colors.cyan,
    plain: colors.dim,
  };
  return paint[tone](label.padEnd(LABEL));
}

interface EventText {
  readonly label: string;
  /** May contain foreign text. */
  readonly text: string;
  readonly tone: "good" | "bad" | "watch" | "say" | "plain";
}

function textOf(event: RunEvent, all: boolean): EventText | undefined {
  const would = "applied" in event && !event.applied ? "(not applied) " : "";
  switch (event.type) {
    case "run.started":
      return { label: "START", text: `${event.run}, mode ${event.mode}, in ${event.phase}`, tone: "plain" };
    case "run.resumed":
      return { label: "RESUME", text: `attempt ${String(event.attempt)}`, tone: "plain" };
    case "phase.transition":
      return {
        label: "PHASE",
        text: `${event.from} → ${event.to}${event.reason === undefined ? "" : `: ${event.reason}`}`,
        tone: "good",
      };
    case "alert.raised":
      return {
        label: "ALERT",
        text: [
          `${event.kind} ×${String(event.count)}`,
          ...(event.subject === undefined ? [] : [labelOf(event.subject)]),
        ].join(": "),
        tone: "watch",
      };
    case "nudge.sent":
      return event.guidance === true ? undefined : { label: "NUDGE", text: `${would}${event.text}`, tone: "say" };
    case "nudge.dropped":
      return all ? { label: "DROPPED", text: `nudge of ${event.by} (${event.why})`, tone: "plain" } : undefined;
    case "tool.refused":
      return { label: "REFUSED", text: `${would}${event.tool}: ${event.text}`, tone: "bad" };
    case "finish.vetoed":
      return event.held === undefined
        ? { label: "VETO", text: `${would}${event.gate}: ${event.text}`, tone: "bad" }
        : { label: "OBJECTS", text: `${event.gate}: ${event.why ?? event.text}`, tone: "watch" };
    case "finish.vouched":
      return {
        label: "VOUCHED",
        text: `${event.gate}: ${event.verdict}${event.why === undefined ? "" : `, ${event.why}`}`,
        tone: event.verdict === "pass" || event.verdict === "met" ? "good" : "plain",
      };
    case "stop.requested":
      return { label: "STOP", text: `${would}${event.reason} by ${event.by}`, tone: "bad" };
    case "review.requested":
      return { label: "REVIEW", text: `${would}${event.kind}`, tone: "watch" };
    case "verdict.given":
      return { label: "VERDICT", text: event.verdict, tone: event.verdict === "approved" ? "good" : "bad" };
    case "model.failed":
      return { label: "FAILED", text: event.message ?? event.code ?? "the model call failed", tone: "bad" };
    case "run.finished":
      return {
        label: "END",
        text: `${event.reason} in ${event.phase}, ${event.verified ? "verified" : "not verified"}`,
        tone: event.reason === "done" ? "good" : "bad",
      };
    case "tool.finished":
      return toolLine(event, all);
    case "finish.requested":
      // A host that ends a run asks the gates too, without a word of the agent.
      return {
        label: "DONE?",
        text: event.text === undefined ? "the host asks whether the run is done" : "the agent says it is done",
        tone: "plain",
      };
    default:
      return undefined;
  }
}

function toolLine(event: Extract<RunEvent, { type: "tool.finished" }>, all: boolean): EventText | undefined {
  const { outcome, meaning } = event;
  const { tests } = meaning;
  if (tests !== undefined) {
    const counts = [
      tests.passed === undefined ? "" : `${String(tests.passed)} passed`,
      tests.failed === undefined || tests.failed === 0 ? "" : `${String(tests.failed)} failed`,
    ]
      .filter((part) => part !== "")
      .join(", ");
    return {
      label: "TESTS",
      text: `${tests.verdict}${counts === "" ? "" : `: ${counts}`}`,
      tone: tests.verdict === "pass" ? "good" : tests.verdict === "fail" ? "bad" : "plain",
    };
  }
  if (!all) return undefined;
  return {
    label:
      meaning.activity === undefined
        ? "CALL"
        : meaning.activity
            .replace(/^vcs-.*/, "git")
            .toUpperCase()
            .slice(0, 8),
    text: [
      cleanText(callOf(event).label),
      ...(outcome === "denied" ? [outcome] : callOf(event).failed ? ["failed"] : []),
    ].join(" — "),
    tone: "plain",
  };
}
