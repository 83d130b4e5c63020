import type { Mode, Reason, RunEvent, VouchVerdict } from "@phasekit/core";
import { callOf, type Delivery, findingOf } from "@phasekit/core/account";
import { type BlindSpan, blindSpan, defined, pushBounded, quote, toObject } from "@phasekit/core/adapter";
import type { TerminalState } from "../state-of-run.ts";
import { createSummary, type RunSummary } from "../summarize-run.ts";
import { titleOfPrompt } from "../words/run-title.ts";
import { easilyMissed } from "./easily-missed.ts";
import { createLoopFold, type Loop } from "./loop-fold.ts";
import { createModelUseFold, type ModelUse } from "./model-use.ts";
import { createInterventionFold, type Interventions } from "./interventions.ts";
import { createUsageFold, type PhaseShare, sharesOf } from "./phase-shares.ts";
import { createWorkFold, type StoryWork } from "./work.ts";

/** A summary of one run for people: a fold over its events, of bounded size. */
export interface RunStory {
  readonly run: string;
  /** The first prompt that says something, on one line. Foreign text. */
  readonly title?: string;
  readonly state: TerminalState;
  /** Why the run ended; absent while it runs or if its log has no end. */
  readonly reason?: Reason;
  /** True if a gate vouched for the end; absent if the run did not end. */
  readonly verified?: boolean;
  /** How well the end is backed by evidence, and why; absent if the run did not end. */
  readonly evidence?: NonNullable<RunSummary["evidence"]>;
  /** The last phase. */
  readonly phase: string;
  readonly mode: Mode;
  readonly turns: number;
  readonly calls: number;
  readonly failedCalls: number;
  /** Active time; 0 if the log has no timestamps. */
  readonly elapsedMs: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Tokens and cost of the run itself. Sub-agents are runs of their own. */
  readonly usage: RunSummary["usage"];
  /** The answers by model, for their cost. */
  readonly models: readonly ModelUse[];
  /** Input and output tokens; absent if no answer reports them. */
  readonly tokens?: number;
  readonly phases: readonly PhaseShare[];
  readonly moves: number;
  readonly work: StoryWork;
  readonly delivery: StoryDelivery;
  /** Sentences about what is easily missed: untrue claims, skipped hooks, weakened tests. Foreign text. */
  readonly missed: readonly string[];
  readonly gates: readonly {
    readonly gate: string;
    readonly verdict: VouchVerdict | "fail";
    readonly text?: string;
    readonly problem?: string;
  }[];
  /** The error that ended the run. Foreign text. */
  readonly error?: string;
  readonly loops: readonly Loop[];
  /** Calls that asked again and again for something that was not ready: no loop. */
  readonly waits: readonly Loop[];
  readonly wasted: { readonly calls: number; readonly tokens?: number };
  readonly interventions: Interventions;
  readonly children: number;
  /** Times in which the agent worked and Phasekit could not answer, the last ones. */
  readonly blind: readonly BlindSpan[];
}

/** How far the work was delivered. */
interface StoryDelivery {
  readonly committed: boolean;
  readonly pushed: boolean;
  readonly pullRequest: boolean;
  /** True if something was changed after the last commit. */
  readonly isBehind: boolean;
  /** The last result of CI that was seen. */
  readonly ci?: "pass" | "fail" | "unknown";
}

/** Options for `storyOf()` and `createStory()`. */
export interface StoryOptions {
  /** The run has not ended: it is running. @default false, a log without an end was interrupted */
  readonly alive?: boolean;
  /** Selects the decisions that count: applied ones, or all. */
  /** @default "decided": in mode observe, the decisions of a stricter mode */
  readonly count?: "applied" | "decided";
}

/** Returns the story of a complete log. */
export function storyOf(events: readonly RunEvent[], options?: StoryOptions): RunStory {
  const story = createStory(options);
  for (const event of events) story.add(event);
  return story.get();
}

interface RunStoryFold {
  readonly add: (event: RunEvent) => void;
  readonly get: () => RunStory;
}

/** Folds the events of a run into its story; the same events always give the same story. */
export function createStory(options?: StoryOptions): RunStoryFold {
  return new StoryFold(options);
}

