import { describe, expect, it } from "vitest";
import { checkCoverage, renderCoverageQuestion, reviewCoverage } from "./phase-coverage.ts";

describe("checkCoverage", () => {
  it.each<{ declared: readonly string[]; executed: readonly string[]; missing: readonly string[] }>([
    { declared: [], executed: ["a"], missing: [] },
    { declared: ["a", "b"], executed: [], missing: ["a", "b"] },
    { declared: ["a", "b"], executed: ["b"], missing: ["a"] },
    { declared: ["Research"], executed: ["RESEARCH"], missing: [] },
    { declared: ["a"], executed: ["a", "a", "c"], missing: [] },
  ])("checkCoverage of $declared with $executed misses $missing", ({ declared, executed, missing }) => {
    expect(checkCoverage({ declared, executed }).missing).toEqual(missing);
  });
});

describe("reviewCoverage", () => {
  it.each([
    ["CONTINUE: run research", { continue: true, instruction: "CONTINUE: run research" }],
    ["Please continue with research.", { continue: true, instruction: "Please continue with research." }],
    ["I'M DONE: not needed", { continue: false }],
    ["Do not continue.", { continue: false }],
    ["There is no need to continue", { continue: false }],
    ["discontinued", { continue: false }],
    ["", { continue: false }],
  ])("reviewCoverage reads the answer %j", async (answer, review) => {
    expect(await reviewCoverage({ missing: ["research"] }, () => answer)).toEqual(review);
  });

  it("reviewCoverage does not continue if the reviewer fails or nothing is missing", async () => {
    expect(await reviewCoverage({ missing: ["research"] }, () => Promise.reject(new Error("offline")))).toEqual({
      continue: false,
    });
    expect(
      await reviewCoverage({ missing: [] }, () => {
        throw new Error("asked");
      }),
    ).toEqual({ continue: false });
  });

  it("reviewCoverage asks whether the phases were left out on purpose", () => {
    expect(renderCoverageQuestion(["research", "review"]).split(/(?<=\.) /)).toMatchInlineSnapshot(`
      [
        "These phases were declared and never executed: research, review.",
        "If that was a mistake, answer "CONTINUE: " and what to do next.",
        "If it was on purpose, answer "DONE: " and why.",
      ]
    `);
  });
});
