import { answerReview, type ReviewVerdict } from "@phasekit/core/adapter";
import { createRun, type NewEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash, times } from "../../test/case-builders.ts";
import { type CaseEvent, play, startRun } from "../../test/case-driver.ts";
import { watchdog } from "../watchdog.ts";
import { answerReviews } from "./answer-reviews.ts";
import { askForHelpTool } from "./ask-for-help-tool.ts";
import type { ReviewRequest } from "./build-review.ts";
import { budgetReview, type BudgetReviewOptions } from "./review.ts";
import { readVerdict } from "./read-verdict.ts";
import { modelReviewer, personReviewer } from "./reviewers.ts";

type Verdict = NewEvent<"review.finished">["verdict"];

function start({ stuck = false }: { readonly stuck?: boolean } = {}) {
  const { run, log } = startRun({ policies: [watchdog(), budgetReview({ turns: 3 })] });
  for (const event of times(3, (n) =>
    stuck ? bash("make", "boom", { ok: false }) : bash(`step ${String(n)}`, `done ${String(n)}`),
  ))
    play(run, event);
  const ask = () => {
    run.record({ type: "model.answered" });
    return run.beforeTurn();
  };
  const answer = (verdict: Verdict, feedback?: string): string | undefined => {
    run.record({
      type: "review.finished",
      review: [...run.view.reviews.keys()][0] ?? "",
      verdict,
      ...(feedback !== undefined && { feedback }),
    });
    return ask().message;
  };
  return { run, log, ask, answer };
}

