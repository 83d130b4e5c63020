import { createRun, definePhaseGraph, type RunEvent } from "@phasekit/core";
import { answerReview, type Reviewer } from "@phasekit/core/adapter";
import { describe, expect, it } from "vitest";
import { antiThrash, type AntiThrashOptions } from "./anti-thrash.ts";

/** A planning agent that only fetches; what it reads before each turn. */
async function fetching(turns: number, { reviewer, ...options }: AntiThrashOptions & { readonly reviewer: Reviewer }) {
  const run = createRun(antiThrash(options));
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  const read: string[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const { message = "", stop } = await answerReview(run, run.beforeTurn(), reviewer);
    if (stop !== undefined) break;
    read.push(message);
    const { allow, call } = run.beforeTool({ tool: "shell", input: { command: "git fetch origin main" } });
    if (!allow) continue;
    const output = { stderr: "error: cannot open .git/FETCH_HEAD: Read-only file system", exit_code: 255 };
    run.record({ type: "tool.finished", call, outcome: "ok", output });
  }
  const count = (type: RunEvent["type"]): number => log.filter((event) => event.type === type).length;
  return { run, log, read, count };
}

const GUIDANCE = "Stop fetching: the workspace is current. Use ls and cat.";

describe("antiThrash", () => {
  it("guides on entry, reminds after the first failure, nudges, and asks for one review with an ALERT", async () => {
    const requests: string[] = [];
    const { read, run } = await fetching(11, {
      reviewer: ({ text }) => {
        requests.push(text);
        return { verdict: "needs-changes", feedback: GUIDANCE };
      },
    });
    expect(read[0]).toContain("git fetch, git pull, git checkout and git clone are unnecessary, and they fail");
    expect(read[1]).toContain(
      'A call failed (error: cannot open .git/FETCH_HEAD: Read-only file system). You are in phase "plan"',
    );
    expect(read[3]).toContain("`shell git fetch origin main` failed 3 times in the same way");
    expect(requests).toHaveLength(1);
    expect(requests[0]).toContain("**ALERT**");
    expect(requests[0]).toContain("a review is due after every 10");
    expect(read[10]).toContain(GUIDANCE);
    expect(run.view.phase).toBe("plan");
  });

  it("takes no praise for an answer", async () => {
    const { read, log } = await fetching(14, {
      reviewer: () => ({ verdict: "approve", feedback: "Your code looks good!" }),
    });
    expect(log.filter((event) => event.type === "review.requested" && event.by === "review")).toHaveLength(2);
    expect(read.join("\n")).not.toContain("looks good");
    expect(read.join("\n")).toContain("Guidance from the review: `shell git fetch origin main` failed");
  });

  it("refuses the call after its third failure in mode gate, and at another number on request", async () => {
    const reviewer: Reviewer = () => ({ verdict: "needs-changes", feedback: GUIDANCE });
    const { count } = await fetching(6, { mode: "gate", reviewer });
    expect(count("tool.finished")).toBe(3);
    const patient = await fetching(6, { mode: "gate", reviewer, circuitBreaker: { max: 5 }, escalation: { grace: 9 } });
    expect(patient.count("tool.finished")).toBe(5);
  });

  it("hands its options on", async () => {
    const { read, count } = await fetching(6, {
      reviewer: () => ({ verdict: "needs-changes", feedback: GUIDANCE }),
      turns: { plan: 3 },
      review: { text: ({ phase }) => `look at ${phase}` },
      reminders: { everyFailure: true, helpTool: "ask_question" },
      escalation: { nudges: 0 },
    });
    expect(read.filter((text) => text.includes("`ask_question`"))).toHaveLength(5);
    expect(count("review.requested")).toBe(1);
  });

  it("takes phases of your own, with their maxTurns", () => {
    const graph = definePhaseGraph({
      initial: "look",
      phases: { look: { next: ["do"], maxTurns: 1 }, do: { next: [], final: true } },
    });
    const run = createRun(antiThrash({ graph, turns: { do: 2 }, reminders: { phases: ["look"] } }));
    for (let turn = 0; turn < 2; turn += 1) {
      run.record({ type: "model.answered" });
      run.beforeTurn();
    }
    expect(run.view.reviews.size).toBe(1);
    // @ts-expect-error -- "lok" is not a phase of this graph
    expect(() => createRun(antiThrash({ graph, turns: { lok: 2 } }))).toThrow(
      expect.objectContaining({ code: "UNKNOWN_PHASE" }) as Error,
    );
  });
});
