import { conversationPhases, definePhaseGraph, type PlainTool } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { scripted } from "../__fixtures__/scripted-conversation.ts";
import { lessonLearned } from "../conversation/conversation-events.ts";
import { phaseFragments, renderDefinitions } from "../phases/phase-fragments.ts";

const tool = (name: string): PlainTool => ({
  name,
  description: name,
  inputSchema: {},
  execute: () => ({ ok: true, text: `${name} ran` }),
});
const kinds = (fragments: readonly { readonly kind: string }[]): readonly string[] => fragments.map(({ kind }) => kind);

const graph = definePhaseGraph({
  name: "small",
  initial: "think",
  phases: {
    think: {
      purpose: "Think.",
      next: ["act"],
      tools: { allow: ["read*"] },
      model: "slow",
      guidance: { planner: "Planner: think hard.", builder: "Builders: think of the wall.", default: "Think." },
      final: true,
    },
    act: {
      purpose: "Act.",
      next: ["think"],
      tools: { deny: ["read_secret"] },
      activities: { deny: ["ask"] },
      model: "fast",
      constraints: ["Do not talk."],
      final: true,
    },
  },
});

describe("phaseFragments", () => {
  it("phaseFragments describes every phase and the current one to an agent that joins", () => {
    const fragments = phaseFragments(conversationPhases, "plan", { agent: "planner", seen: undefined });
    expect(fragments.map(({ kind, priority }) => [kind, priority])).toEqual([
      ["definitions", 15],
      ["phase", 20],
    ]);
    expect(fragments[1]?.text).toMatchInlineSnapshot(`
      "You are in the phase "plan".
      It is for: Design the solution before it is built.
      It is complete when: The plan is approved and can be executed.
      - Design the system; do not implement it.
      - Plan only what is truly complex.
      - Produce a plan that the executor can carry out."
    `);
    expect(renderDefinitions(conversationPhases)).toMatchInlineSnapshot(`
      "The work goes through phases:
      - chat: Find out what the person wants. Next: execute, plan, brainstorm.
      - brainstorm: Explore ideas freely. Next: chat, plan, execute.
      - plan: Design the solution before it is built. Next: execute.
      - execute: Do the work. Next: verification, chat.
      - verification: Check that the work does what it should. Next: chores, execute, chat.
      - chores: Tidy up and document. Next: reflection.
      - reflection: Keep what was learned. Next: chat."
    `);
  });

  it("phaseFragments names both phases after a change", () => {
    const [fragment, ...more] = phaseFragments(conversationPhases, "execute", { agent: "planner", seen: "plan" });
    expect(fragment?.text).toMatchInlineSnapshot(`
      "The phase changed from "plan" to "execute".
      It is for: Do the work.
      It is complete when: The implementation is complete.
      - Use the tools that fit the task.
      - Deliver what was asked for.
      - Explain the decisions that matter."
    `);
    expect(more).toEqual([]);
  });

  it("phaseFragments is empty if the phase has not changed", () => {
    expect(phaseFragments(conversationPhases, "plan", { agent: "planner", seen: "plan" })).toEqual([]);
  });

  it.each([
    { agent: "planner", type: "builder", says: "Planner: think hard." },
    { agent: "mason", type: "builder", says: "Builders: think of the wall." },
    { agent: "mason", type: "painter", says: "Think." },
    { agent: "mason", type: undefined, says: "Think." },
  ])("phaseFragments uses the guidance for agent $agent of type $type", ({ agent, type, says }) => {
    expect(phaseFragments(graph, "think", { agent, type, seen: "act" })[0]?.text.split("\n")).toContain(says);
  });

  it("an agent reads about its phase only on entry and change", async () => {
    const { conversation, contexts } = scripted({
      decisions: [
        { agents: ["planner"], reason: "1" },
        { agents: ["planner"], reason: "2" },
        { agents: ["planner"], phase: "plan", reason: "3" },
        { agents: ["planner"], reason: "4" },
      ],
    });
    const shown: (readonly string[])[] = [];
    contexts.push = (context) => shown.push(kinds(context.fragments));
    await conversation.send("go");
    expect(shown).toEqual([
      ["definitions", "phase", "history", "reason"],
      ["history", "hand-off", "reason"],
      ["phase", "history", "hand-off", "reason"],
      ["history", "hand-off", "reason"],
    ]);
  });

  it("an agent without memory reads about its phase every time", async () => {
    const shown: (readonly string[])[] = [];
    const { conversation } = scripted({
      agents: [
        {
          name: "planner",
          remembers: false,
          work: ({ fragments }) => {
            shown.push(kinds(fragments));
            return `text ${String(shown.length)}`;
          },
        },
      ],
      decisions: [
        { agents: ["planner"], reason: "1" },
        { agents: ["planner"], reason: "2" },
      ],
    });
    await conversation.send("go");
    expect(shown.map(([first, second]) => [first, second])).toEqual([
      ["definitions", "phase"],
      ["definitions", "phase"],
    ]);
  });

  it("an agent that failed reads about its phase again", async () => {
    const shown: (readonly string[])[] = [];
    const { conversation } = scripted({
      decisions: [
        { agents: ["planner"], reason: "1" },
        { agents: ["planner"], reason: "2" },
      ],
      work: {
        planner: ({ fragments }) => {
          shown.push(kinds(fragments));
          throw new Error("x");
        },
      },
    });
    await conversation.send("go");
    expect(shown.map(([first]) => first)).toEqual(["definitions", "definitions"]);
  });
});

