import { conversationPhases } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { furtherRequests, initialRequests } from "../__fixtures__/initial-requests.ts";
import { guessInitialPhase, modelInitialPhase, renderInitialPhaseQuestion } from "./initial-phase.ts";

describe("guessInitialPhase", () => {
  it.each([
    // Clear requests with an action verb are executed.
    ["Build a login page", "execute"],
    ["Fix the failing test in src/cart.ts", "execute"],
    ["Please add a dark mode toggle to the settings.", "execute"],
    ["Rename getUser to fetchUser everywhere", "execute"],
    ["Can you update the README?", "execute"],
    ["Maybe fix the bug in `parseDate`", "execute"],
    ["I'm not sure how, but make src/index.ts compile", "execute"],
    ["Fix the typo in the architecture docs", "execute"],
    // Complex design is planned.
    ["Design the architecture of a multi-tenant billing system", "plan"],
    ["Migrate our monolith to microservices", "plan"],
    ["Rewrite the storage layer from scratch", "plan"],
    ["We need a roadmap and a data model for the plugin system", "plan"],
    // Unclear requests are talked about.
    ["", "chat"],
    ["hi", "chat"],
    ["Help!", "chat"],
    ["It doesn't work", "chat"],
    ["fix it", "chat"],
    ["Make it better", "chat"],
    ["I'm not sure what I want, maybe something with colours", "chat"],
    // Open-ended ones are brainstormed.
    ["What if the app could talk?", "brainstorm"],
    ["Let's brainstorm names for the product", "brainstorm"],
    ["Ideas for the new architecture?", "brainstorm"],
    ["Explore ways to make onboarding fun", "brainstorm"],
    // When in doubt, act.
    ["The login page", "execute"],
    ["How does the cache work?", "execute"],
  ])("guessInitialPhase begins %j in %s", (request, phase) => {
    expect(guessInitialPhase(request).phase).toBe(phase);
  });

  it.each(
    [initialRequests, furtherRequests]
      .flatMap(Object.entries<readonly string[]>)
      .flatMap(([phase, requests]) => requests.map((request) => [request, phase] as const)),
  )("guessInitialPhase begins %j in %s, as a person does", (request, phase) => {
    expect(guessInitialPhase(request).phase).toBe(phase);
  });

  it("the cost of guessInitialPhase does not grow with the length of a request", () => {
    const cost = (length: number): number => {
      const request = "please can you write a plan for the ".repeat(length / 36);
      const began = process.cpuUsage().user;
      for (let n = 0; n < 20; n += 1) guessInitialPhase(request);
      return process.cpuUsage().user - began + 1000;
    };
    cost(10_000);
    expect(cost(1_000_000) / cost(10_000)).toBeLessThan(30);
  });

  it("guessInitialPhase matches whole words", () => {
    expect(guessInitialPhase("prefixed addresses").reason).toBe("Nothing speaks against acting on the request.");
    expect(guessInitialPhase("fix addresses").reason).toBe("The request says clearly what to do.");
  });
});

describe("modelInitialPhase", () => {
  const context = { graph: conversationPhases };

  it.each([
    ["plan", "plan"],
    ["PLAN.", "plan"],
    ["I would say: brainstorm", "brainstorm"],
  ])("modelInitialPhase takes the phase from the answer %j", async (answer, phase) => {
    expect(await modelInitialPhase(() => Promise.resolve(answer))("Build it", context)).toEqual({
      phase,
      reason: "A model chose it.",
    });
  });

  it.each([
    ["names none", () => "no idea"],
    [
      "fails",
      () => {
        throw new Error("offline");
      },
    ],
  ])("modelInitialPhase guesses if the model %s", async (_what, ask) => {
    expect(await modelInitialPhase(ask)("What if?", context)).toMatchObject({ phase: "brainstorm" });
  });

  it("modelInitialPhase asks with every phase and when to enter it", () => {
    expect(renderInitialPhaseQuestion("Build it", conversationPhases)).toMatchInlineSnapshot(`
      "In which phase should the work on this request begin? Answer with the name of the phase only.
      When in doubt, choose the one that acts.
      - chat: Find out what the person wants. A request is unclear, or can be read in several ways
      - brainstorm: Explore ideas freely. The question is open-ended The person wonders what would happen if
      - plan: Design the solution before it is built. The task is complex and needs decisions about its design
      - execute: Do the work. The requirements are clear and can be acted on
      - verification: Check that the work does what it should. Execution is complete
      - chores: Tidy up and document. Verification succeeded
      - reflection: Keep what was learned. Chores are complete

      Request:
      Build it"
    `);
  });
});
