import type { Meter } from "@opentelemetry/api";
import type { RunStory } from "@phasekit/ledger/story";
import { own } from "../conventions.ts";

type Labels = Readonly<Record<string, string | boolean>>;

/** One number about a run, by its labels. */
interface Figure {
  readonly metric: keyof typeof METRICS;
  readonly labels: Labels;
  readonly value: number;
}

/**
 * Metrics of runs. The share of verified runs by phase is `phasekit.runs` with `phasekit.verified` true, over all. The
 * conventions are replacing their metrics of tokens, so these have names of their own.
 */
const METRICS = {
  "phasekit.runs": { description: "Attempts of runs that ended", unit: "{run}" },
  "phasekit.turns": { description: "Turns of the agent", unit: "{turn}" },
  "phasekit.tool_calls": { description: "Tool calls of the agent", unit: "{call}" },
  "phasekit.tool_calls.failed": { description: "Tool calls that failed", unit: "{call}" },
  "phasekit.tokens": { description: "Tokens of model calls that report them", unit: "{token}" },
  "phasekit.cost": { description: "Cost of model calls, as far as it is known", unit: "{USD}" },
  "phasekit.loops": { description: "Loops of the agent", unit: "{loop}" },
} as const;

/** Returns the numbers of a story. They only grow while the run works. */
function figuresOf(story: RunStory): readonly Figure[] {
  return [
    ...story.phases.flatMap((share): readonly Figure[] => {
      const labels = { [own.phase]: share.phase };
      return [
        { metric: "phasekit.turns", labels, value: share.turns },
        { metric: "phasekit.tool_calls", labels, value: share.calls },
        { metric: "phasekit.tool_calls.failed", labels, value: share.failedCalls },
        {
          metric: "phasekit.tokens",
          labels: { ...labels, "gen_ai.token.type": "input" },
          value: share.inputTokens ?? 0,
        },
        {
          metric: "phasekit.tokens",
          labels: { ...labels, "gen_ai.token.type": "output" },
          value: share.outputTokens ?? 0,
        },
        { metric: "phasekit.cost", labels, value: share.cost ?? 0 },
      ];
    }),
    ...story.loops.map(({ kind, phase }): Figure => ({
      metric: "phasekit.loops",
      labels: { [own.phase]: phase, "phasekit.loop.kind": kind },
      value: 1,
    })),
  ];
}

/** Records a story that ended, without what `before` had: an earlier attempt of the run, which recorded its own. */
export function recordStory(meter: Meter, story: RunStory, before: RunStory | undefined): void {
  const recorded = sums(before === undefined ? [] : figuresOf(before));
  for (const [key, { metric, labels, value }] of sums(figuresOf(story))) {
    const grown = value - (recorded.get(key)?.value ?? 0);
    if (grown > 0) meter.createCounter(metric, METRICS[metric]).add(grown, labels);
  }
  meter.createCounter("phasekit.runs", METRICS["phasekit.runs"]).add(1, {
    [own.phase]: story.phase,
    [own.state]: story.state,
    [own.reason]: story.reason ?? "none",
    [own.verified]: story.verified ?? false,
  });
}

function sums(figures: readonly Figure[]): ReadonlyMap<string, Figure> {
  const found = new Map<string, Figure>();
  for (const figure of figures) {
    const key = `${figure.metric}${JSON.stringify(figure.labels)}`;
    found.set(key, { ...figure, value: figure.value + (found.get(key)?.value ?? 0) });
  }
  return found;
}