describe("review", () => {
  it("counts the turns of a phase with a name of Object.prototype", () => {
    const graph = { initial: "constructor", phases: { constructor: { next: [], maxTurns: 3 } } };
    const { run } = startRun({ graph, policies: [budgetReview({ turns: {} })] });
    for (let turn = 0; turn < 5; turn += 1) {
      run.beforeTurn();
      run.record({ type: "model.answered" });
    }
    expect([...run.view.reviews.values()].map(({ kind }) => kind)).toEqual(["budget"]);
  });

  it("is asked for when the turns of the phase are used up, not before", () => {
    const { run, ask } = start();
    expect(run.view.reviews.size).toBe(0);
    expect(ask().review?.kind).toBe("budget");
  });

  it.each<{
    readonly stuck: boolean;
    readonly verdict: Verdict;
    readonly feedback?: string;
    readonly told: string | undefined;
  }>([
    { stuck: false, verdict: "approve", told: undefined },
    { stuck: false, verdict: "approve", feedback: "Nice, go on.", told: "Nice, go on." },
    { stuck: false, verdict: "needs-changes", feedback: "Write the plan.", told: "Write the plan." },
    { stuck: false, verdict: "needs-changes", told: "asks for changes" },
    { stuck: false, verdict: "failed", told: undefined },
    { stuck: true, verdict: "failed", told: "failed 3 times in the same way" },
    { stuck: true, verdict: "needs-changes", told: "failed 3 times in the same way" },
    { stuck: true, verdict: "approve", feedback: "Use the cache instead.", told: "Use the cache instead." },
    {
      stuck: true,
      verdict: "needs-changes",
      feedback: "Nicely done.",
      told: "Nicely done. `bash make` failed 3 times",
    },
  ])("stuck: $stuck, $verdict, feedback: $feedback → told: $told", ({ stuck, verdict, feedback, told }) => {
    const { ask, answer, run } = start({ stuck });
    ask();
    const message = answer(verdict, feedback);
    if (told === undefined) expect(message).toBeUndefined();
    else expect(message).toContain(told);
    expect(run.view.stopped).toBeUndefined();
  });

  it("tells a turn that waited what the review said, once", () => {
    const { ask, run } = start();
    const { turn, review: asked } = ask();
    run.record({
      type: "review.finished",
      review: asked?.review ?? "",
      verdict: "needs-changes",
      feedback: "Write the plan.",
      waited: true,
    });
    expect(run.beforeTurn()).toMatchObject({
      turn,
      review: undefined,
      nudges: [{ text: "Guidance from the review: Write the plan." }],
    });
    expect(ask().message).toBeUndefined();
  });

  it("sends a bare approval back once while an alert is open, then takes it as needs-changes", () => {
    const { ask, answer, run, log } = start({ stuck: true });
    ask();
    expect(answer("approve")).toBeUndefined();
    expect([...run.view.reviews.values()][0]?.text).toContain("without guidance");
    expect(answer("approve")).toContain("failed 3 times in the same way");
    expect(log.find((event) => event.type === "event.emitted" && event.name === "watchdog.review")).toMatchObject({
      data: { verdict: "needs-changes" },
    });
  });

  it.each([
    { name: "with watchdog()", policies: () => [watchdog(), budgetReview({ turns: 3 })], told: "in the same way" },
    { name: "alone", policies: () => [budgetReview({ turns: 3 })], told: "The same command failed again: `bash make`" },
  ])("$name, praise while ALERT holds is sent back once, and never reaches the agent", ({ policies, told }) => {
    const { run } = startRun({ policies: policies() });
    for (const event of times(3, () => bash("make", "boom", { ok: false }))) play(run, event);
    const answer = (feedback?: string): string => {
      run.record({ type: "model.answered" });
      const { message = "" } = run.beforeTurn();
      const [asked] = run.view.reviews.values();
      if (asked !== undefined) {
        expect(asked.text).toContain("**ALERT**");
        run.record({
          type: "review.finished",
          review: asked.review,
          verdict: "approve",
          ...(feedback && { feedback }),
        });
      }
      return message;
    };
    const messages = [answer("Your code looks good!"), answer("Great progress, keep going!"), answer()];
    expect(messages.at(-1)).toContain(told);
    expect(messages.join()).not.toContain("Your code looks good!");
    expect(messages.join()).not.toContain("Great progress");
  });

  it("takes praise for an approval while nothing is found", () => {
    const { ask, answer, run } = start();
    ask();
    expect(answer("approve", "Your code looks good!")).toContain("Guidance from the review: Your code looks good!");
    expect(run.view.reviews.size).toBe(0);
  });

  it("asks `isGuidance` of your own, with the calls that failed or were repeated", () => {
    const asked: (readonly string[])[] = [];
    const isGuidance = (feedback: string, named: readonly string[]): boolean => {
      asked.push(named);
      return feedback.startsWith("Bitte");
    };
    const { run } = startRun({ policies: [budgetReview({ turns: 3, isGuidance })] });
    for (const event of [bash("ls", "a"), bash("make", "boom", { ok: false }), bash("make", "boom", { ok: false })])
      play(run, event);
    run.record({ type: "model.answered" });
    const { review: first } = run.beforeTurn();
    run.record({ type: "review.finished", review: first?.review ?? "", verdict: "approve", feedback: "Bitte anders." });
    run.record({ type: "model.answered" });
    expect(run.beforeTurn().message).toContain("Bitte anders.");
    expect(asked).toEqual([["make", "make"]]);
  });

  it("abandons when rejected, and only then", () => {
    const { ask, answer, run } = start();
    ask();
    answer("reject", "The task is impossible.");
    expect(run.view.stopped).toMatchObject({ reason: "abandoned", text: "The task is impossible." });
  });

  it("warns the reviewer at the third needs-changes and rejects at the sixth request", () => {
    const { run, log } = startRun({ policies: [budgetReview({ turns: 0 })] });
    const warned: boolean[] = [];
    for (let n = 0; n < 8 && run.view.stopped === undefined; n += 1) {
      run.record({ type: "model.answered" });
      const asked = run.beforeTurn().review;
      if (asked === undefined) continue;
      warned.push(asked.text.includes(`"needs changes" in a row`));
      run.record({ type: "review.finished", review: asked.review, verdict: "needs-changes", feedback: "again" });
    }
    expect(warned).toEqual([false, false, true, true, true]);
    expect(run.view.stopped?.reason).toBe("abandoned");
    expect(log.filter(({ type }) => type === "review.requested")).toHaveLength(5);
  });
});