describe("the context of an agent", () => {
  it("the context has the current and the previous phase, the request, the reason and the hand-off", async () => {
    const { conversation, contexts } = scripted({
      decisions: [
        { agents: ["planner"], phase: "plan", reason: "think first" },
        { agents: ["executor"], phase: "execute", reason: "now act" },
      ],
    });
    await conversation.send("Add it");
    expect(contexts[1]).toMatchObject({
      conversation: "talk",
      round: "round-2",
      agent: "executor",
      phase: "execute",
      previousPhase: "plan",
      request: "Add it",
      reason: "now act",
      attempt: 1,
    });
    expect(contexts[1]?.handOff).toEqual({
      from: "plan",
      to: "execute",
      summary: "planner: planner is done",
      by: "router",
      ageMs: 0,
    });
  });

  it("the context renders as one prompt", async () => {
    const prompts: string[] = [];
    const { conversation } = scripted({
      decisions: [
        { agents: ["planner"], phase: "plan", reason: "think first" },
        { agents: ["planner", "executor"], phase: "execute", reason: "now act" },
      ],
      work: {
        executor: ({ prompt }) => {
          prompts.push(prompt);
          return "x";
        },
      },
    });
    await conversation.send("Add it");
    expect(prompts[0]?.split("\n").slice(9).join("\n")).toMatchInlineSnapshot(`
      "You are in the phase "execute".
      It is for: Do the work.
      It is complete when: The implementation is complete.
      - Use the tools that fit the task.
      - Deliver what was asked for.
      - Explain the decisions that matter.

      So far:
      [chat] → think first
      user: Add it
      [plan]: think first → planner: planner is done
      planner: planner did it
      [execute, now]: now act

      Handed over by router from the phase "plan" to "execute":
      planner: planner is done

      You were chosen because: now act"
    `);
  });

  it("the context has no hand-off older than the window", async () => {
    const { conversation, contexts, time } = scripted({
      decisions: [
        { agents: ["planner"], reason: "1" },
        { agents: ["executor"], reason: "2" },
        { agents: ["executor"], reason: "3" },
        { agents: ["executor"], reason: "4" },
      ],
      work: { executor: () => ({ text: "?", question: "?" }) },
    });
    await conversation.send("a");
    expect(contexts.at(-1)?.handOff).toMatchObject({ summary: "planner: planner is done", from: "chat", to: "chat" });
    await time.advance(29_999);
    await conversation.send("b");
    expect(contexts.at(-1)?.handOff).toMatchObject({ ageMs: 29_999 });
    await time.advance(1);
    await conversation.send("c");
    expect(contexts.at(-1)?.handOff).toBeUndefined();
  });

  it("the context has the tools and the model of the phase", async () => {
    const own = ["read_file", "read_secret", "write_file"].map(tool);
    const seen: unknown[] = [];
    const { conversation } = scripted({
      graph,
      agents: [
        {
          name: "mason",
          tools: own,
          work: ({ tools, model, allows }) => {
            seen.push([model, tools.map(({ name }) => name), allows("write_file")]);
            return String(seen.length);
          },
        },
      ],
      decisions: [
        { agents: ["mason"], reason: "1" },
        { agents: ["mason"], phase: "act", reason: "2" },
      ],
    });
    await conversation.send("go");
    expect(seen).toEqual([
      ["slow", ["read_file", "read_secret", "complete"], false],
      ["fast", ["read_file", "write_file", "complete"], true],
    ]);
  });

  it("an agent may create its tools for the phase", async () => {
    const seen: string[] = [];
    const { conversation } = scripted({
      graph,
      agents: [
        {
          name: "mason",
          tools: ({ phase }) => [tool(`read_for_${phase}`)],
          work: ({ tools }) => {
            seen.push(tools[0]?.name ?? "");
            return "x";
          },
        },
      ],
      decisions: [
        { agents: ["mason"], reason: "1" },
        { agents: ["mason"], phase: "act", reason: "2" },
      ],
    });
    await conversation.send("go");
    expect(seen).toEqual(["read_for_think", "read_for_act"]);
  });

  it("the rules of the conversation's phase apply to the agent's own run", async () => {
    const answers: unknown[] = [];
    const { conversation } = scripted({
      graph,
      agents: [
        {
          name: "mason",
          tools: [tool("read_file")],
          work: async ({ call, run }) => {
            answers.push(
              (await call("read_file", { path: "a" })).text,
              (await call("write_file", {})).text,
              run.beforeTool({ tool: "bash", input: {} }).allow,
            );
            return "x";
          },
        },
      ],
      decisions: [{ agents: ["mason"], reason: "1" }],
    });
    await conversation.send("go");
    expect(answers).toEqual([
      "read_file ran",
      'The tool "write_file" is not allowed while the conversation is in the phase "think".',
      false,
    ]);
  });

  it("a milder mode only records what the rules would refuse", async () => {
    const answers: unknown[] = [];
    const { conversation } = scripted({
      graph,
      mode: "nudge",
      agents: [
        {
          name: "mason",
          work: ({ run }) => {
            answers.push(run.beforeTool({ tool: "write_file", input: {} }).allow);
            return "x";
          },
        },
      ],
      decisions: [{ agents: ["mason"], reason: "1" }],
    });
    await conversation.send("go");
    expect(answers).toEqual([true]);
  });
});

