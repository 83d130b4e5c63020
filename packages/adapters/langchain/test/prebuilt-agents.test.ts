import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createRun, definePolicy, refuse, trackRun, veto } from "@phasekit/core";
import { createDeepAgent } from "deepagents";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { type Invocation, phaseMiddleware } from "../src/index.ts";
import { call, eventsOf, look, say, scriptChat } from "./scripted-chat.ts";

const noSecrets = definePolicy({
  name: "no-secrets",
  decide: {
    "tool.requested": (_run, _state, { input }) =>
      JSON.stringify(input).includes(".env") ? refuse("Secrets are not for you.") : undefined,
  },
});

/** Vetoes a finish until the agent has looked. */
const lookFirst = definePolicy({
  name: "look-first",
  initial: () => ({ looked: false }),
  observe: {
    "tool.finished": (state, { tool }) => {
      state.looked ||= tool === "look";
    },
  },
  decide: { "finish.requested": (_run, { looked }) => (looked ? undefined : veto("Look before you say so.")) },
});

describe("createDeepAgent", () => {
  it("has its files and to-dos, and the run refuses a call and sends a finish back", async () => {
    const { model, server, sent } = await scriptChat([
      call("write_todos", { todos: [{ content: "Look.", status: "in_progress" }] }),
      call("look", { path: ".env" }),
      say("Done."),
      call("look", { path: "a.ts" }),
      say("Done, it adds."),
    ]);
    const run = createRun({ mode: "gate", policies: [noSecrets, lookFirst] });
    const events = eventsOf(run);
    const made: unknown[] = [];
    const agent = createDeepAgent({
      model,
      tools: [look((input) => (made.push(input), "seen"))],
      middleware: [phaseMiddleware(run)],
    });
    const { messages } = await trackRun(run, () => agent.invoke({ messages: [{ role: "user", content: "Look." }] }));
    expect(messages.at(-1)?.text).toBe("Done, it adds.");
    expect(made).toEqual([{ path: "a.ts" }]);
    expect(server.requests).toHaveLength(5);
    expect(sent(3).at(-1)).toContain("Look before you say so.");
    expect(events.flatMap((event) => (event.type === "tool.requested" ? [event.tool] : []))).toEqual([
      "write_todos",
      "look",
      "look",
    ]);
    expect(run.outcome).toMatchObject({ reason: "done" });
  });

  it("shows a sub-agent of the task tool as a child run", async () => {
    const { model } = await scriptChat([
      call("task", { description: "Look at a.ts.", subagent_type: "scout" }),
      call("look", { path: "a.ts" }),
      say("It adds."),
      say("Done."),
    ]);
    const run = createRun();
    const source = ({ parent, call: by }: Invocation) =>
      parent?.child({ id: "scout", ...(by !== undefined && { call: by }) }) ?? run;
    const agent = createDeepAgent({
      model,
      middleware: [phaseMiddleware(source)],
      subagents: [
        {
          name: "scout",
          description: "Looks at files.",
          systemPrompt: "Look.",
          tools: [look()],
          middleware: [phaseMiddleware(source)],
        },
      ],
    });
    await trackRun(run, () => agent.invoke({ messages: [{ role: "user", content: "Look." }] }));
    expect([run.view.turn, run.view.toolCalls]).toEqual([2, 1]);
    expect([...run.view.children.keys()]).toEqual(["scout"]);
  });
});

describe("createSupervisor", () => {
  it("routes to agents with phases: each has its own run, and the run decides", async () => {
    const { model, server } = await scriptChat([
      call("transfer_to_scout", {}),
      call("look", { path: ".env" }),
      say("I may not."),
      call("look", { path: "a.ts" }),
      say("It adds."),
      say("The scout says it adds."),
    ]);
    const made: unknown[] = [];
    const run = createRun({ mode: "gate", policies: [noSecrets, lookFirst] });
    const scout = createAgent({
      name: "scout",
      model,
      tools: [look((input) => (made.push(input), "seen"))],
      middleware: [phaseMiddleware(run)],
    });
    const supervisor = createSupervisor({ agents: [scout.graph as never], llm: model }).compile();
    const { messages } = (await trackRun(run, () =>
      supervisor.invoke({ messages: [{ role: "user", content: "Look." }] }),
    )) as { readonly messages: readonly { readonly text: string }[] };
    expect(messages.at(-1)?.text).toBe("The scout says it adds.");
    expect(made).toEqual([{ path: "a.ts" }]);
    expect(server.requests).toHaveLength(6);
    // The supervisor's own turns are not the scout's.
    expect([run.view.turn, run.view.toolCalls, run.outcome?.reason]).toEqual([4, 2, "done"]);
  });
});
