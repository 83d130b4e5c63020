import { type PlainTool, type Reason, reasons, type RunEvent } from "@phasekit/core";
import { defined, quote, toObject } from "@phasekit/core/adapter";
import type { PhaseRecord } from "../records/phase-record.ts";
import { readRun, type RunStore } from "../run-store.ts";
import { type RunSummary, type SummarizeOptions, summarizeRun } from "../summarize-run.ts";
import { failureOf, terminalState } from "../terminal-state.ts";
import { cost, count, dollars, duration, knownCost, plural, sentence } from "../words/numbers.ts";
import { endingOf } from "./ending.ts";
import { type RunStory, storyOf } from "./run-story.ts";
import { interventionText, loopText, workText } from "./story-text.ts";
import { verdictText, verificationOf } from "./verification.ts";

/** Advice for each reason; core's table has its meaning. */
const ADVICE: Readonly<Record<Reason, string>> = {
  done: "Nothing is left to do. Look at `verified` to see whether a gate vouched for it.",
  done_unverified:
    "Read the gates under `evidence` and the condition under `predicateFailure`: do what they ask for, " +
    "or waive the gate with a reason.",
  gave_up: "Read its last words and the call that failed before them: something the agent needs may be missing.",
  asked: "Answer the question.",
  advanced: "Nothing went wrong; the next record shows what followed.",
  skipped: "Look at who skipped it and why in the event phase.skipped.",
  rolled_back: "The work continues in a new entry; its earlier cost still counts.",
  suspended: "Give the run what it waits for.",
  cancelled: "A person or program requested the stop; the event stop.requested says who and why.",
  abandoned: "Read the review that gave up the work before you retry it.",
  parent_ended: "Look at the parent run: it ended while this one was still working.",
  step_limit:
    "Raise the host's limit, such as `stopWhen` or `maxTurns`, or see where the steps went (`subLoops`, `wasted`).",
  turn_limit: "See where the turns went (`subLoops`, `wasted`); raise the limit only if they were well spent.",
  token_limit: "See `costSignals`: a low cache hit rate or long outputs are the usual cause.",
  cost_limit: "See `costSignals` and the aggregates per loop for where the money went.",
  phase_timeout: "One phase outlived `timeoutMs` in the graph; the run as a whole had time left.",
  policy_stop: "The event stop.requested names the policy and its text.",
  context_overflow: "Summarise the conversation or clip tool output earlier; the same request will not fit next time.",
  content_filtered: "The provider withheld the answer; rephrase the task or use another provider.",
  answer_truncated: "Raise the limit for output tokens, or ask for a shorter answer; what came before the cut is kept.",
  answer_empty: "Ask again: the model stopped without a word. Look at the last tool result and at the prompt.",
  finish_unknown: "Read `finishReason` of the last model.answered in the provider's documentation.",
  timeout:
    "One model call outlived its own limit; the run and the phase had time left. " +
    "Raise the limit of a call or use a faster model.",
  rate_limit: "Wait, lower the parallelism, or raise the quota of the key; a key limit does not come back by waiting.",
  rate_limit_mid_run: "The key had quota when the run began; wait until the quota is renewed.",
  upstream_unhealthy: "The provider behind the endpoint fails; use another one or wait.",
  connection_error: "Check name lookup, proxy and network.",
  function_call_failed:
    "The model never made the required call: check the tool's description, or use a model that calls tools reliably.",
  validation_giveup: "See `topValidationErrors` for the paths that failed; describe them better or loosen the schema.",
  unknown: "Read `error`; if it is a new kind of failure, open an issue so that it gets a reason.",
  aborted_stagnation: "See `lastStagnation`: the same failure came back; change the approach, not the budget.",
  aborted_cumulative_loop:
    "See `subLoops`: many different corrections of one kind added up; the step before them is wrong.",
  interrupted: "Nothing that was recorded is lost.",
  archive_timeout: "The run reached its time limit; raise the limit or make the task smaller.",
};

const RESUMES = "The run can be resumed as it is.";
const REOPENS = "It is resumed only with `reopen: true`.";

