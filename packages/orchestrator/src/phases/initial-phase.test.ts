import { conversationPhases, definePhaseGraph } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { scripted } from "../__fixtures__/scripted-conversation.ts";
import { routingCorrected } from "../conversation/conversation-events.ts";
import type { ConversationOptions } from "../conversation/conversation-options.ts";
import { modelInitialPhase, readInitialPhase, renderInitialPhaseQuestion } from "./initial-phase.ts";

const ask = () => ({ text: "?", question: "?" });

async function begin(initialPhase?: ConversationOptions["initialPhase"], request = "Add it") {
  const made = scripted({
    ...(initialPhase !== undefined && { initialPhase }),
    decisions: [{ agents: ["planner"], reason: "begin" }],
    work: { planner: ask },
  });
  await made.conversation.send(request);
  return made;
}

describe("initialPhase", () => {
  it("a request begins in the graph's first phase by default, whatever it says", async () => {
    for (const request of ["Add a login page", "Design the architecture", "What if?"]) {
      const { contexts, dataOf } = await begin(undefined, request);
      expect(contexts[0]?.phase).toBe("chat");
      expect(dataOf(routingCorrected)).toEqual([]);
    }
  });

  it("initialPhase names the phase in which every request begins", async () => {
    const { conversation, contexts } = await begin("execute");
    expect(contexts[0]?.phase).toBe("execute");
    expect(conversation.state.moves).toMatchObject([
      { from: "chat", to: "execute", reason: 'Every request begins in "execute".', message: "Add it", agent: "router" },
    ]);
  });

  it("initialPhase chooses by a function, with the request, the graph, the run and a signal", async () => {
    let asked: unknown;
    const { conversation, contexts } = await begin((request, { graph, run, signal }) => {
      asked = [request, graph.name, run.id, signal.aborted];
      return { phase: "plan", reason: "It is complex." };
    });
    expect(asked).toEqual(["Add it", "conversation", "talk", false]);
    expect(contexts[0]?.phase).toBe("plan");
    expect(conversation.state.moves).toMatchObject([{ to: "plan", reason: "It is complex." }]);
  });

  it.each<{ what: string; strategy: () => unknown; feedback: string }>([
    {
      what: "names a phase that the graph lacks",
      strategy: () => ({ phase: "exectue", reason: "x" }),
      feedback:
        'The graph has no phase "exectue". It has: chat, brainstorm, plan, execute, verification, chores, reflection.',
    },
    {
      what: "names a phase that cannot be entered first",
      strategy: () => ({ phase: "reflection", reason: "x" }),
      feedback: 'From "chat" a run may go to: execute, plan, brainstorm; not to "reflection".',
    },
    { what: "returns no object", strategy: () => 7, feedback: 'The graph has no phase "7".' },
    {
      what: "throws",
      strategy: () => {
        throw new Error("offline");
      },
      feedback: "The choice failed: offline",
    },
  ])("a strategy that $what leaves the first phase, and is recorded", async ({ strategy, feedback }) => {
    const { contexts, dataOf } = await begin(strategy as never);
    expect(contexts[0]?.phase).toBe("chat");
    expect(dataOf(routingCorrected)).toMatchObject([
      { why: "initial-phase", feedback: expect.stringContaining(feedback) as string },
    ]);
    expect(dataOf(routingCorrected)[0]?.feedback).toContain('The request begins in the phase "chat".');
  });

  it("a strategy that takes too long leaves the first phase, is recorded, and its signal aborts", async () => {
    let aborted = false;
    const { conversation, time, contexts, dataOf } = scripted({
      initialPhase: (_request, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            aborted = true;
          });
        }),
      routerTimeoutMs: 50,
      decisions: [{ agents: ["planner"], reason: "begin" }],
      work: { planner: ask },
    });
    const sent = conversation.send("Add it");
    await time.advance(60);
    await sent;
    expect([aborted, contexts[0]?.phase]).toEqual([true, "chat"]);
    expect(dataOf(routingCorrected)).toMatchObject([{ why: "initial-phase" }]);
  });
});

describe("modelInitialPhase", () => {
  it.each([
    ['{"phase": "plan", "reason": "It is complex."}', { phase: "plan", reason: "It is complex." }],
    ['I think so.\n```json\n{"phase": "brainstorm"}\n```', { phase: "brainstorm", reason: "A model chose it." }],
    ["plan", { phase: "plan", reason: "A model chose it." }],
    ["PLAN.", { phase: "plan", reason: "A model chose it." }],
    ["**execute**\n", { phase: "execute", reason: "A model chose it." }],
    ["I would say: brainstorm", { phase: "brainstorm", reason: "A model chose it." }],
    ["We could execute it, but it is open.\n\nPhase: `chat`", { phase: "chat", reason: "A model chose it." }],
  ])("modelInitialPhase reads the answer %j", async (answer, expected) => {
    expect(readInitialPhase(answer, conversationPhases)).toEqual(expected);
    const { conversation } = await begin(modelInitialPhase(() => Promise.resolve(answer)));
    expect(conversation.phase).toBe(expected.phase);
  });

  it.each([
    ["names none", () => "no idea"],
    ["only mentions one", () => "Do not execute it yet."],
    ["names several", () => "plan or execute"],
    ["invents one", () => '{"phase": "design", "reason": "x"}'],
    ["says nothing", () => ""],
    ["is no text", () => undefined as never],
    [
      "fails",
      () => {
        throw new Error("offline");
      },
    ],
  ])("a model that %s leaves the graph's first phase, and is recorded", async (_what, model) => {
    const { contexts, dataOf } = await begin(modelInitialPhase(model));
    expect(contexts[0]?.phase).toBe("chat");
    expect(dataOf(routingCorrected)).toMatchObject([{ why: "initial-phase" }]);
  });

  it("modelInitialPhase works on any graph", () => {
    const graph = definePhaseGraph({
      initial: "first look",
      phases: { "first look": { next: ["fix-it"] }, "fix-it": { next: [], final: true } },
    });
    expect(readInitialPhase("Answer: First look", graph).phase).toBe("first look");
    expect(readInitialPhase('"fix-it"', graph).phase).toBe("fix-it");
  });

  it("modelInitialPhase asks with the phases in which a request can begin", () => {
    expect(renderInitialPhaseQuestion("Build it", conversationPhases)).toMatchInlineSnapshot(`
      "In which phase should the work on this request begin?
      Answer with one JSON object: {"phase": name, "reason": why}.
      Action comes before discussion: when in doubt, choose the phase that acts.
      - chat: Find out what the person wants. A request is unclear, or can be read in several ways.
      - execute: Do the work. The requirements are clear and can be acted on.
      - plan: Design the solution before it is built. The task is complex and needs decisions about its design.
      - brainstorm: Explore ideas freely. The question is open-ended. The person wonders what would happen if.

      Request:
      Build it"
    `);
  });
});
