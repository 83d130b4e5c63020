import type { RunEvent } from "@phasekit/core";
import { shownText } from "./shown-text.ts";

/** What an event is about, for colours and filters. */
export type RowKind = "run" | "phase" | "turn" | "model" | "tool" | "test" | "message" | "alert" | "nudge" | "gate" | "review" | "work" | "other";

/** How it went, where that can be said. */
export type RowOutcome = "ok" | "error" | "denied" | "refused";

/** One event as a line of a list. */
export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: RunEvent["type"];
  readonly kind: RowKind;
  readonly phase: string;
  /** What happened, on one line. */
  readonly text: string;
  readonly tool?: string;
  readonly outcome?: RowOutcome;
}

/** Turns events into rows one after the other: a row says in which phase it happened, so it needs those before it. */
export function createEventRows(): (event: RunEvent) => EventRow {
  let phase = "";
  const tools = new Map<string, string>();
  return (event) => {
    if (event.type === "run.started") phase = event.phase;
    if (event.type === "tool.requested" && event.call !== undefined) tools.set(event.call, event.tool);
    const before = phase;
    if (event.type === "phase.transition" || event.type === "phase.rolled-back") phase = event.to;
    const tool = toolOf(event, tools);
    const outcome = outcomeOf(event);
    return {
      seq: event.seq,
      at: event.at,
      type: event.type,
      kind: kindOf(event),
      phase: before === "" ? phase : before,
      text: textOf(event),
      ...(tool !== undefined && { tool }),
      ...(outcome !== undefined && { outcome }),
    };
  };
}

/** Every event as a line of a list. */
export function eventRows(events: readonly RunEvent[]): readonly EventRow[] {
  return events.map(createEventRows());
}

function toolOf(event: RunEvent, tools: Map<string, string>): string | undefined {
  if (event.type === "tool.requested" || event.type === "tool.refused") return shownText(event.tool, 60);
  if (event.type !== "tool.finished") return undefined;
  const tool = event.tool === "unknown" && event.call !== undefined ? (tools.get(event.call) ?? event.tool) : event.tool;
  // A call has one result; forgetting it keeps the memory bounded.
  if (event.call !== undefined) tools.delete(event.call);
  return shownText(tool, 60);
}

function outcomeOf(event: RunEvent): RowOutcome | undefined {
  switch (event.type) {
    case "tool.finished": return event.outcome;
    case "tool.refused": return "refused";
    case "model.failed": return "error";
    case "finish.vetoed": return event.applied ? "refused" : undefined;
    case "phase.refused": return "refused";
    default: return undefined;
  }
}

const KINDS: readonly (readonly [prefix: string, kind: RowKind])[] = [
  ["run.", "run"], ["stop.", "run"], ["child.", "run"], ["clock.", "other"],
  ["phase.", "phase"], ["exploration.", "phase"], ["move.", "phase"],
  ["turn.", "turn"], ["model.", "model"], ["tool.", "tool"], ["message.", "message"],
  ["alert.", "alert"], ["nudge.", "nudge"], ["finish.", "gate"], ["verdict.", "gate"], ["claim.", "gate"], ["review.", "review"],
  ["check.", "test"], ["validation.", "work"], ["output.", "work"], ["operation.", "work"], ["workspace.", "work"], ["todos.", "work"], ["plan.", "work"],
  ["question.", "work"], ["progress.", "work"], ["quota.", "model"],
];

function kindOf(event: RunEvent): RowKind {
  if (event.type === "tool.finished" && event.meaning.tests !== undefined) return "test";
  return KINDS.find(([prefix]) => event.type.startsWith(prefix))?.[1] ?? "other";
}