describe("options of budgetReview", () => {
  /** The requests a policy sends while every answer is "needs changes", and how the run ended. */
  function requests(options: BudgetReviewOptions & { readonly turns?: number }, events: readonly CaseEvent[] = []) {
    const { run } = startRun({ policies: [budgetReview({ turns: events.length, ...options })] });
    for (const event of events) play(run, event);
    const texts: string[] = [];
    for (let n = 0; n < 12 && run.view.stopped === undefined; n += 1) {
      run.record({ type: "model.answered" });
      const asked = run.beforeTurn().review;
      if (asked === undefined) continue;
      texts.push(asked.text);
      run.record({
        type: "review.finished",
        review: asked.review,
        verdict: "needs-changes",
        feedback: "Read the log.",
      });
    }
    return { texts, run };
  }

  it.each([
    { options: {}, warned: 3, sent: 5 },
    { options: { warnAt: 1 }, warned: 1, sent: 5 },
    { options: { warnAt: 2, rejectAt: 4 }, warned: 2, sent: 3 },
    { options: { warnAt: Infinity, rejectAt: 2 }, warned: 0, sent: 1 },
    { options: { rejectAt: Infinity }, warned: 3, sent: 12 },
  ])("$options: a warning from request $warned on, $sent requests", ({ options, warned, sent }) => {
    const { texts, run } = requests({ turns: 0, ...options });
    expect(texts).toHaveLength(sent);
    expect(texts.findIndex((text) => text.includes('"needs changes" in a row')) + 1).toBe(warned);
    expect(run.view.stopped?.reason).toBe(sent === 12 ? undefined : "abandoned");
  });

  it.each([
    { window: undefined, says: "10 of 20 tool calls failed", alert: true },
    { window: 10, says: "The tool calls look healthy: 10 of 10 succeeded.", alert: false },
  ])("window: $window says: $says", ({ window, says, alert }) => {
    const events = [
      ...times(12, (n) => bash(`bad ${n % 2}`, "boom", { ok: false })),
      ...times(10, (n) => bash(`good ${n}`, `done ${n}`)),
    ];
    const [text = ""] = requests({ ...(window !== undefined && { window }) }, [
      ...events.slice(0, 11),
      bash("bad 0", "boom", { ok: false }),
      ...events.slice(12),
    ]).texts;
    expect(text.includes("**ALERT**")).toBe(alert);
    if (!alert) expect(text).toContain(says);
    else expect(text).toContain("among the last 20 calls");
  });

  it.each([
    { characters: undefined, header: "(6 messages, newest last; at most 8000 characters, about 2000 tokens)" },
    { characters: 60, header: "(2 messages, newest last; at most 60 characters, about 15 tokens)" },
    { characters: 0, header: "(0 messages, newest last; at most 0 characters, about 0 tokens)" },
  ])("characters: $characters shows $header", ({ characters, header }) => {
    const events = times(6, (n) => bash(`step ${n}`, `the answer is ${n}`));
    const [text = ""] = requests({ ...(characters !== undefined && { characters }) }, events).texts;
    expect(text).toContain(`## Recent context ${header}`);
  });

  it("`text` gets the parts of a request and the usual text", () => {
    const parts: ReviewRequest[] = [];
    const text = (request: ReviewRequest): string => {
      parts.push(request);
      return `${request.phase}: ${request.analysis.text}`;
    };
    const [sent] = requests({ text, turns: 1 }, [bash("make", "boom", { ok: false })]).texts;
    expect(sent).toMatch(/^working: - High failure rate/);
    expect(parts[0]).toMatchObject({
      phase: "working",
      turns: 1,
      iterations: 1,
      budget: 1,
      plan: "",
      characters: 8000,
      streak: 0,
      recent: ["bash make → [error] boom"],
      instructions: expect.stringContaining("Answer with one of") as string,
      text: expect.stringMatching(/^# Review request\n\nThe budget of the phase is used up\./) as string,
    });
    expect(parts[1]?.streak).toBe(1);
  });

  it.each<[BudgetReviewOptions & { readonly turns?: number }, string]>([
    [{ turns: -1 }, "turns"],
    [{ window: 0 }, "window"],
    [{ characters: -1 }, "characters"],
    [{ warnAt: 0 }, "warnAt"],
    [{ rejectAt: 1 }, "rejectAt"],
    [{ rejectAt: Number.NaN }, "rejectAt"],
  ])("%j is refused", (options, name) => {
    expect(() => budgetReview(options)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(name) as string }) as Error,
    );
  });

  it("turns of a phase that are not a number, or of a phase the graph lacks, are refused", () => {
    expect(() => budgetReview({ turns: { planning: "ten" as never } })).toThrow(/planning/);
    const graph = { initial: "planning", phases: { planning: { next: [] } } };
    expect(() => createRun<string>({ graph, policies: [budgetReview({ turns: { palnning: 10 } })] })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_PHASE" }) as Error,
    );
  });
});

