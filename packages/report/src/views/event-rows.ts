import type { EventOf, RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { readableEvent } from "./readable-event.ts";
import { plural } from "./number-text.ts";
import { shownText, signatureText } from "./shown-text.ts";

/** The topic of an event, for colors and filters. */
type RowKind =
  | "run"
  | "phase"
  | "turn"
  | "model"
  | "tool"
  | "test"
  | "message"
  | "alert"
  | "nudge"
  | "gate"
  | "review"
  | "work"
  | "other";

/** The outcome of an event, if it has one. */
type RowOutcome = "ok" | "error" | "denied" | "refused";

/** One event as a row of the event list. */
export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: RunEvent["type"];
  readonly kind: RowKind;
  readonly phase: string;
  /** One line of text about the event. */
  readonly text: string;
  readonly tool?: string;
  readonly outcome?: RowOutcome;
}

/** Creates a function that converts events to rows in order: the phase of a row depends on earlier events. */
export function createEventRows(): (event: RunEvent) => EventRow {
  let phase = "";
  const tools = new Map<string, string>();
  return (stored) => {
    const event = readableEvent(stored);
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

/** Converts events to rows of the event list. */
export function eventRows(events: readonly RunEvent[]): readonly EventRow[] {
  return events.map(createEventRows());
}

function toolOf(event: RunEvent, tools: Map<string, string>): string | undefined {
  if (event.type === "tool.requested" || event.type === "tool.refused") return shownText(event.tool, 60);
  if (event.type !== "tool.finished") return undefined;
  const tool =
    event.tool === "unknown" && event.call !== undefined ? (tools.get(event.call) ?? event.tool) : event.tool;
  // A call has one result, so forget it to bound memory.
  if (event.call !== undefined) tools.delete(event.call);
  return shownText(tool, 60);
}

function outcomeOf(event: RunEvent): RowOutcome | undefined {
  switch (event.type) {
    case "tool.finished":
      return event.outcome === "denied" ? event.outcome : callOf(event).failed ? "error" : "ok";
    case "tool.refused":
      return "refused";
    case "model.failed":
      return "error";
    case "finish.vetoed":
      return event.applied ? "refused" : undefined;
    case "phase.refused":
      return "refused";
    default:
      return undefined;
  }
}

const KINDS: readonly (readonly [prefix: string, kind: RowKind])[] = [
  ["run.", "run"],
  ["stop.", "run"],
  ["child.", "run"],
  ["clock.", "other"],
  ["phase.", "phase"],
  ["exploration.", "phase"],
  ["move.", "phase"],
  ["turn.", "turn"],
  ["model.", "model"],
  ["tool.", "tool"],
  ["message.", "message"],
  ["alert.", "alert"],
  ["nudge.", "nudge"],
  ["finish.", "gate"],
  ["verdict.", "gate"],
  ["claim.", "gate"],
  ["review.", "review"],
  ["check.", "test"],
  ["validation.", "work"],
  ["output.", "work"],
  ["operation.", "work"],
  ["workspace.", "work"],
  ["todos.", "work"],
  ["plan.", "work"],
  ["question.", "work"],
  ["progress.", "work"],
  ["quota.", "model"],
];

function kindOf(event: RunEvent): RowKind {
  if (event.type === "tool.finished" && event.meaning.tests !== undefined) return "test";
  return KINDS.find(([prefix]) => event.type.startsWith(prefix))?.[1] ?? "other";
}

function vetoWord({ applied, held }: EventOf<"finish.vetoed">): string {
  if (applied) return "vetoed";
  return held === "objection" ? "objected" : "would veto";
}

function textOf(event: RunEvent): string {
  switch (event.type) {
    case "run.started":
      return withDetail(`Started in ${event.phase}, mode ${event.mode}`, ": ", event.task?.text);
    case "run.resumed":
      return `Resumed, attempt ${String(event.attempt)}`;
    case "run.finished":
      return withDetail(`Ended: ${event.reason}${event.verified ? ", verified" : ""}`, ", ", event.error?.message);
    case "turn.started":
      return `Turn ${String(event.turn ?? "")}`.trim();
    case "model.answered":
      return answerText(event);
    case "model.failed":
      return withDetail(
        `Model call failed${event.status === undefined ? "" : ` with ${String(event.status)}`}`,
        ": ",
        event.message,
      );
    case "tool.requested":
      return `${shownText(event.tool, 60)} ${inputText(event.input, event.meaning.targets)}`.trim();
    case "tool.finished":
      return resultText(event);
    case "tool.refused":
      return `${event.applied ? "Refused" : "Would refuse"} ${shownText(event.tool, 60)}: ${shownText(event.text)}`;
    case "message.sent":
      return `Agent: ${shownText(event.excerpt ?? `${String(event.length)} characters`)}`;
    case "message.received":
      return `To the agent: ${shownText(event.excerpt ?? `${String(event.length)} characters`)}`;
    case "phase.transition":
      return [
        withDetail(`${event.from} → ${event.to}`, ", ", event.reason),
        event.outcome === "completed" ? "" : ` (${event.from} ${event.outcome})`,
      ].join("");
    case "phase.rolled-back":
      return `Rolled back from ${event.from} to ${event.to}`;
    case "phase.refused":
      return `Move to ${shownText(event.to ?? "?")} refused: ${shownText(event.text)}`;
    case "phase.skipped":
      return `Skipped ${event.phase}: ${shownText(event.why)}`;
    case "phase.timed-out":
      return `${event.phase} exceeded its time limit`;
    case "exploration.saturation":
      return `${String(event.filesRead)} files read in ${String(event.iterations)} turns without an edit`;
    case "alert.raised":
      return `${event.kind}: ${signatureText(event.subject ?? event.signature)}, ${plural(event.count, "time")}`;
    case "alert.cleared":
      return `Cleared: ${event.kind}, ${signatureText(event.signature)}`;
    case "nudge.sent":
      return `${event.applied ? "Nudge" : "Would nudge"}: ${shownText(event.text, 240)}`;
    case "nudge.dropped":
      return `Nudge dropped: ${event.why}`;
    case "nudge.settled":
      if (event.applied === false) return "The nudge was never sent";
      return event.helped ? "The nudge helped" : "The nudge was ignored";
    case "nudge.lost":
      return "The nudge could not be delivered";
    case "finish.requested":
      return event.text === undefined ? "Asks whether the run is done" : `Says it is done: ${shownText(event.text)}`;
    case "finish.vetoed":
      return `${event.gate} ${vetoWord(event)}: ${shownText(event.why ?? event.text)}`;
    case "finish.vouched":
      return withDetail(`${event.gate}: ${event.verdict}`, ", ", event.why);
    case "review.requested":
      return `Review ${event.review} requested (${event.kind})`;
    case "review.finished":
      return withDetail(`Review ${event.review}: ${event.verdict}`, ", ", event.feedback);
    case "stop.requested":
      return withDetail(`Stop (${event.how}): ${event.reason}`, ", ", event.text);
    case "policy.failed":
      return `${event.policy} failed: ${shownText(event.message)}`;
    case "check.finished":
      return withDetail(`${event.check}: ${event.outcome}`, ", ", event.first);
    case "verdict.given":
      return withDetail(event.verdict, ": ", event.why);
    case "child.started":
      return withDetail(`Child ${shownText(event.child)} started`, ": ", event.task);
    case "child.finished":
      return `Child ${shownText(event.child)} ended: ${event.reason}`;
    case "plan.declared":
      return withDetail(
        `Plan${event.steps === undefined ? "" : ` of ${String(event.steps)} steps`}`,
        ": ",
        event.text ?? "",
      );
    case "question.asked":
      return `Asks: ${shownText(event.question)}`;
    case "event.emitted":
      return `${event.name}: ${memberText(event.data)}`;
    case "event.recorded":
      return `${event.name}: ${memberText(event.data)}`;
    case "event.rejected":
      return withDetail(
        `Rejected event: ${event.rejected}`,
        ", ",
        event.issues.map(({ path, message }) => `${path} ${message}`).join("; "),
      );
    default:
      return memberText(bodyOf(event));
  }
}

/** Lists the members of an object as text; nested values as JSON. */
function memberText(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return shownText(value ?? "");
  const members = Object.entries(value).map(
    ([name, member]) => `${name} ${typeof member === "string" ? member : JSON.stringify(member)}`,
  );
  return shownText(members.join(", "));
}

/** Appends foreign text, if there is any. */
function withDetail(text: string, separator: string, detail: unknown): string {
  return detail === undefined ? text : `${text}${separator}${shownText(detail)}`;
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

function resultText(event: Extract<RunEvent, { type: "tool.finished" }>): string {
  const { tool, input, outcome, exitCode, error, meaning, output } = event;
  const { tests } = meaning;
  const result =
    tests === undefined
      ? [
          outcome === "denied" ? outcome : callOf(event).failed ? "failed" : "ok",
          ...(exitCode === undefined ? [] : [`exit ${String(exitCode)}`]),
        ]
      : [
          `tests ${tests.verdict}`,
          ...(tests.failed === undefined ? [] : [`${String(tests.failed)} failed`]),
          ...(tests.passed === undefined ? [] : [`${String(tests.passed)} passed`]),
        ];
  const subject = input === undefined && meaning.targets === undefined ? "" : `${inputText(input, meaning.targets)} `;
  const call = `${shownText(tool, 60)} ${subject}→ ${result.join(", ")}`;
  return withDetail(call, ": ", error?.message ?? (callOf(event).failed ? output : undefined));
}

function inputText(input: unknown, targets: readonly string[] | undefined): string {
  if (targets !== undefined && targets.length > 0)
    return shownText(
      targets.slice(0, 3).join(", ") + (targets.length > 3 ? ` and ${String(targets.length - 3)} more` : ""),
    );
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
