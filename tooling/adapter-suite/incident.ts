import { createRun, definePhaseGraph, type Mode, nameTableInterpreter, type RunEvent, trackRun } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { escalation, reminders, budgetReview, watchdog } from "@phasekit/watchdog";
import { describe, expect, it } from "vitest";
import type { SeenRequest } from "../openai-server/seen-request.ts";
import { bash, type ReactingHarness, toyProject } from "./reacting-agent.ts";

const graph = definePhaseGraph({
  name: "story",
  initial: "planning",
  phases: {
    planning: {
      next: ["coding"],
      purpose: "understand the code and write the plan.",
      constraints: ["the workspace is current, so fetching and checking out are unnecessary"],
      activities: { deny: ["edit"] },
      maxTurns: 10,
    },
    coding: { next: [], final: true },
  },
});

/** Fetches until a review tells it why not to; then it reads three chapters and has its plan. */
function script({ messages, toolChoice }: SeenRequest, index: number) {
  const convinced = messages.findIndex(({ text }) => text.includes("Guidance from the review"));
  const since = convinced < 0 ? 0 : messages.slice(convinced).filter(({ role }) => role === "tool").length;
  if (toolChoice === "none" || since >= 3 || index >= 25) return { text: "The plan: add a route." };
  return { calls: [bash(convinced < 0 ? "git fetch origin main" : `cat docs/chapter-${String(since)}.md`)] };
}

async function play(harness: ReactingHarness, mode: Mode) {
  const run = createRun({
    graph,
    mode,
    interpret: [nameTableInterpreter(), reading()],
    policies: [watchdog(), escalation(), budgetReview(), reminders()],
  });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  const { tools, made } = toyProject();
  const prompts: string[] = [];
  const reviewer = ({ text }: { readonly text: string }) => {
    prompts.push(text);
    return { verdict: "approve" as const, reviewer: "architect" };
  };
  const host = await harness.start({
    prompt: "Plan the story.",
    model: "m",
    models: {},
    answers: [],
    tools,
    stream: false,
    reviewer,
    script,
  });
  try {
    const text = await trackRun(run, () => host.invoke(run));
    return {
      run,
      events,
      prompts,
      text,
      requests: host.requests(),
      fetches: made.filter((call) => call.includes("git fetch")).length,
    };
  } finally {
    await host.close?.();
  }
}

/**
 * An agent in a read-only planning phase fetches from its repository again and again, and its reviewer likes what it
 * sees. Runs on vitest, over the wire of the real host, with the real watchdog.
 */
export function describeIncident(harness: ReactingHarness): void {
  describe(`git fetch in a read-only phase, on ${harness.name}`, () => {
    it("gets a nudge, then an alert and a review, and a nudge the reviewer did not write", async () => {
      const { events, prompts, requests, fetches, text } = await play(harness, "nudge");
      const said = (index: number): string => requests[index]?.messages.at(-1)?.text ?? "";
      // The first failure is answered before the second try, at the end of the request.
      expect(said(1)).toMatch(
        /^<phasekit>\nA call failed .*Read-only file system.*You are in phase "planning", which is read-only/,
      );
      expect(events.find(({ type }) => type === "alert.raised")).toMatchObject({ kind: "repeat", count: 2 });
      expect(prompts.map((prompt) => prompt.includes("**ALERT**"))).toEqual([true, true]);
      expect(prompts[1]).toContain("a second bare approval counts as needs-changes");
      const guided = requests.findIndex(({ messages }) =>
        messages.some(({ text: given }) => given.includes("Guidance from the review")),
      );
      expect(said(guided)).toContain("The file system is read-only here");
      // Guidance is said once and stays where it was said.
      expect(
        requests.at(-1)?.messages.filter(({ text: given }) => given.includes("Guidance from the review")),
      ).toHaveLength(1);
      expect(fetches).toBe(guided);
      expect(fetches).toBeLessThan(14);
      expect(text).toBe("The plan: add a route.");
    });

    it("continues in observe mode, and the log has the alert", async () => {
      const { events, requests, fetches } = await play(harness, "observe");
      expect(fetches).toBe(25);
      expect(requests.flatMap(({ messages }) => messages).some(({ text }) => text.includes("<phasekit>"))).toBe(false);
      expect(events.find(({ type }) => type === "alert.raised")).toMatchObject({ kind: "repeat", count: 2 });
    });

    it("escalates in gate mode: refused after the fifth failure, reviewed, ended with a closing turn", async () => {
      const { events, fetches, requests, run, text } = await play(harness, "gate");
      expect(fetches).toBe(5);
      expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([
        ...Array.from({ length: 8 }, () => "auto"),
        "none",
      ]);
      const levels = events.flatMap((event) =>
        event.type === "tool.refused" || event.type === "review.requested" || event.type === "stop.requested"
          ? [`${event.by}: ${event.type}`]
          : [],
      );
      expect(levels).toEqual([
        "escalation: tool.refused",
        "escalation: tool.refused",
        "escalation: review.requested",
        "escalation: tool.refused",
        "escalation: stop.requested",
      ]);
      expect(events.find(({ type }) => type === "stop.requested")).toMatchObject({
        by: "escalation",
        applied: true,
        how: "wrap-up",
      });
      expect(run.outcome).toMatchObject({ phase: "planning", reason: "aborted_stagnation", verified: false });
      expect(text).toBe("The plan: add a route.");
    });
  });
}
