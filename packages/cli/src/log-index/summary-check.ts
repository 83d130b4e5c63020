import type { Loop, Interventions, ModelUse, PhaseShare, RunStory, StoryWork } from "@phasekit/ledger/story";
import type { Mode, TestMeaning } from "@phasekit/core";
import type { EvidenceProblem, SeenCheck } from "@phasekit/core/account";
import { type BlindSpan, isReason, type ValueCheck, valueChecks } from "@phasekit/core/adapter";
import type { RunSummary, TerminalState } from "@phasekit/ledger";
import type { TranscriptEnding, TranscriptReport, TranscriptRun } from "@phasekit/transcripts";
import type { RunReading } from "../logs/play-items.ts";
import type { LogSummary } from "./log-index.ts";

const { fields, flag, list, map, number, oneOf, optional, text } = valueChecks;

type Item<T> = T extends readonly (infer TItem)[] ? TItem : never;

const about = fields<TranscriptRun>({
  id: text,
  format: text,
  task: optional(fields<NonNullable<TranscriptRun["task"]>>({ id: optional(text), text: optional(text) })),
  parent: optional(fields<NonNullable<TranscriptRun["parent"]>>({ run: text, call: optional(text) })),
  agent: optional(text),
  model: optional(text),
  startedAt: optional(number),
  folder: optional(text),
});

const ending = fields<TranscriptEnding>({
  reason: optional(isReason),
  status: optional(text),
  summary: optional(text),
  judged: optional(fields<NonNullable<TranscriptEnding["judged"]>>({ success: flag, by: text })),
  at: optional(number),
  open: optional(flag),
});

const report = fields<TranscriptReport>({
  format: text,
  records: number,
  translated: number,
  skipped: map(number),
  unknown: map(number),
  broken: map(number),
  brokenAt: list(fields<Item<TranscriptReport["brokenAt"]>>({ at: text, why: text })),
  recovered: number,
  runs: number,
  childRuns: number,
  answers: number,
  answersWithUsage: number,
  calls: number,
  results: number,
  unanswered: number,
  orphans: number,
  endings: number,
  judged: number,
});

const verdict = oneOf<TestMeaning["verdict"]>({ pass: true, fail: true, unknown: true });

const usage = fields<RunSummary["usage"]>({
  inputTokens: optional(number),
  cachedInputTokens: optional(number),
  cacheWriteTokens: optional(number),
  outputTokens: optional(number),
  reasoningTokens: optional(number),
  cost: optional(number),
  modelCalls: number,
  unknownCalls: number,
  estimatedCalls: number,
  unpricedCalls: optional(number),
});

const model = fields<ModelUse>({
  model: text,
  above: number,
  calls: number,
  loggedCost: optional(number),
  unpriced: fields<ModelUse["unpriced"]>({
    calls: number,
    unknownCalls: number,
    inputTokens: number,
    outputTokens: number,
    cachedInputTokens: number,
    cacheWriteTokens: number,
    longCacheWriteTokens: number,
  }),
});

/** From 0 to 1: a bar of this length is drawn. */
const share = (value: unknown): value is number => number(value) && value >= 0 && value <= 1;

const phase = fields<PhaseShare>({
  phase: text,
  entries: number,
  turns: number,
  calls: number,
  failedCalls: number,
  wastedCalls: number,
  elapsedMs: number,
  inputTokens: optional(number),
  cachedTokens: optional(number),
  outputTokens: optional(number),
  tokens: optional(number),
  cost: optional(number),
  unpricedCalls: number,
  share,
  shareOf: oneOf<PhaseShare["shareOf"]>({ tokens: true, calls: true, turns: true }),
});

const grade = oneOf<NonNullable<RunStory["evidence"]>["grade"]>({
  proven: true,
  supported: true,
  weak: true,
  claimed: true,
  "not-needed": true,
});

