import { createRun } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { helpGiven, type ReviewOutcome } from "./answer-reviews.ts";
import { askForHelpTool } from "./ask-for-help-tool.ts";

const NO_ANSWER = { ok: false, text: "No answer came. Continue with the safest assumption, and state it." };

describe("askForHelpTool", () => {
  it("askForHelpTool describes itself to a model", () => {
    const { name, description, inputSchema } = askForHelpTool(createRun());
    expect({ name, description: description.split(". "), inputSchema }).toMatchInlineSnapshot(`
  {
    "description": [
      "Ask the reviewer when you do not know how to continue or keep running into errors",
      "Say what you tried and what you need.",
    ],
    "inputSchema": {
      "additionalProperties": false,
      "properties": {
        "question": {
          "description": "What you need to know.",
          "type": "string",
        },
      },
      "required": [
        "question",
      ],
      "type": "object",
    },
    "name": "ask_for_help",
  }
`);
    expect(askForHelpTool(createRun(), { name: "ask_architect" }).name).toBe("ask_architect");
  });

  it.each([[undefined], [null], ["Which port?"], [{}], [{ question: 7 }], [{ question: "  " }]])(
    "askForHelpTool refuses %j and records nothing",
    async (input) => {
      const run = createRun();
      const { seq } = run.view;
      expect(await askForHelpTool(run).execute(input)).toEqual({
        ok: false,
        text: "Say what you need to know, as { question }.",
      });
      expect(run.view.seq).toBe(seq);
    },
  );

  it.each<[ReviewOutcome, string]>([
    [{ verdict: "approve" }, "Continue as you are."],
    [{ verdict: "needs-changes" }, "Do it another way."],
    [{ verdict: "approve", feedback: "Port 80." }, "Port 80."],
  ])("askForHelpTool answers %j with %j", async (answer, text) => {
    const run = createRun();
    const tool = askForHelpTool(run, { reviewer: () => answer as never });
    expect(await tool.execute({ question: "Which port?" })).toEqual({
      ok: true,
      text,
      data: { verdict: answer.verdict },
    });
    expect(run.view.stopped).toBeUndefined();
  });

  it.each([
    [undefined, "The reviewer gave the work up."],
    ["It cannot be done.", "It cannot be done."],
  ])("a reviewer that rejects with %j ends the run once", async (feedback, text) => {
    const run = createRun();
    const verdict = { verdict: "reject" as const, ...(feedback !== undefined && { feedback }) };
    const tool = askForHelpTool(run, { reviewer: () => verdict });
    await tool.execute({ question: "How?" });
    expect(run.view.stopped).toMatchObject({ reason: "abandoned", by: "judge", text });
    run.stop({ by: "user", reason: "cancelled" });
    await tool.execute({ question: "How?" });
    expect(run.view.stopped).toMatchObject({ reason: "abandoned" });
  });

  it("a run that ends while a question waits leaves it unanswered", async () => {
    const run = createRun();
    const answer = askForHelpTool(run).execute({ question: "Which port?" });
    run.end({ reason: "cancelled" });
    expect(await answer).toEqual(NO_ANSWER);
    expect(await askForHelpTool(run).execute({ question: "Which port?" })).toEqual(NO_ANSWER);
  });

  it("an answer belongs to its question", async () => {
    const run = createRun();
    const tool = askForHelpTool(run);
    const reviews: string[] = [];
    run.subscribe((step) => {
      for (const event of step)
        if (event.type === "event.recorded" && event.name === "watchdog.help-requested")
          reviews.push((event.data as { readonly review: string }).review);
    });
    const answers = ["One?", "Two?"].map(async (question) => tool.execute({ question }));
    expect(new Set(reviews).size).toBe(2);
    for (const [index, review] of [...reviews.entries()].toReversed())
      run.record(helpGiven.record({ review, verdict: "approve", feedback: `answer ${String(index)}` }));
    expect(await Promise.all(answers)).toMatchObject([{ text: "answer 0" }, { text: "answer 1" }]);
  });
});