function textOf(event: RunEvent): string {
  switch (event.type) {
    case "run.started": return `Started in ${event.phase}, mode ${event.mode}${event.task?.text === undefined ? "" : `: ${shownText(event.task.text)}`}`;
    case "run.resumed": return `Resumed, attempt ${String(event.attempt)}`;
    case "run.finished": return `Ended: ${event.reason}${event.verified ? ", verified" : ""}${event.error === undefined ? "" : `, ${shownText(event.error.message)}`}`;
    case "turn.started": return `Turn ${String(event.turn ?? "")}`.trim();
    case "model.answered": return answerText(event);
    case "model.failed": return `Model call failed${event.status === undefined ? "" : ` with ${String(event.status)}`}${event.message === undefined ? "" : `: ${shownText(event.message)}`}`;
    case "tool.requested": return `${shownText(event.tool, 60)} ${inputText(event.input, event.meaning.targets)}`.trim();
    case "tool.finished": return resultText(event);
    case "tool.refused": return `${event.applied ? "Refused" : "Would refuse"} ${shownText(event.tool, 60)}: ${shownText(event.text)}`;
    case "message.sent": return `Says: ${shownText(event.excerpt ?? `${String(event.length)} characters`)}`;
    case "message.received": return `Gets: ${shownText(event.excerpt ?? `${String(event.length)} characters`)}`;
    case "phase.transition": return `${event.from} → ${event.to}${event.reason === undefined ? "" : `, ${shownText(event.reason)}`}${event.outcome === "completed" ? "" : ` (${event.from} ${event.outcome})`}`;
    case "phase.rolled-back": return `Back from ${event.from} to ${event.to}`;
    case "phase.refused": return `Move to ${shownText(event.to ?? "?")} refused: ${shownText(event.text)}`;
    case "phase.skipped": return `Skipped ${event.phase}: ${shownText(event.why)}`;
    case "phase.timed-out": return `${event.phase} is over its time`;
    case "exploration.saturation": return `${String(event.filesRead)} files read in ${String(event.iterations)} turns without an edit`;
    case "alert.raised": return `${event.kind}: ${shownText(event.subject ?? event.signature)}, ${String(event.count)} times`;
    case "alert.cleared": return `Over: ${event.kind}, ${shownText(event.signature)}`;
    case "nudge.sent": return `${event.applied ? "Nudge" : "Would nudge"}: ${shownText(event.text, 240)}`;
    case "nudge.dropped": return `Nudge kept back: ${event.why}`;
    case "nudge.settled": return event.helped ? "The nudge helped" : "The nudge was ignored";
    case "nudge.lost": return "The nudge could not be delivered";
    case "finish.requested": return `Wants to be done${event.text === undefined ? "" : `: ${shownText(event.text)}`}`;
    case "finish.vetoed": return `${event.gate} ${event.applied ? "says no" : "objects"}: ${shownText(event.text)}`;
    case "finish.vouched": return `${event.gate}: ${event.verdict}`;
    case "review.requested": return `Review ${event.review} asked for (${event.kind})`;
    case "review.finished": return `Review ${event.review}: ${event.verdict}${event.feedback === undefined ? "" : `, ${shownText(event.feedback)}`}`;
    case "stop.requested": return `Stop (${event.how}): ${event.reason}${event.text === undefined ? "" : `, ${shownText(event.text)}`}`;
    case "policy.failed": return `${event.policy} failed: ${shownText(event.message)}`;
    case "check.finished": return `${event.check}: ${event.outcome}${event.first === undefined ? "" : `, ${shownText(event.first)}`}`;
    case "verdict.given": return `${event.verdict}${event.why === undefined ? "" : `: ${shownText(event.why)}`}`;
    case "child.started": return `Child ${shownText(event.child)} started${event.task === undefined ? "" : `: ${shownText(event.task)}`}`;
    case "child.finished": return `Child ${shownText(event.child)} ended: ${event.reason}`;
    case "plan.declared": return `Plan${event.steps === undefined ? "" : ` of ${String(event.steps)} steps`}: ${shownText(event.text ?? "")}`;
    case "question.asked": return `Asks: ${shownText(event.question)}`;
    case "fact.rejected": return `Not taken: ${event.rejected}, ${shownText(event.issues.map(({ path, message }) => `${path} ${message}`).join("; "))}`;
    default: return shownText(bodyOf(event));
  }
}

function answerText({ model, usage, finishReason }: Extract<RunEvent, { type: "model.answered" }>): string {
  const parts = [
    ...(model === undefined ? [] : [shownText(model, 60)]),
    ...(usage?.inputTokens === undefined ? [] : [`${String(usage.inputTokens)} in`]),
    ...(usage?.outputTokens === undefined ? [] : [`${String(usage.outputTokens)} out`]),
    ...(finishReason === undefined ? [] : [shownText(finishReason, 40)]),
  ];
  return parts.length === 0 ? "Model answered" : parts.join(", ");
}

function resultText({ tool, input, outcome, exitCode, error, meaning, output }: Extract<RunEvent, { type: "tool.finished" }>): string {
  const { tests } = meaning;
  const how = tests === undefined
    ? `${outcome}${exitCode === undefined ? "" : `, exit ${String(exitCode)}`}`
    : `tests ${tests.verdict}${tests.failed === undefined ? "" : `, ${String(tests.failed)} failed`}${tests.passed === undefined ? "" : `, ${String(tests.passed)} passed`}`;
  const rest = error?.message ?? (outcome === "ok" ? undefined : output);
  return `${shownText(tool, 60)} ${input === undefined && meaning.targets === undefined ? "" : `${inputText(input, meaning.targets)} `}→ ${how}${rest === undefined ? "" : `: ${shownText(rest)}`}`;
}

function inputText(input: unknown, targets: readonly string[] | undefined): string {
  if (targets !== undefined && targets.length > 0) return shownText(targets.slice(0, 3).join(", ") + (targets.length > 3 ? ` and ${String(targets.length - 3)} more` : ""));
  if (typeof input === "object" && input !== null && !Array.isArray(input)) {
    const { command, cmd, path, file_path, query } = input as Readonly<Record<string, unknown>>;
    const first = command ?? cmd ?? path ?? file_path ?? query;
    if (first !== undefined) return shownText(first);
  }
  return input === undefined ? "" : shownText(input);
}

const OWN = new Set(["type", "v", "seq", "at", "agent", "turn", "call", "index", "loop", "cause", "by"]);

function bodyOf(event: RunEvent): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(event).filter(([key]) => !OWN.has(key)));
}