describe("the tools of a phase", () => {
  it("complete describes and answers in the words of the phase", async () => {
    const texts: string[] = [];
    const work = async ({
      tools,
      call,
    }: {
      tools: readonly PlainTool[];
      call: (tool: string, input?: unknown) => Promise<{ text: string }>;
    }) => {
      texts.push(
        tools.find(({ name }) => name === "complete")?.description ?? "",
        (await call("complete", { text: "It is done.", summary: "done" })).text,
      );
      return undefined;
    };
    const { conversation } = scripted({
      decisions: [
        { agents: ["planner"], phase: "plan", reason: "1" },
        { agents: ["planner"], phase: "execute", reason: "2" },
      ],
      work: { planner: work },
    });
    await conversation.send("go");
    expect(texts.flatMap((text) => text.split(/(?<=\.) /))).toMatchInlineSnapshot(`
      [
        "Reports that your part of the phase "plan" is complete.",
        "Design the solution before it is built.",
        "Call it when this is true: The plan is approved and can be executed.",
        "Recorded: your part of the phase "plan" is complete.",
        "The phase itself is complete when: The plan is approved and can be executed.",
        "Next: execute.",
        "Reports that your part of the phase "execute" is complete.",
        "Do the work.",
        "Call it when this is true: The implementation is complete.",
        "Recorded: your part of the phase "execute" is complete.",
        "The phase itself is complete when: The implementation is complete.",
        "Next: verification or chat.",
        "Reports that your part of the phase "reflection" is complete.",
        "Keep what was learned.",
        "Call it when this is true: Every agent that took part has reflected.",
        "Recorded: your part of the phase "reflection" is complete.",
        "The phase itself is complete when: Every agent that took part has reflected.",
        "Next: chat.",
      ]
    `);
    expect(conversation.state.rounds.slice(0, 2).map(({ completions }) => completions[0])).toMatchObject([
      { outcome: "done", text: "It is done.", summary: "done" },
      { text: "It is done." },
    ]);
  });

  it("complete refuses a completion without a text", async () => {
    const answers: unknown[] = [];
    const { conversation } = scripted({
      decisions: [{ agents: ["planner"], reason: "1" }],
      work: {
        planner: async ({ call }) => {
          for (const input of [undefined, {}, { text: " " }, "done"]) answers.push((await call("complete", input)).ok);
          return "x";
        },
      },
    });
    await conversation.send("go");
    expect(answers).toEqual([false, false, false, false]);
  });

  it("lesson exists only in phases for lessons and refuses trivial and repeated ones", async () => {
    const seen: string[] = [];
    const lesson = "The billing service rejects dates without a time zone.";
    const { conversation, dataOf } = scripted({
      decisions: ["execute", "verification", "chores", "reflection"].map((phase) => ({
        agents: ["executor"],
        phase,
        reason: phase,
      })),
      work: {
        executor: async ({ phase, tools, call }) => {
          if (!tools.some(({ name }) => name === "lesson")) return `${phase}: no lessons`;
          for (const text of ["Always test your code.", lesson, lesson])
            seen.push((await call("lesson", { text })).text);
          return "reflected";
        },
      },
    });
    await conversation.send("go");
    expect(seen).toMatchInlineSnapshot(`
      [
        "This is too general to help. Say what happened in this project, and what to do differently next time.",
        "Stored.",
        "This lesson is already known: "The billing service rejects dates without a time zone.". Add only what is new.",
      ]
    `);
    expect(dataOf(lessonLearned)).toEqual([
      { agent: "executor", phase: "reflection", text: lesson, from: "reflection" },
    ]);
    expect(conversation.state.rounds.map(({ completions }) => completions[0]?.text)).toEqual([
      "execute: no lessons",
      "verification: no lessons",
      "chores: no lessons",
      "reflected",
    ]);
  });

  it("a call of an unknown tool returns an error to the agent", async () => {
    const answers: string[] = [];
    const { conversation } = scripted({
      decisions: [{ agents: ["planner"], reason: "1" }],
      work: {
        planner: async ({ call }) => {
          answers.push((await call("nothing")).text);
          return "x";
        },
      },
    });
    await conversation.send("go");
    expect(answers).toEqual(['There is no tool "nothing". Use one of: complete.']);
  });
});