describe("reviewers", () => {
  it("a reviewer that asks a model answers within the turn of a loop, too", async () => {
    const { run } = start();
    run.record({ type: "model.answered" });
    const asked: string[] = [];
    const reviewer = modelReviewer((text) => {
      asked.push(text);
      return Promise.resolve("Needs changes: read the log first.");
    });
    expect((await answerReview(run, run.beforeTurn(), reviewer)).message).toContain("read the log first");
    expect(asked[0]).toContain("# Review request");
  });

  const settle = () =>
    new Promise((done) => {
      setTimeout(done, 0);
    });

  it.each<{ readonly text: string; readonly answer: ReviewVerdict }>([
    { text: `{"verdict": "approve", "feedback": "fine"}`, answer: { verdict: "approve", feedback: "fine" } },
    { text: "NEEDS_CHANGES\nStop fetching.", answer: { verdict: "needs-changes", feedback: "Stop fetching." } },
    { text: "**Verdict: rejected**", answer: { verdict: "reject" } },
    { text: "Approved.", answer: { verdict: "approve" } },
    { text: "Use the cache.", answer: { verdict: "needs-changes", feedback: "Use the cache." } },
  ])("reads $text", ({ text, answer }) => {
    expect(readVerdict(text)).toEqual(answer);
  });

  it("a model that throws and one that is too late count as failed", async () => {
    for (const reviewer of [
      modelReviewer(() => Promise.reject(new Error("down"))),
      () => new Promise<ReviewVerdict>(() => undefined),
    ]) {
      const { run, log, ask } = start();
      answerReviews(run, {
        reviewer,
        timeout: () => Promise.resolve().then(settle),
      });
      ask();
      await settle();
      await settle();
      expect(log.find(({ type }) => type === "review.finished")).toMatchObject({ verdict: "failed", fallback: true });
    }
  });

  it.each([
    { unknownVerdict: undefined, verdict: "failed" },
    { unknownVerdict: "needs-changes", verdict: "needs-changes" },
    { unknownVerdict: "reject", verdict: "reject" },
  ] as const)(
    "an answer that is not a verdict counts as $verdict with unknownVerdict: $unknownVerdict",
    async (row) => {
      const { run, log, ask } = start();
      answerReviews(run, {
        reviewer: () => ({ verdict: "maybe", feedback: "Hm." }) as never,
        ...(row.unknownVerdict !== undefined && { unknownVerdict: row.unknownVerdict }),
      });
      ask();
      await settle();
      const finished = log.find(({ type }) => type === "review.finished");
      expect(finished).toMatchObject({ verdict: row.verdict, feedback: "Hm.", fallback: true });
      expect(run.view.stopped?.reason).toBe(row.verdict === "reject" ? "abandoned" : undefined);
    },
  );

  it("a person's review waits until it is answered", async () => {
    const { run, log, ask } = start();
    const person = personReviewer();
    answerReviews(run, { reviewer: person.reviewer, name: "Ada" });
    ask();
    await settle();
    const [waiting] = person.pending();
    expect(waiting?.text).toContain("# Review request");
    expect(log.some(({ type }) => type === "review.finished")).toBe(false);
    expect(person.answer("nothing", { verdict: "approve" })).toBe(false);
    expect(person.answer(waiting?.review ?? "", { verdict: "approve", feedback: "go" })).toBe(true);
    await settle();
    expect(log.find(({ type }) => type === "review.finished")).toMatchObject({ verdict: "approve", reviewer: "Ada" });
  });

  it("a question of the agent is answered as a tool result, and every step of that is a fact", async () => {
    const { run, log, ask } = start();
    const tool = askForHelpTool(run, {
      reviewer: ({ text }) => ({ verdict: "needs-changes", feedback: text.includes("Which port?") ? "8080" : "?" }),
    });
    expect(await tool.execute({ question: "Which port?" })).toEqual({
      ok: true,
      text: "8080",
      data: { verdict: "needs-changes" },
    });
    expect(await tool.execute({})).toMatchObject({ ok: false });
    const told = log.slice(-3);
    expect(told.map(({ type }) => type)).toEqual(["question.asked", "event.recorded", "event.recorded"]);
    expect(told[1]).toMatchObject({
      name: "watchdog.help-requested",
      data: { question: "Which port?", text: expect.stringContaining("# Review request") as string },
    });
    expect(told[2]).toMatchObject({
      name: "watchdog.help-given",
      data: { verdict: "needs-changes", feedback: "8080" },
    });
    // The answer came as a result: it is not told again.
    expect(ask().message ?? "").not.toContain("8080");
  });

  it("a question without a reviewer of its own is left to answerReviews", async () => {
    const { run } = start();
    answerReviews(run, { reviewer: ({ kind }) => ({ verdict: "approve", feedback: `asked as a ${kind}` }) });
    expect(await askForHelpTool(run).execute({ question: "Which port?" })).toMatchObject({
      ok: true,
      text: "asked as a question",
    });
  });

  it.each([
    {
      name: "fails",
      reviewer: () => {
        throw new Error("away");
      },
    },
    { name: "is late", reviewer: () => new Promise<ReviewVerdict>(() => undefined) },
  ])("a question whose reviewer $name is answered all the same", async ({ reviewer }) => {
    const { run, log } = start();
    const tool = askForHelpTool(run, { reviewer, timeout: () => Promise.resolve() });
    expect(await tool.execute({ question: "Which port?" })).toMatchObject({
      ok: false,
      text: expect.stringContaining("safest assumption") as string,
    });
    expect(log.at(-1)).toMatchObject({ name: "watchdog.help-given", data: { verdict: "failed", fallback: true } });
  });

  it.each([
    { name: "with", policies: [watchdog(), budgetReview({ turns: 3 })] },
    { name: "without", policies: [watchdog()] },
  ])("a reviewer that rejects ends the run, $name the policy review", async ({ policies }) => {
    const { run } = startRun({ policies });
    await askForHelpTool(run, { reviewer: () => ({ verdict: "reject", feedback: "Give it up." }) }).execute({
      question: "And now?",
    });
    expect(run.view.stopped?.reason).toBe("abandoned");
  });

  it("a run that has ended answers no question", async () => {
    const { run } = start();
    run.end();
    expect(
      await askForHelpTool(run, { reviewer: () => ({ verdict: "approve" }) }).execute({ question: "Hello?" }),
    ).toMatchObject({ ok: false });
  });
});
