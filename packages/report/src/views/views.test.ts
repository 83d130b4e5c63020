import { createRun, type RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { summarizeRun } from "@phasekit/ledger";
import { describe, expect, it, test } from "vitest";
import { goodRun, hostile, hostileRun, loopingRun } from "../../test/sample-runs.ts";
import { compareRuns } from "./compare-runs.ts";
import { entryDetails } from "./entry-details.ts";
import { eventRows } from "./event-rows.ts";
import { filterRows, searchText } from "./filter-rows.ts";
import { gateRows, waitingReviews } from "./gate-rows.ts";
import { loopRows } from "./loop-rows.ts";
import { nudgeRows } from "./nudge-rows.ts";
import { duration, tokens } from "./number-text.ts";
import { overviewOf } from "./overview.ts";
import { overviewToMarkdown } from "./overview-to-markdown.ts";
import { storyOf } from "@phasekit/ledger/story";
import { runLine, summaryLine } from "./run-line.ts";
import { timeline } from "./timeline.ts";

const looping = loopingRun();
const good = goodRun();

describe("eventRows", () => {
  const rows = eventRows(looping);

  it("eventRows returns one row per event, in order, with its phase", () => {
    expect(rows.map(({ seq }) => seq)).toEqual(looping.map(({ seq }) => seq));
    const moves = rows.filter(({ type }) => type === "phase.transition");
    expect(moves.map(({ phase, text }) => `${phase}: ${text.split(",")[0] ?? ""}`)).toEqual([
      "exploring: exploring → acting",
      "acting: acting → verifying",
    ]);
    expect(rows[moves[0]!.seq]!.phase).toBe("acting");
  });

  it("a row shows the outcome of a call", () => {
    const tests = rows.find(({ kind }) => kind === "test");
    expect(tests).toMatchObject({ tool: "Bash", outcome: "error", type: "tool.finished" });
    expect(tests?.text).toMatch(/^Bash .*tests fail, 2 failed, 8 passed/);
    expect(rows.filter(({ outcome }) => outcome === "refused").length).toBeGreaterThan(0);
  });

  it("the rows of failed calls are those of the account", () => {
    for (const events of [looping, good]) {
      const failed = events
        .filter((event) => event.type === "tool.finished" && callOf(event).failed)
        .map(({ seq }) => seq);
      const shown = eventRows(events).filter(({ type, outcome }) => type === "tool.finished" && outcome === "error");
      expect(shown.map(({ seq }) => seq)).toEqual(failed);
    }
  });

  it("the row of an alert names the call without its hash", () => {
    const alerts = rows.filter(({ type }) => type === "alert.raised").map(({ text }) => text);
    expect(alerts[0]).toBe("The same call again: Bash npx prisma migrate dev, 2 times");
    expect(alerts.filter((text) => / #\w/.test(text))).toEqual([]);
  });

  it("a row contains no control or bidi characters", () => {
    for (const { text, tool = "" } of eventRows(hostileRun())) expect(text + tool).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });
});

describe("search and filters", () => {
  const rows = eventRows(looping);
  const texts = rows.map(searchText);
  const found = (filter: Parameters<typeof filterRows>[2]): readonly number[] => filterRows(rows, texts, filter);

  test.each([
    ["nothing asked", {}, rows.length],
    [
      "words in any order and case",
      { text: "PRISMA bash" },
      rows.filter(({ text }) => text.includes("prisma") && text.includes("Bash")).length,
    ],
    ["a word that does not occur", { text: "kubernetes" }, 0],
    ["a phase", { phase: "exploring" }, rows.filter(({ phase }) => phase === "exploring").length],
    ["a phase and a tool", { phase: "exploring", tool: "Read" }, 6],
    ["an outcome", { outcome: "refused" }, rows.filter(({ outcome }) => outcome === "refused").length],
    ["an event by its number", { text: "#12" }, rows.filter(({ seq }) => String(seq).startsWith("12")).length],
  ] as const)("%s", (_name, filter, count) => {
    expect(found(filter)).toHaveLength(count);
  });

  it("filterRows separates findings from ordinary events", () => {
    const kinds = new Set(found({ findings: true }).map((index) => rows[index]!.type));
    expect([...kinds].sort()).toEqual(expect.arrayContaining(["alert.raised", "finish.vetoed", "nudge.sent"]));
    expect(kinds.has("tool.requested")).toBe(false);
    expect(kinds.has("turn.started")).toBe(false);
  });
});

describe("timeline", () => {
  const summary = summarizeRun(looping);
  const line = timeline(looping, summary);

  it("the bars cover the run without gaps", () => {
    expect(line.axis).toBe("time");
    expect(line.bars.map(({ phase }) => phase)).toEqual(["exploring", "acting", "verifying"]);
    expect(line.bars[0]!.from).toBe(0);
    expect(line.bars.at(-1)!.to).toBe(line.length);
    for (const [index, bar] of line.bars.slice(1).entries()) expect(bar.from).toBe(line.bars[index]!.to);
  });

  it("the slices count every call once, also those that were refused", () => {
    expect(line.slices.reduce((sum, { calls }) => sum + calls, 0)).toBe(storyOf(looping).calls);
  });

  it("the marks include tests, alerts, nudges, refusals and vetoes", () => {
    expect(new Set(line.marks.map(({ kind }) => kind))).toEqual(
      new Set(["tests-fail", "failed-call", "alert", "nudge", "refusal", "review", "stop", "veto"]),
    );
  });

  it("the axis counts events if the log has no timestamps", () => {
    const still = looping.map((event) => ({ ...event, at: 5 })) as unknown as readonly RunEvent[];
    const { axis, length } = timeline(still, summarizeRun(still));
    expect([axis, length]).toEqual(["events", looping.length - 1]);
  });

  it("the last bar is open while the run is in progress", () => {
    const events = looping.slice(0, 20);
    const { bars } = timeline(events, summarizeRun(events, { alive: true }));
    expect(bars.at(-1)).toMatchObject({ phase: "acting", state: "open" });
  });

  it("the timeline limits the number of slices and marks", () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({
      ...looping.find(({ type }) => type === "alert.raised")!,
      seq: index + 1,
      at: index,
    })) as unknown as readonly RunEvent[];
    expect(timeline([looping[0]!, ...many], summary).marks.length).toBeLessThanOrEqual(2000);
  });
});

describe("loopRows", () => {
  it("a loop is one row, as the story tells it", () => {
    const story = storyOf(looping);
    const rows = loopRows(story, looping);
    expect(rows).toMatchObject([
      { kind: "repeat", phase: "verifying", subject: "Bash npx prisma migrate dev", count: story.loops[0]?.count },
    ]);
  });

  it("a row says if the alert was cleared", () => {
    const alertEvent = (seq: number, type: "alert.raised" | "alert.cleared"): RunEvent =>
      ({
        type,
        seq,
        at: seq,
        cause: 1,
        by: "p",
        kind: "silence",
        signature: "s",
        ...(type === "alert.raised" ? { severity: "warning", count: seq, on: "tool.finished" } : { why: "gone" }),
      }) as unknown as RunEvent;
    expect(
      loopRows(storyOf(good), [
        alertEvent(2, "alert.raised"),
        alertEvent(3, "alert.cleared"),
        alertEvent(4, "alert.raised"),
      ]).map(({ ended, firstSeq, lastSeq }) => [ended, firstSeq, lastSeq]),
    ).toEqual([
      ["over", 2, 3],
      ["open", 4, 4],
    ]);
  });

  it("a healthy run has no rows", () => {
    expect(loopRows(storyOf(good), good)).toEqual([]);
  });
});

describe("nudges, gates and reviews", () => {
  it("nudgeRows shows the effect of a nudge", () => {
    const rows = nudgeRows(looping).filter(({ effect }) => effect !== "guidance");
    expect(rows.length).toBeGreaterThan(0);
    const settled = looping.filter((event) => event.type === "nudge.settled");
    expect(rows.filter(({ effect }) => effect === "ignored" || effect === "helped")).toHaveLength(settled.length);
  });

  it("nudgeRows shows a nudge that was never sent as such, whatever the log settles", () => {
    const sent = { type: "nudge.sent", seq: 2, at: 2, nudge: "n", by: "p", episode: "e", text: "x", applied: false };
    const settled = { type: "nudge.settled", seq: 3, at: 3, nudge: "n", by: "p", helped: true };
    expect(nudgeRows([sent, settled] as unknown as RunEvent[])).toMatchObject([{ applied: false, effect: "not sent" }]);
  });

  it("gateRows shows a veto as a gate that blocked the run", () => {
    expect(gateRows(looping)).toEqual(
      expect.arrayContaining([expect.objectContaining({ gate: "tests-fresh", verdict: "fail", held: true })]),
    );
  });

  it("waitingReviews returns the pending reviews", () => {
    const asked = {
      type: "review.requested",
      seq: 2,
      at: 2,
      cause: 1,
      by: "p",
      review: "r1",
      kind: "budget",
      text: "Go on?",
      episode: "e",
      applied: true,
    } as unknown as RunEvent;
    const answered = {
      type: "review.finished",
      seq: 3,
      at: 3,
      review: "r1",
      verdict: "approve",
    } as unknown as RunEvent;
    expect(waitingReviews([asked]).map(({ review }) => review)).toEqual(["r1"]);
    expect(waitingReviews([asked, answered])).toEqual([]);
    expect(waitingReviews([{ ...asked, applied: false } as RunEvent])).toEqual([]);
    expect(
      waitingReviews([
        asked,
        {
          type: "run.finished",
          seq: 4,
          at: 4,
          reason: "cancelled",
          verified: false,
          phase: "x",
          outcome: "failed",
        } as unknown as RunEvent,
      ]),
    ).toEqual([]);
  });
});

describe("claims", () => {
  const claimed = {
    type: "claim.submitted",
    seq: 2,
    at: 2,
    claim: "c1",
    item: "ITEM-7",
    phase: "research",
    data: { summary: "done" },
  } as unknown as RunEvent;
  const judged = {
    type: "verdict.given",
    seq: 3,
    at: 3,
    claim: "c1",
    verdict: "rejected",
    why: "Two sources are missing.",
    judge: "ann",
  } as unknown as RunEvent;

  it("a claim is pending until it has a verdict", () => {
    expect(waitingReviews([claimed])).toEqual([
      { review: "c1", kind: "claim", text: 'Claim c1, item ITEM-7, phase research\n{\n  "summary": "done"\n}', seq: 2 },
    ]);
    expect(waitingReviews([claimed, judged])).toEqual([]);
    expect(gateRows([claimed, judged])).toEqual([
      { seq: 3, gate: "ann", verdict: "rejected", text: "Two sources are missing.", held: true },
    ]);
  });
});

describe("cost and waste", () => {
  it("the rows add up to the total", () => {
    const { rows, total } = overviewOf(looping).spend;
    for (const name of ["calls", "failedCalls", "turns", "wastedCalls", "elapsedMs", "inputTokens"] as const) {
      expect(
        rows.reduce((sum, row) => sum + (row[name] ?? 0), 0),
        name,
      ).toBe(total[name]);
    }
    expect(total.wastedCalls).toBeGreaterThan(0);
  });

  it("unknown usage is left out", () => {
    const run = createRun({ clock: () => 1 });
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    run.end();
    const { total } = overviewOf(events).spend;
    expect(total).not.toHaveProperty("inputTokens");
    expect(total).not.toHaveProperty("cost");
  });
});

describe("the numbers of a page", () => {
  it.each([{ log: looping }, { log: good }, { log: hostileRun() }])(
    "rows and panels count as the story does",
    ({ log }) => {
      const { story, timeline: axis } = overviewOf(log);
      const failed = eventRows(log).filter(({ type, outcome }) => type === "tool.finished" && outcome === "error");
      const panels = axis.bars.map((bar) => entryDetails(log, bar));
      expect([failed.length, panels.reduce((sum, { failed: own }) => sum + own, 0)]).toEqual([
        story.failedCalls,
        story.failedCalls,
      ]);
      expect(panels.reduce((sum, { calls }) => sum + calls, 0)).toBe(story.calls);
    },
  );
});

describe("a run in one line", () => {
  it("summaryLine agrees with runLine, and leaves out what only the story tells", () => {
    const summary = summarizeRun(looping);
    expect(runLine(summary, storyOf(looping))).toMatchObject(summaryLine(summary));
    expect(summaryLine(summary)).not.toHaveProperty("loops");
    expect(runLine(summary, storyOf(looping))).toMatchObject({
      state: "stalled",
      reason: "aborted_stagnation",
      word: "aborted_stagnation",
      tone: "bad",
    });
    expect(runLine(summary, storyOf(looping)).phases.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });
});

describe("the verdict", () => {
  it("a stopped run claimed nothing, an unproven one did", () => {
    const answers = (events: readonly RunEvent[]): readonly string[] =>
      overviewOf(events)
        .verdict.slice(0, 2)
        .map(({ answer }) => answer);
    expect(answers(looping)).toEqual(["Aborted stagnation", "No"]);
    expect(answers(loopingRun({ mode: "observe" }))).toEqual(["Done unverified", "No, claimed"]);
    expect(answers(good)).toEqual(["Done, proven", "Yes, proven"]);
  });
});

describe("compareRuns", () => {
  it("compareRuns marks the lower value as better, and neither if both are equal", () => {
    const rows = compareRuns(overviewOf(looping), overviewOf(good));
    expect(rows.find(({ what }) => what === "Tool calls")).toEqual({
      what: "Tool calls",
      a: "16",
      b: "3",
      better: "b",
    });
    expect(rows.find(({ what }) => what === "Outcome")).toEqual({
      what: "Outcome",
      a: "aborted_stagnation",
      b: "done, proven",
    });
    expect(compareRuns(overviewOf(good), overviewOf(good)).some(({ better }) => better !== undefined)).toBe(false);
  });
});

describe("overviewToMarkdown", () => {
  it("overviewToMarkdown renders a short report", () => {
    expect(overviewToMarkdown(overviewOf(good)).replaceAll(/(\.|\*\*) (?=[A-Z])/g, "$1\n  ")).toMatchInlineSnapshot(`
      "### Rename total to sum

      **done, proven** in verifying.

      - How did it end? **Done, proven.**
        In verifying: the run ended as done, and no gate objected.
        Changed: 1 file (src/cart.ts), tests ran once: 10 passed.
      - Is it proven? **Yes, proven.** 10 tests passed after the last edit (jest) (call 3).
      - Where did time, tokens and money go? **4.5 s · 7.62 k tokens · cost unknown.**
        Most tokens: exploring 67 %, acting 33 %.
        No call was wasted.

      | Phase | Time | Turns | Calls | Failed | Tokens | Wasted calls |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: |
      | exploring | 3 s | 2 | 2 | 0 | 5.08 k | 0 |
      | acting | 1.5 s | 1 | 1 | 0 | 2.54 k | 0 |
      | verifying | 0 ms | 0 | 0 | 0 | ? | 0 |
      | all | 4.5 s | 3 | 3 | 0 | 7.62 k | 0 |

      Gates:
      - Tests after the last edit: passed, 10 tests passed after the last edit (jest).
      - Tests are still there: holds, No test was weakened.
      "
    `);
  });

  it("overviewToMarkdown escapes the text of the agent", () => {
    const text = overviewToMarkdown(overviewOf(hostileRun()));
    expect(text).not.toContain(hostile.script);
    expect(text).not.toMatch(/[^\\]<script/);
  });
});

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1000, "1 s"],
  [59_900, "59.9 s"],
  [60_000, "1 min"],
  [3_600_000, "1 h"],
] as const)("%i ms is %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1 k"],
  [12_345, "12.3 k"],
  [999_499, "999 k"],
  [999_500, "1 M"],
  [2_500_000, "2.5 M"],
] as const)("%i tokens are %s", (count, text) => {
  expect(tokens(count)).toBe(text);
});
