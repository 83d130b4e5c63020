import { type EventOf, reasons } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { type RunStory, verificationOf, words } from "@phasekit/ledger/story";
import { agentFinish, CONVENTIONS, kinds, names, own } from "../conventions.ts";
import { attributesFrom, type AttributeValue, nanoseconds, type OtlpSpan } from "./otlp.ts";
import { plainEvent } from "./plain-event.ts";
import type { TraceContext } from "./trace-context.ts";

/** One attempt of a run: from its start, or from where it was resumed, to its end. */
export interface Attempt {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly parentSpanId: string | undefined;
  /** The start of the run, of which later attempts are a part. */
  readonly started: EventOf<"run.started"> | undefined;
  readonly finished: EventOf<"run.finished"> | undefined;
}

/** Returns the id of the span of an attempt. */
export function attemptSpanId({ ids }: Pick<TraceContext, "ids">, attempt: number): string {
  return ids.span(`attempt/${String(attempt)}`);
}

/** Returns the span of a run, with its story as attributes: why it ended, what it is worth and what it cost. */
export function runSpan(attempt: Attempt, story: RunStory, context: TraceContext): OtlpSpan {
  const { ids, agent, common, text, provider } = context;
  const { from, to, started, finished, number, parentSpanId } = attempt;
  return {
    traceId: ids.trace,
    spanId: attemptSpanId(context, number),
    ...defined({ parentSpanId }),
    name: `invoke_agent ${agent}`,
    kind: 1,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(Math.max(from, to)),
    attributes: [
      ...common,
      ...attributesFrom({
        ...kinds.agent,
        [names.agent]: agent,
        [names.provider]: provider,
        [own.conventions]: CONVENTIONS,
        [own.attempt]: number,
        [own.graph]: started?.graph,
        [own.parentRun]: started?.parent?.run,
        ...storyMembers(story),
        [names.langfuseTags]: ["phasekit", story.reason ?? story.state],
        ...(text && textMembers(story, started)),
        [own.events]: [started, finished].flatMap((event) =>
          event === undefined ? [] : [JSON.stringify(plainEvent(event, context))],
        ),
      }),
    ],
    status: statusOf(story, text),
  };
}

/** The story of a run as attributes, for its span and for the span of another instrumentation. */
export function storyMembers(story: RunStory): Readonly<Record<string, AttributeValue>> {
  const { reason, state, verified, usage, work, delivery, loops, wasted, interventions } = story;
  const { verdict, grade } = verificationOf(story);
  return {
    [own.mode]: story.mode,
    [own.state]: state,
    [own.reason]: reason,
    [own.blame]: reason === undefined ? undefined : reasons[reason].blame,
    [names.agentFinish]: reason === undefined ? undefined : agentFinish[reason],
    [own.verified]: verified,
    [own.verdict]: verdict,
    [own.grade]: grade,
    [names.inputTokens]: usage.inputTokens,
    [names.outputTokens]: usage.outputTokens,
    [names.cacheReadTokens]: usage.cachedInputTokens,
    [names.cost]: usage.cost,
    "phasekit.turns": story.turns,
    "phasekit.calls": story.calls,
    "phasekit.calls.failed": story.failedCalls,
    "phasekit.active_ms": story.elapsedMs,
    "phasekit.cost.unpriced_calls": usage.unpricedCalls,
    "phasekit.loops": loops.length,
    "phasekit.loop.kinds": loops.length === 0 ? undefined : [...new Set(loops.map(({ kind }) => kind))],
    "phasekit.loop.open": loops.some(({ open }) => open) || undefined,
    "phasekit.wasted.calls": wasted.calls,
    "phasekit.wasted.tokens": wasted.tokens,
    "phasekit.work.files": work.files,
    "phasekit.work.edits": work.edits,
    "phasekit.work.test_runs": work.testRuns,
    "phasekit.work.last_test": work.lastTest?.verdict,
    "phasekit.work.weakened_tests": work.weakened.length || undefined,
    "phasekit.delivery.committed": delivery.committed,
    "phasekit.delivery.pushed": delivery.pushed,
    "phasekit.delivery.pull_request": delivery.pullRequest,
    "phasekit.delivery.ci": delivery.ci,
    "phasekit.nudges": interventions.applied.nudges,
    "phasekit.refusals": interventions.applied.refusals,
    "phasekit.vetoes": interventions.applied.vetoes,
    "phasekit.stops": interventions.applied.stops,
    "phasekit.children": story.children,
  };
}

function textMembers(
  story: RunStory,
  started: EventOf<"run.started"> | undefined,
): Readonly<Record<string, AttributeValue>> {
  const task = started?.task?.text;
  return {
    "phasekit.ending": words.endingOf(story).text,
    "phasekit.verdict.text": verificationOf(story).text,
    "phasekit.work.names": story.work.names,
    "phasekit.missed": story.missed.length === 0 ? undefined : story.missed,
    [names.inferenceInput]: task,
    [names.inputMessages]:
      task === undefined ? undefined : JSON.stringify([{ role: "user", parts: [{ type: "text", content: task }] }]),
  };
}

/** Red is for runs that failed. One that a person set aside or stopped is neither good nor bad. */
function statusOf(story: RunStory, text: boolean): OtlpSpan["status"] {
  switch (story.state) {
    case "clean":
    case "success":
      return { code: 1 };
    case "failed":
    case "stalled":
    case "timed-out":
      return { code: 2, message: text ? words.endingOf(story).text : (story.reason ?? story.state) };
    case "partial":
    case "interrupted":
    case "running":
      return {};
  }
}
