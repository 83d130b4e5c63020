import { alert, createRun, definePhaseGraph, definePolicy, nudge, type Policy, refuse, type RunEvent, stop, trackRun } from "@phasekit/core";
import { seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { describe, expect, it } from "vitest";
import { executeTools, phased, toChatTools } from "../src/index.ts";
import { majors } from "./majors.ts";

/**
 * The incident: an agent in a read-only planning phase runs the same two git commands over and over; each fails, each
 * review waves it on. A small policy stands in for the watchdog, so that this package needs no other.
 */
const planning = definePhaseGraph({
  name: "delivery",
  initial: "planning",
  phases: {
    planning: { next: ["coding"], purpose: "Read the code and write a plan. The workspace is read-only and up to date.", guidance: "Plan from what is there; git fetch and checkout are not needed and will fail." },
    coding: { next: [], final: true },
  },
});

interface Failures { readonly byCommand: Record<string, number> }
const failedAgain: Policy<Failures> = definePolicy({
  name: "failed-again",
  initial: (): Failures => ({ byCommand: {} }),
  observe: {
    "tool.finished": ({ byCommand }, { outcome, output }) => {
      const command = String((output as { readonly command?: string } | undefined)?.command);
      if (outcome === "error") byCommand[command] = (byCommand[command] ?? 0) + 1;
    },
  },
  decide: {
    "tool.finished": (_run, { byCommand }) => {
      const worst = Math.max(0, ...Object.values(byCommand));
      return worst >= 3 ? alert({ kind: "failing-command", count: worst }) : undefined;
    },
    "turn.started": (_run, { byCommand }) => (Math.max(0, ...Object.values(byCommand)) >= 3 ? nudge("The same command failed three times: the file system is read-only here. Plan with what you can read.") : undefined),
    "tool.requested": (run, { byCommand }, { input }) => {
      const { command } = input as { readonly command: string };
      if ((byCommand[command] ?? 0) < 4) return undefined;
      const again = refuse(`"${command}" failed ${String(byCommand[command])} times and will fail again.`);
      return run.turn >= 10 ? [again, stop({ reason: "policy_stop", how: "wrap-up", graded: true })] : again;
    },
  },
});

const COMMANDS = ["git fetch origin main", "git checkout main"];

describe.each(majors)("the incident, over the wire of openai $version", ({ connect }) => {
  async function replay(mode: "observe" | "gate") {
    // It never learns: only a turn without tools makes it write a text.
    const server = await startOpenAiServer((request, index) =>
      seenRequest(request).toolChoice === "none" || index >= 40 ? { text: "I could not update the workspace." } : { calls: [{ tool: "shell", input: { command: COMMANDS[index % 2] } }], usage: { input: 1000, output: 20 } },
    );
    const run = createRun({ graph: planning, policies: [failedAgain as Policy], mode });
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    const client = phased(connect(server.url), run);
    const tools = toChatTools([{ name: "shell", description: "runs a command", inputSchema: { type: "object", properties: { command: { type: "string" } } }, execute: () => ({ ok: true, text: "" }) }]);
    const messages: object[] = [{ role: "user", content: "Plan the story." }];
    let executed = 0;
    const shell = ({ command }: { readonly command: string }) => {
      executed += 1;
      return { isError: true, command, exitCode: 128, stderr: "error: cannot open .git/FETCH_HEAD: Read-only file system" };
    };
    await trackRun(run, async () => {
      for (;;) {
        const completion = await client.chat.completions.create({ model: "m", messages: messages as never, tools });
        const [choice] = completion.choices;
        messages.push(choice!.message);
        if (choice!.message.tool_calls === undefined) return;
        messages.push(...(await executeTools(run, completion, { handlers: { shell } })));
      }
    });
    await server.close();
    expect(server.complaints).toEqual([]);
    return { run, events, executed, requests: server.requests.map(seenRequest) };
  }

  it("goes on for ever in observe mode, and the log says what gate would have done", async () => {
    const { executed, requests, events, run } = await replay("observe");
    expect([executed, requests.length]).toEqual([40, 41]);
    expect(requests.at(-1)?.messages.some(({ text }) => text.includes("<phasekit>"))).toBe(false);
    expect(events.filter((event) => event.type === "tool.refused" && !event.applied).length).toBeGreaterThan(10);
    expect(run.outcome?.reason).toBe("done");
  });

  it("is told once, refused, and wrapped up in gate mode, with every call answered", async () => {
    const { executed, requests, events, run } = await replay("gate");
    const said = requests.at(-1)?.messages.filter(({ text }) => text.startsWith("<phasekit>")) ?? [];
    expect(said.map(({ text }) => text.split("\n")[1]?.slice(0, 44))).toEqual([
      'You are in the phase "planning".',
      "The same command failed three times: the fil",
      "This is the last turn. Use no tools; say wha",
    ]);
    expect(executed).toBe(8);
    expect(requests).toHaveLength(11);
    expect(events.filter(({ type }) => type === "alert.raised").length).toBeGreaterThan(0);
    expect(run.outcome).toMatchObject({ reason: "policy_stop", verified: false, phase: "planning" });
    expect(run.view.usage.inputTokens).toBe(10_000);
  });
});
