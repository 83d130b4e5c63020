import { createRun, definePhaseGraph, type NewEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash } from "../../test/case-builders.ts";
import { play, startRun } from "../../test/case-driver.ts";
import { budgetReview } from "./review.ts";

type Answer = Pick<NewEvent<"review.finished">, "verdict" | "feedback">;

/** A run that is asked for a review at every turn; `alert` makes the same command fail twice first. */
function reviewed({ alert, turns = 0 }: { readonly alert: boolean; readonly turns?: number }) {
  const { run, log } = startRun({ policies: [budgetReview({ turns })] });
  const fail = (): void => {
    for (const n of [1, 2]) play(run, bash("make", `boom ${String(n)}`, { ok: false }));
  };
  if (alert) fail();
  /** Takes a turn, answers the review it asks for, and returns what the agent reads and the review's text. */
  const turn = (answer?: Answer) => {
    run.record({ type: "model.answered" });
    const { message = "", review } = run.beforeTurn();
    if (review !== undefined && answer !== undefined)
      run.record({ type: "review.finished", review: review.review, ...answer });
    return { message, review };
  };
  const decided = () =>
    log.flatMap((event) => (event.type === "event.emitted" && event.name === "watchdog.review" ? [event.data] : []));
  return { run, turn, fail, decided };
}

const failed = { verdict: "failed" } as const;
const again = { verdict: "needs-changes", feedback: "Read the log." } as const;
const praise = { verdict: "approve", feedback: "Nice work." } as const;
const useful = { verdict: "approve", feedback: "Use the cache instead." } as const;

describe("the answers to a review", () => {
  it.each<{ readonly alert: boolean; readonly answers: readonly Answer[]; readonly reads: string }>([
    { alert: false, answers: [failed], reads: "" },
    { alert: false, answers: [{ verdict: "approve" }], reads: "" },
    { alert: false, answers: [praise], reads: "Guidance from the review: Nice work." },
    {
      alert: false,
      answers: [{ verdict: "needs-changes" }],
      reads: "The review asks for changes. Say what you have, what is missing, and do that next.",
    },
    { alert: false, answers: [again], reads: "Guidance from the review: Read the log." },
    { alert: true, answers: [useful], reads: "Guidance from the review: Use the cache instead." },
    { alert: true, answers: [again], reads: "Guidance from the review: Read the log." },
  ])("alert: $alert, answers $answers: the agent reads $reads", ({ alert, answers, reads }) => {
    const { turn } = reviewed({ alert });
    for (const answer of answers) turn(answer);
    const { message } = turn();
    if (reads === "") expect(message).toBe("");
    else expect(message).toBe(`<phasekit>\n${reads}\n</phasekit>`);
    expect(turn().message, "said once").toBe("");
  });

  it("guidance made from findings names each, and says what to do", () => {
    const { turn } = reviewed({ alert: true });
    turn(failed);
    const { message } = turn();
    expect(message).toContain("Guidance from the review: High failure rate");
    expect(message).toContain("The same command failed again: `bash make`, 2 times among the last 2 calls.");
    expect(message).toContain("Find the cause first, or reach the goal another way.");
  });

  it("a failed review and a bare approval beside an alert count as needs-changes, without an alert they do not", () => {
    for (const alert of [true, false]) {
      const { turn, fail, decided, run } = reviewed({ alert });
      for (let n = 0; n < 7 && run.view.stopped === undefined; n += 1) {
        turn(failed);
        if (alert) fail();
      }
      expect(run.view.stopped?.reason).toBe(alert ? "abandoned" : undefined);
      expect(decided().map((data) => (data as { readonly verdict: string }).verdict)).toEqual(
        alert ? ["needs-changes", "needs-changes", "needs-changes", "needs-changes", "needs-changes", "reject"] : [],
      );
    }
  });

  it("an approval with guidance starts the count anew", () => {
    const { turn, run } = reviewed({ alert: false });
    for (const answer of [again, again, again, again, praise, again, again, again, again]) turn(answer);
    expect(run.view.stopped).toBeUndefined();
    turn(again);
    turn();
    expect(run.view.stopped).toMatchObject({
      reason: "abandoned",
      text: expect.stringMatching(/^5 reviews in a row/) as string,
    });
  });

  it("each bare approval is sent back once, with a remark", () => {
    const { turn, fail } = reviewed({ alert: true });
    turn(praise);
    const asked = turn(useful);
    expect(asked.message).toBe("");
    expect(asked.review?.text).toContain("Your approval came without guidance while an alert was open");
    fail();
    turn(praise);
    expect(turn().review?.text).toContain("Your approval came without guidance");
  });

  it("a rejection without words has a text, and ends the count", () => {
    const { turn, run } = reviewed({ alert: false });
    turn({ verdict: "reject" });
    expect(run.view.stopped).toMatchObject({ reason: "abandoned", text: "A review rejected the work." });
    expect(turn().review, "a run that is being stopped asks nothing").toBeUndefined();
  });

  it("an answer grants the turns of the phase once more, and another phase has its own", () => {
    const graph = definePhaseGraph({ initial: "a", phases: { a: { next: ["b"] }, b: { next: [] } } });
    const run = createRun({ graph, policies: [budgetReview({ turns: 2 })] });
    const due: number[] = [];
    for (let turn = 1; turn <= 9; turn += 1) {
      const { review } = run.beforeTurn();
      if (review !== undefined) {
        due.push(turn);
        run.record({ type: "review.finished", review: review.review, verdict: "approve" });
      }
      run.record({ type: "model.answered" });
      if (turn === 6) run.transition("b");
    }
    expect(due).toEqual([3, 6, 9]);
  });
});