/** Explains a reason: its meaning, who is to blame, what to do about it and how to continue. */
export function explainReason(reason: Reason): string {
  if (!Object.hasOwn(reasons, reason)) return "This version of Phasekit does not know the reason; a later one may.";
  const { text, blame, countsAgainstModel, resumable } = reasons[reason];
  const pointing =
    blame === "none" ? "" : ` Caused by the ${blame}${countsAgainstModel ? "; counts when models are compared" : ""}.`;
  const resuming = resumable ? ` ${RESUMES}` : blame === "none" ? "" : ` ${REOPENS}`;
  return `${text}${pointing} ${ADVICE[reason]}${resuming}`;
}

/**
 * Returns why a run stopped, whether its work is verified and what it cost, in a few lines for people: the story of its
 * log, and the last phase entries.
 *
 * @example
 * console.log(explainRun(await readRun(store, id)));
 * @throws TypeError when the log does not begin with `run.started`; UNKNOWN_EVENT when a newer version wrote it
 */
export function explainRun(events: readonly RunEvent[], options: SummarizeOptions = {}): string {
  const summary = summarizeRun(events, options);
  const story = storyOf(events, options);
  const { run, reason, phase, attempt, phases, task } = summary;
  const { state, failure } = terminalState(summary);
  const last = phases.at(-1);
  const cause = failure === undefined || failure === reason || failure === state ? "" : ` (${failure})`;
  const ended = reason === undefined ? "" : `, ${reason}`;
  const attempts = attempt > 1 ? `, attempt ${String(attempt)}` : "";
  const lines = [
    `Run ${quote(run)}: ${state}${cause}${ended}, in phase ${quote(phase)}${attempts}.`,
    ...(task?.text === undefined ? [] : [`Task: ${quote(task.text)}`]),
    state === "running" || reason === undefined ? sentence(endingOf(story).text) : explainReason(reason),
    ...(state === "running" ? [] : [verificationLine(story)]),
    ...story.missed,
    ...labelled("Changed", workText(story)),
    ...story.loops.flatMap((loop) => labelled("Loop", loopText(loop))),
    ...story.waits.flatMap((wait) => labelled("Waited", loopText(wait))),
    ...labelled("Phasekit", interventionText(story)),
    ...(last === undefined ? [] : detailLines(last)),
    costLine(story),
    ...childLines(summary),
    ...phases.slice(-8).map(phaseLine),
  ];
  return lines.join("\n");
}

const labelled = (label: string, text: string | undefined): readonly string[] =>
  text === undefined ? [] : [`${label}: ${sentence(text)}`.replace(/\.\.$/, ".")];

function verificationLine(story: RunStory): string {
  const verification = verificationOf(story);
  return `Verified: ${verdictText(verification)}: ${quote(verification.text, { max: 300 }).slice(1, -1)}`;
}

/** Findings of the last phase entry that only the record has. */
function detailLines({
  error,
  compile,
  predicateFailure,
  topValidationErrors: [top] = [],
}: PhaseRecord): readonly string[] {
  return [
    ...(error === undefined ? [] : [`Error: ${quote(error.message, { max: 200 })}`]),
    ...(compile === undefined ? [] : [compileLine(compile)]),
    ...(predicateFailure === undefined ? [] : [predicateLine(predicateFailure)]),
    ...(top === undefined ? [] : [`Most frequent validation error: ${quote(top.path)}, ${plural(top.count, "time")}.`]),
  ];
}

function compileLine({ kind, count, first }: NonNullable<PhaseRecord["compile"]>): string {
  const diagnostics = count === undefined ? "" : `, ${plural(count, "diagnostic")}`;
  return `Compilation: ${kind}${diagnostics}${first === undefined ? "" : `, first ${quote(first)}`}.`;
}

function predicateLine({ kind, count }: NonNullable<PhaseRecord["predicateFailure"]>): string {
  return `Condition not met: ${kind}${count === undefined ? "" : ` (${String(count)})`}.`;
}

