import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scripted } from "../__fixtures__/scripted-conversation.ts";

const printed: string[] = [];

beforeEach(() => {
  printed.length = 0;
  vi.stubEnv("PHASEKIT_DEBUG", "1");
  vi.spyOn(console, "warn").mockImplementation((text: string) => void printed.push(text));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const ask = () => ({ text: "?", question: "?" });

describe("printProblems", () => {
  it("a router that fails is heard in development, and its error reaches onError", async () => {
    const errors: unknown[] = [];
    const { conversation } = scripted({
      decisions: [
        () => {
          throw new TypeError("router: no key");
        },
      ],
      onError: (error) => errors.push(error),
      work: { "project-manager": ask },
    });
    await conversation.send("go");
    expect(printed).toEqual(["phasekit: in a conversation: The router failed: router: no key"]);
    expect(errors).toMatchObject([{ name: "TypeError", message: "router: no key" }]);
  });

  it.each([
    {
      what: "agent",
      decision: { agents: ["plannner"], reason: "x" },
      says: 'There is no agent "plannner". Use one of: project-manager, planner, executor, or END.',
    },
    {
      what: "phase",
      decision: { agents: ["planner"], phase: "plann", reason: "x" },
      says: 'The graph has no phase "plann"',
    },
  ])("a misspelled $what of a decision is heard in development", async ({ decision, says }) => {
    const { conversation } = scripted({
      decisions: [decision, { agents: ["planner"], reason: "then" }],
      work: { planner: ask },
    });
    await conversation.send("go");
    expect(printed).toEqual([expect.stringContaining(says)]);
  });

  it("a misspelled initial phase is heard in development", async () => {
    const { conversation } = scripted({
      initialPhase: () => ({ phase: "exekute", reason: "x" }),
      decisions: [{ agents: ["planner"], reason: "x" }],
      work: { planner: ask },
    });
    await conversation.send("go");
    expect(printed).toEqual([expect.stringContaining('no phase "exekute"')]);
  });

  it("a misspelled phase that an agent wishes for is heard in development", async () => {
    const { conversation } = scripted({
      decisions: [
        { agents: ["executor"], reason: "x" },
        { agents: ["planner"], reason: "y" },
      ],
      work: { executor: () => ({ text: "done", phase: "verificaton" }), planner: ask },
    });
    await conversation.send("go");
    expect(printed).toEqual([expect.stringContaining('"verificaton"')]);
  });

  it("an unknown option is heard in development", async () => {
    scripted({ innitialPhase: "execute" } as never);
    await vi.dynamicImportSettled();
    expect(printed).toEqual([expect.stringContaining('"innitialPhase"')]);
  });

  it("an ordinary conversation and its corrections print nothing", async () => {
    const { conversation } = scripted({
      decisions: [
        { agents: ["executor"], phase: "execute", reason: "1" },
        { agents: ["END"], reason: "too early" },
        "no json",
        { agents: ["executor"], phase: "verification", reason: "2" },
      ],
    });
    await conversation.send("go");
    expect(printed).toEqual([]);
  });
});
