import { answerReview, type ReviewVerdict } from "@phasekit/core/adapter";
import type { NewEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash, times } from "../../test/case-builders.ts";
import { play, startRun } from "../../test/case-driver.ts";
import { watchdog } from "../watchdog.ts";
import { answerReviews } from "./answer-reviews.ts";
import { askForHelpTool } from "./ask-for-help-tool.ts";
import { budgetReview } from "./review.ts";
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