const work = fields<StoryWork>({
  edits: number,
  files: number,
  names: list(text),
  weakened: list(text),
  lastEdit: optional(fields<NonNullable<StoryWork["lastEdit"]>>({ call: number, file: optional(text) })),
  testRuns: number,
  lastTest: optional(
    fields<NonNullable<StoryWork["lastTest"]>>({
      call: number,
      verdict,
      passed: optional(number),
      failed: optional(number),
      runner: optional(text),
    }),
  ),
  unknown: fields<StoryWork["unknown"]>({ calls: number, changes: number, tools: list(text) }),
  unread: number,
  evidence: fields<StoryWork["evidence"]>({
    grade,
    text,
    problem: optional(text as (value: unknown) => value is EvidenceProblem),
    check: optional(
      fields<NonNullable<StoryWork["evidence"]["check"]>>({
        call: number,
        kind: text as (value: unknown) => value is SeenCheck["kind"],
        verdict,
      }),
    ),
  }),
});

const gate = fields<Item<RunStory["gates"]>>({
  gate: text,
  verdict: oneOf<Item<RunStory["gates"]>["verdict"]>({
    pass: true,
    concerns: true,
    weak: true,
    met: true,
    doubt: true,
    "not-needed": true,
    unavailable: true,
    fail: true,
  }),
  text: optional(text),
  problem: optional(text),
});

const loop = fields<Loop>({
  kind: text,
  from: number,
  to: number,
  phase: text,
  firstSeq: number,
  lastSeq: number,
  count: number,
  what: text,
  severity: oneOf<Loop["severity"]>({ notice: true, warning: true, critical: true }),
  tokens: optional(number),
  open: flag,
});

const blindSpan = fields<BlindSpan>({
  from: number,
  to: number,
  calls: number,
  how: oneOf<BlindSpan["how"]>({ late: true, log: true, lost: true }),
  why: optional(text),
});

const counts = { nudges: number, refusals: number, vetoes: number, stops: number };

const interventions = fields<Interventions>({
  ...counts,
  applied: fields<Interventions["applied"]>(counts),
  first: optional(
    fields<NonNullable<Interventions["first"]>>({
      call: number,
      what: oneOf<NonNullable<Interventions["first"]>["what"]>({
        nudge: true,
        refusal: true,
        veto: true,
        stop: true,
      }),
      by: text,
      applied: flag,
      text,
      tokens: optional(number),
    }),
  ),
  stop: optional(
    fields<NonNullable<Interventions["stop"]>>({ call: number, reason: isReason, by: text, tokens: optional(number) }),
  ),
});

const story = fields<RunStory>({
  run: text,
  title: optional(text),
  state: oneOf<TerminalState>({
    running: true,
    success: true,
    clean: true,
    partial: true,
    failed: true,
    stalled: true,
    interrupted: true,
    "timed-out": true,
  }),
  reason: optional(isReason),
  verified: optional(flag),
  evidence: optional(
    fields<NonNullable<RunStory["evidence"]>>({
      grade,
      why: text,
    }),
  ),
  phase: text,
  mode: oneOf<Mode>({ observe: true, nudge: true, gate: true }),
  turns: number,
  calls: number,
  failedCalls: number,
  elapsedMs: number,
  startedAt: number,
  endedAt: number,
  usage,
  models: list(model),
  tokens: optional(number),
  phases: list(phase),
  moves: number,
  work,
  delivery: fields<RunStory["delivery"]>({
    committed: flag,
    pushed: flag,
    pullRequest: flag,
    isBehind: flag,
    ci: optional(verdict),
  }),
  missed: list(text),
  gates: list(gate),
  error: optional(text),
  loops: list(loop),
  waits: list(loop),
  wasted: fields<RunStory["wasted"]>({ calls: number, tokens: optional(number) }),
  interventions,
  children: number,
  blind: list(blindSpan),
});

/** Checks a stored summary of a log, member by member: a file in the cache may be damaged or forged. */
export const isLogSummary: ValueCheck<LogSummary> = fields<LogSummary>({
  format: text,
  report: optional(report),
  title: text,
  runs: list(fields<RunReading>({ about, ending, story })),
});