function costLine({ usage, elapsedMs, calls, failedCalls, wasted }: RunStory): string {
  const { inputTokens, outputTokens, cachedInputTokens, modelCalls, unknownCalls, unpricedCalls = 0 } = usage;
  const unpriced = unpricedCalls === 0 ? "" : ` without ${plural(unpricedCalls, "call")} of unknown price`;
  const cached = cachedInputTokens === undefined ? "" : ` (${count(cachedInputTokens)} cached)`;
  const parts = [
    plural(modelCalls, "model call"),
    inputTokens === undefined ? "input tokens unknown" : `${count(inputTokens)} input tokens${cached}`,
    ...(outputTokens === undefined ? [] : [`${count(outputTokens)} output tokens`]),
    ...(usage.cost === undefined ? [] : [`${cost(knownCost(usage))}${unpriced}`]),
    `${duration(elapsedMs)} of work`,
    plural(calls, "tool call"),
    ...(failedCalls === 0 ? [] : [`${count(failedCalls)} failed`]),
    ...(wasted.calls === 0 ? [] : [`${count(wasted.calls)} brought nothing new`]),
    ...(unknownCalls > 0 && inputTokens !== undefined ? [`${plural(unknownCalls, "call")} without known usage`] : []),
  ];
  return `Cost: ${parts.join(", ")}.`;
}

/** The cost of the sub-agents, besides the cost above. */
function childLines({ phases }: RunSummary): readonly string[] {
  const children = phases.flatMap(({ children: own = [] }) => own);
  if (children.length === 0) return [];
  const sum = (valueOf: (child: (typeof children)[number]) => number | undefined): number | undefined =>
    children.some((child) => valueOf(child) !== undefined)
      ? children.reduce((all, child) => all + (valueOf(child) ?? 0), 0)
      : undefined;
  const [input, output, spent, calls] = [
    sum(({ inputTokens }) => inputTokens),
    sum(({ outputTokens }) => outputTokens),
    sum((child) => child.cost),
    sum(({ toolCalls }) => toolCalls),
  ];
  const parts = [
    input === undefined && output === undefined
      ? "tokens unknown"
      : `${count(input ?? 0)} input and ${count(output ?? 0)} output tokens`,
    ...(spent === undefined ? [] : [dollars(spent)]),
    ...(calls === undefined ? [] : [plural(calls, "call")]),
  ];
  return [`Besides, ${plural(new Set(children.map(({ run }) => run)).size, "sub-agent")}: ${parts.join(", ")}.`];
}

function phaseLine(record: PhaseRecord): string {
  const { entry, attempt, success, endReason, elapsed, aggregates } = record;
  const { turns, toolCalls } = aggregates.total.metric;
  const name = `${success ? "✓" : "✗"} ${entry}${attempt > 1 ? ` (attempt ${String(attempt)})` : ""}`;
  const costs = `${plural(turns, "turn")}, ${plural(toolCalls, "call")}, ${duration(elapsed)}`;
  return `  ${name}: ${failureOf(record) ?? endReason}, ${costs}`;
}

/** Lets an agent ask why a run stopped: its own last attempt, or any run of the store. */
export function whyTool(store: RunStore): PlainTool {
  return {
    name: "why_stopped",
    description: "Says why a run stopped, in which phase, and what it cost. Without an id it takes the newest run.",
    inputSchema: {
      type: "object",
      properties: { run: { type: "string", description: "The id of the run." } },
      additionalProperties: false,
    },
    execute: async (input) => {
      const { run: wanted } = toObject(input);
      if (wanted !== undefined && typeof wanted !== "string")
        return { ok: false, text: "`run` must be the id of a run." };
      const id = wanted ?? (await store.list({ limit: 1 }))[0]?.run;
      const events = id === undefined ? [] : await readRun(store, id);
      if (events.length === 0)
        return { ok: false, text: id === undefined ? "There are no runs yet." : `There is no run ${quote(id)}.` };
      const summary = summarizeRun(events);
      const { failure, state } = terminalState(summary);
      return {
        ok: true,
        text: explainRun(events),
        data: {
          run: summary.run,
          state,
          ...defined({ failure, reason: summary.reason }),
          phase: summary.phase,
        },
      };
    },
  };
}