class StoryFold implements RunStoryFold {
  readonly #alive: boolean;
  readonly #summary = createSummary();
  readonly #models = createModelUseFold();
  readonly #usage = createUsageFold();
  readonly #work = createWorkFold();
  readonly #delivery: Delivery;
  readonly #interventions: {
    readonly add: (event: RunEvent, at: { readonly call: number; readonly tokens: number | undefined }) => void;
    readonly get: () => Interventions;
  };
  readonly #loops = createLoopFold();
  #gates: RunStory["gates"] = [];
  #mode: Mode = "observe";
  #moves = 0;
  #children = 0;
  #failedCalls = 0;
  readonly #blind: BlindSpan[] = [];
  #title: string | undefined;

  constructor({ count = "decided", alive = false }: StoryOptions = {}) {
    this.#alive = alive;
    const { delivery } = this.#work;
    this.#delivery = delivery;
    this.#interventions = createInterventionFold({ counted: ({ applied }) => applied || count === "decided" });
  }

  readonly add = (event: RunEvent): void => {
    this.#summary.add(event);
    this.#loops.add(event);
    this.#work.add(event);
    this.#usage.add(event);
    switch (event.type) {
      case "run.started":
        this.#mode = event.mode;
        this.#title = titleOfPrompt(event.task?.text ?? "");
        break;
      case "message.received":
        if (event.from === undefined || event.from === "user") this.#title ??= titleOfPrompt(event.excerpt ?? "");
        break;
      case "model.answered":
        this.#models.add(event);
        break;
      case "tool.finished":
        if (callOf(event).failed) this.#failedCalls += 1;
        break;
      case "finish.requested":
        this.#gates = [];
        break;
      case "finish.vouched":
        this.#gates = [...this.#gates, { gate: event.gate, verdict: event.verdict, ...defined({ text: event.why }) }];
        break;
      case "finish.vetoed":
        this.#gates = [
          ...this.#gates,
          { gate: event.gate, verdict: "fail", text: event.why ?? event.text, ...problemIn(event.evidence) },
        ];
        break;
      case "run.finished": {
        const unmet = findingOf(event);
        if (unmet !== undefined)
          this.#gates = [...this.#gates, defined({ gate: unmet.gate, verdict: unmet.verdict, text: unmet.why })];
        break;
      }
      case "phase.transition":
        this.#moves += 1;
        break;
      case "child.started":
        this.#children += 1;
        break;
      case "event.recorded":
        if (blindSpan.is(event)) pushBounded(this.#blind, event.data, MAX_BLIND);
        break;
      default:
        break;
    }
    this.#interventions.add(event, { call: this.#loops.calls(), tokens: this.#loops.tokens() });
  };

  readonly get = (): RunStory => {
    const { run, state, reason, verified, evidence, phase, elapsed, startedAt, updatedAt, phases } =
      this.#summary.get();
    const spent = this.#usage.total();
    const sum = (value: (record: (typeof phases)[number]) => number | undefined): number =>
      phases.reduce((all, record) => all + (value(record) ?? 0), 0);
    const tokens = this.#loops.tokens();
    // Partial usage says nothing about single parts of the run.
    const isWhole = spent.unknownCalls === 0;
    const wastedTokens =
      isWhole && phases.some(({ wasted }) => wasted?.tokens !== undefined)
        ? sum(({ wasted }) => wasted?.tokens)
        : undefined;
    const error = phases.at(-1)?.error?.message;
    const ranges = isWhole ? this.#loops.get() : this.#loops.get().map(({ tokens: _tokens, ...loop }) => loop);
    const done = this.#work.get();
    return {
      run,
      ...defined({ title: this.#title }),
      state: this.#alive && reason === undefined ? "running" : state,
      ...defined({ reason, verified, evidence }),
      phase,
      mode: this.#mode,
      turns: sum(({ aggregates }) => aggregates.total.metric.turns),
      calls: this.#loops.calls(),
      failedCalls: this.#failedCalls,
      elapsedMs: elapsed,
      startedAt,
      endedAt: updatedAt,
      usage: spent,
      models: this.#models.get(),
      ...defined({ tokens }),
      phases: sharesOf(phases, this.#usage.of),
      moves: this.#moves,
      work: done,
      delivery: deliveryOf(this.#delivery, this.#work.lastChangeSeq()),
      missed: easilyMissed({
        delivery: this.#delivery,
        weakened: done.weakened,
        gates: this.#gates,
        blind: this.#blind,
      }),
      gates: this.#gates,
      ...(error !== undefined && { error: quote(error, { max: 200 }) }),
      loops: ranges.filter((loop) => !isWait(loop)),
      waits: ranges.filter(isWait),
      wasted: {
        calls: sum(({ wasted }) => wasted?.calls),
        ...defined({ tokens: wastedTokens }),
      },
      interventions: isWhole ? this.#interventions.get() : withoutTokens(this.#interventions.get()),
      children: this.#children,
      blind: [...this.#blind],
    };
  };
}

const MAX_BLIND = 16;

/** Asking again for something that is not ready is waiting. */
const isWait = ({ kind }: Loop): boolean => kind === "waiting";

function deliveryOf(
  { committedSeq, pushedSeq, pullRequestSeq, ci }: Readonly<Delivery>,
  lastChange: number,
): StoryDelivery {
  return {
    committed: committedSeq > 0,
    pushed: pushedSeq > 0,
    pullRequest: pullRequestSeq > 0,
    isBehind: committedSeq > 0 && lastChange > committedSeq,
    ...(ci !== undefined && { ci: ci.verdict }),
  };
}

function withoutTokens({ first, stop, ...counts }: Interventions): Interventions {
  const { tokens: _first, ...word } = first ?? {};
  const { tokens: _stop, ...end } = stop ?? {};
  return {
    ...counts,
    ...(first !== undefined && { first: word as NonNullable<Interventions["first"]> }),
    ...(stop !== undefined && { stop: end as NonNullable<Interventions["stop"]> }),
  };
}

function problemIn(evidence: unknown): { readonly problem?: string } {
  const { problem } = toObject(evidence);
  return typeof problem === "string" ? { problem } : {};
}
