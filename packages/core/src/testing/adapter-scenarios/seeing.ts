import { definePolicy } from "../../policies/policy.ts";
import { read, type Scenario } from "./scenario.ts";

const watchForSecrets = definePolicy({
  name: "secrets",
  watchText: () => {
    let seen = "";
    return {
      push: (piece) => {
        seen += piece;
        return seen.includes("password") ? { kind: "secret", signature: "password" } : undefined;
      },
    };
  },
});

/** Scenarios of what an adapter has to see. */
export const seeing: readonly Scenario[] = [
  {
    name: "sees an answer: usage, why it ended, its text",
    agent: { answers: [{ text: "Hello.", usage: { input: 10, output: 2 } }] },
    text: "Hello.",
  },
  {
    name: "sees parallel calls, one of which fails",
    agent: {
      answers: [
        {
          text: "I look.",
          calls: [read("a.ts"), { tool: "broken_tool", input: {} }, read("b.ts")],
          usage: { input: 10, output: 2 },
        },
        { text: "Done.", usage: { input: 20, output: 1 } },
      ],
    },
    text: "Done.",
  },
  {
    name: "knows cached tokens, and knows what it does not know",
    agent: {
      answers: [
        { calls: [read("a.ts")], usage: { input: 100, output: 5, cached: 80, reasoning: 3 } },
        { calls: [read("b.ts")] },
        { text: "Done.", usage: { input: 30, output: 1 } },
      ],
    },
    text: "Done.",
  },
  {
    name: "sees a call the host denies",
    needs: ["deny"],
    agent: {
      answers: [
        { calls: [{ tool: "deploy", input: {} }], usage: { input: 10, output: 2 } },
        { text: "Not deployed.", usage: { input: 20, output: 2 } },
      ],
    },
    text: "Not deployed.",
  },
  {
    name: "sees a call of a tool that does not exist",
    agent: {
      answers: [
        { calls: [{ tool: "imagined", input: {} }], usage: { input: 10, output: 2 } },
        { text: "Done.", usage: { input: 20, output: 2 } },
      ],
    },
    text: "Done.",
    // Every host has its own words for it.
    ignore: ["output"],
  },
  {
    name: "sees a model that fails",
    agent: {
      answers: [
        { calls: [read("a.ts")], usage: { input: 10, output: 2 } },
        { fails: { status: 500, code: "server_error" } },
      ],
    },
  },
  {
    name: "sees streamed text, calls and usage as it sees whole ones",
    needs: ["stream"],
    agent: {
      stream: true,
      answers: [
        {
          text: "The password is here.",
          calls: [read("a.ts"), read("b.ts")],
          usage: { input: 10, output: 2, cached: 4 },
        },
        { text: "Done.", usage: { input: 20, output: 1 } },
      ],
    },
    run: { policies: [watchForSecrets] },
    text: "Done.",
  },
  {
    name: "sees a call the host gives up",
    needs: ["abort"],
    agent: { answers: [{ calls: [read("a.ts")], usage: { input: 10, output: 2 } }, { aborted: true }] },
  },
  {
    name: "sees a stream the host gives up",
    needs: ["abort", "stream"],
    agent: { stream: true, answers: [{ calls: [read("a.ts")], usage: { input: 10, output: 2 } }, { aborted: true }] },
  },
  {
    name: "sees what the provider says about quotas",
    needs: ["quota"],
    agent: {
      answers: [
        {
          text: "Done.",
          usage: { input: 10, output: 2 },
          headers: {
            "x-ratelimit-limit-requests": "60",
            "x-ratelimit-remaining-requests": "59",
            "x-ratelimit-reset-requests": "1s",
            "x-ratelimit-remaining-tokens": "1000",
          },
        },
      ],
    },
    text: "Done.",
  },
];
