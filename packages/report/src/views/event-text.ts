import type { EventOf, RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { isObject, ownValue, toObject } from "@phasekit/core/adapter";
import { plural, tokens } from "./number-text.ts";
import { childName } from "./child-rows.ts";
import { policyHeading, verdictWord } from "./policy-heading.ts";
import { shownText, signatureText } from "./shown-text.ts";
import { textOf } from "./work/work-rows.ts";

type Texts = { readonly [TType in RunEvent["type"]]?: (event: EventOf<TType>) => string };

const runTexts: Texts = {
  "run.started": (event) => withDetail(`Started in ${event.phase}, mode ${event.mode}`, ": ", event.task?.text),
  "run.resumed": ({ attempt }) => `Resumed, attempt ${String(attempt)}`,
  "run.finished": ({ reason, verified, error }) =>
    withDetail(`Ended: ${reason.replaceAll("_", " ")}${verified ? ", verified" : ""}`, ", ", error?.message),
  "stop.requested": ({ how, reason, text }) => withDetail(`Stop (${how}): ${reason}`, ", ", text),
  "turn.started": ({ turn }) => `Turn ${String(turn ?? "")}`.trim(),
  "phase.transition": ({ from, to, reason, outcome }) =>
    `${withDetail(`${from} → ${to}`, ", ", reason)}${outcome === "completed" ? "" : ` (${from} ${outcome})`}`,
  "phase.rolled-back": ({ from, to }) => `Rolled back from ${from} to ${to}`,
  "phase.refused": ({ to, text }) => `Move to ${shownText(to ?? "?")} refused: ${shownText(text)}`,
  "phase.skipped": ({ phase, why }) => `Skipped ${phase}: ${shownText(why)}`,
  "phase.timed-out": ({ phase }) => `${phase} exceeded its time limit`,
  "move.requested": (event) =>
    withDetail(`${event.by} asks to ${event.do}${event.to === undefined ? "" : ` to ${event.to}`}`, ": ", event.why),
  "exploration.saturation": ({ filesRead, iterations }) =>
    `${plural(filesRead, "file")} read in ${plural(iterations, "turn")} without an edit`,
  "clock.ticked": () => "Time passed",
  "child.started": ({ child, task }) => withDetail(`Sub-agent ${childName(child)} started`, ": ", task),
  "child.progressed": ({ child, toolCalls, usage }) => {
    const calls = toolCalls === undefined ? [] : [plural(toolCalls, "call")];
    return `Sub-agent ${childName(child)}: ${[...calls, ...usageParts(usage)].join(", ")}`;
  },
  "child.finished": ({ child, reason }) => `Sub-agent ${childName(child)} ended: ${reason}`,
};

const modelTexts: Texts = {
  "model.answered": answerText,
  "model.failed": ({ status, message }) =>
    withDetail(`Model call failed${status === undefined ? "" : ` with ${String(status)}`}`, ": ", message),
  "model.reasoned": ({ excerpt, length }) => `Thinks: ${saidText(excerpt, length)}`,
  "message.sent": ({ excerpt, length }) => `Agent: ${saidText(excerpt, length)}`,
  "message.received": ({ excerpt, length }) => `To the agent: ${saidText(excerpt, length)}`,
  "tool.requested": ({ tool, input, meaning }) => `${shownText(tool, 60)} ${inputText(input, meaning.targets)}`.trim(),
  "tool.refused": ({ applied, tool, text }) =>
    withDetail(`${applied ? "Refused" : "Would refuse"} ${shownText(tool, 60)}`, ": ", text),
  "todos.updated": ({ todos }) => todoText(todos),
  "plan.declared": ({ steps, text }) =>
    withDetail(`Plan${steps === undefined ? "" : ` of ${plural(steps, "step")}`}`, ": ", text),
  "question.asked": ({ question }) => withDetail("Asks", ": ", question),
};

const policyTexts: Texts = {
  "alert.raised": ({ kind, subject, signature, count }) =>
    `${policyHeading(kind)}: ${signatureText(subject ?? signature)}, ${plural(count, "time")}`,
  "alert.cleared": ({ kind }) => `Over: ${policyHeading(kind)}`,
  "nudge.sent": ({ applied, by, text }) =>
    `${applied ? "Nudge" : "Would nudge"}: ${shownText(text === "" ? policyHeading(by) : text, 240)}`,
  "nudge.dropped": ({ why }) => `Nudge left out: ${DROPPED[why]}`,
  "nudge.settled": ({ applied, helped }) =>
    applied === false ? "The nudge was never sent" : helped ? "The nudge helped" : "The nudge was ignored",
  "nudge.lost": () => "The nudge could not be delivered",
  "finish.requested": ({ text }) => withDetail(text === undefined ? "Ends its turn" : "Says it is done", ": ", text),
  "finish.vetoed": (event) =>
    withDetail(`${policyHeading(event.gate)}: ${vetoWord(event)}`, ", ", event.why ?? event.text),
  "finish.vouched": ({ gate, verdict, why }) =>
    withDetail(`${policyHeading(gate)}: ${verdictWord(verdict)}`, ", ", why),
  "review.requested": ({ kind, text }) => withDetail(`A review is asked for (${kind})`, ": ", text),
  "review.finished": ({ review, verdict, feedback }) =>
    withDetail(`Review ${review}: ${verdict.replaceAll("-", " ")}`, ", ", feedback),
  "policy.failed": ({ policy, message }) => `${policy} failed: ${shownText(message)}`,
  "check.finished": ({ check, outcome, first }) => withDetail(`${check}: ${outcome}`, ", ", first),
  "verdict.given": ({ verdict, why }) => withDetail(verdict, ": ", why),
  "event.emitted": ({ name, data }) => withDetail(shownText(name).replace(/[.-]/g, " "), ": ", memberText(data)),
  "event.recorded": ({ name, data }) => withDetail(shownText(name).replace(/[.-]/g, " "), ": ", memberText(data)),
  "event.rejected": ({ rejected, issues }) =>
    withDetail(`Rejected event: ${rejected}`, ", ", issues.map(({ path, message }) => `${path} ${message}`).join("; ")),
};

const texts: Texts = { ...runTexts, ...modelTexts, ...policyTexts };

/** Returns one line of text about an event. The result of a call has the input of its request. */
export function eventText(event: RunEvent, request?: EventOf<"tool.requested">): string {
  if (event.type === "tool.finished") return resultText(event, request);
  const text = ownValue(texts, event.type) as ((event: RunEvent) => string) | undefined;
  return text === undefined ? memberText(bodyOf(event)) : text(event);
}

/** Why a nudge was not sent. */
const DROPPED = {
  topic: "a stronger one was about the same",
  cooldown: "its policy spoke shortly before",
  cap: "the phase already had as many as allowed",
  allowance: "the turn had no room for more text",
} as const;

const saidText = (excerpt: string | undefined, length: number): string =>
  excerpt === undefined ? plural(length, "character") : shownText(excerpt);

function vetoWord({ applied, held }: EventOf<"finish.vetoed">): string {
  if (applied) return "sent the agent back";
  if (held === "waived") return "waived";
  return held === undefined ? "would send the agent back" : "objects";
}

function todoText(todos: EventOf<"todos.updated">["todos"]): string {
  const done = todos.filter(({ status }) => status === "completed").length;
  const now = todos.find(({ status }) => status === "in_progress");
  return withDetail(`Own list: ${String(done)} of ${String(todos.length)} done`, ", now ", now?.text);
}

const usageParts = ({ inputTokens, outputTokens }: EventOf<"model.answered">["usage"] = {}): readonly string[] => [
  ...(inputTokens === undefined ? [] : [`${tokens(inputTokens)} in`]),
  ...(outputTokens === undefined ? [] : [`${tokens(outputTokens)} out`]),
];

function answerText({ model, usage, finishReason }: EventOf<"model.answered">): string {
  const parts = [
    ...(model === undefined ? [] : [shownText(model, 60)]),
    ...usageParts(usage),
    ...(finishReason === undefined ? [] : [shownText(finishReason, 40)]),
  ];
  return parts.length === 0 ? "Model answered" : parts.join(", ");
}

function resultText(event: EventOf<"tool.finished">, request: EventOf<"tool.requested"> | undefined): string {
  const { tool, input = request?.input, outcome, exitCode, error, meaning, output } = event;
  const { tests, targets = request?.meaning.targets } = meaning;
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
  const subject = input === undefined && targets === undefined ? "" : `${inputText(input, targets)} `;
  const name = shownText(tool === "unknown" ? (request?.tool ?? tool) : tool, 60);
  const call = `${name} ${subject}→ ${result.join(", ")}`;
  return withDetail(call, ": ", error?.message ?? (callOf(event).failed ? textOf(output) : undefined));
}

function inputText(input: unknown, targets: readonly string[] | undefined): string {
  const given = isObject(input) ? toObject(input) : {};
  // A command says more than the files it names.
  const { command = given["cmd"], path = given["file_path"], query = given["pattern"] } = given;
  if (typeof command === "string") return shownText(command);
  if (targets !== undefined && targets.length > 0)
    return shownText(
      targets.slice(0, 3).join(", ") + (targets.length > 3 ? ` and ${String(targets.length - 3)} more` : ""),
    );
  const first = path ?? query;
  return first !== undefined ? shownText(first) : isObject(input) ? memberText(input) : shownText(input ?? "");
}

/** Lists the members of an object as text; nested values as JSON. */
function memberText(value: unknown): string {
  if (!isObject(value)) return shownText(value ?? "");
  const members = Object.entries(toObject(value)).map(
    ([name, member]) => `${name} ${typeof member === "string" ? member : JSON.stringify(member)}`,
  );
  return shownText(members.join(", "));
}

/** Appends foreign text, if there is any. */
function withDetail(text: string, separator: string, detail: unknown): string {
  return detail === undefined || detail === "" ? text : `${text}${separator}${shownText(detail)}`;
}

const OWN = new Set(["type", "v", "seq", "at", "agent", "turn", "call", "index", "loop", "cause", "by"]);

function bodyOf(event: RunEvent): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(event).filter(([key]) => !OWN.has(key)));
}
