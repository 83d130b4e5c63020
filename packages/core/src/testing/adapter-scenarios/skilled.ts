import { nudge } from "../../policies/decision.ts";
import { definePolicy } from "../../policies/policy.ts";
import { edit, read, type Scenario } from "./scenario.ts";

const usage = { input: 10, output: 2 };

const watchForChants = definePolicy({
  name: "chants",
  watchText: () => {
    let seen = "";
    return {
      push: (piece) => {
        seen += piece;
        return seen.includes("again and again") ? { kind: "chant", signature: "again" } : undefined;
      },
    };
  },
});

const alwaysNudge = definePolicy({
  name: "always-nudge",
  decide: { "turn.started": ({ turn }) => nudge("Carry on.", { episode: String(turn) }) },
});

/** Scenarios for adapters that declare a skill. */
export const skilled: readonly Scenario[] = [
  {
    name: "ends a run whose last answer was cut at the token limit as answer_truncated",
    skills: ["finish"],
    agent: {
      answers: [
        { calls: [read("a.ts")], usage },
        { text: "I have", finish: "length", usage },
      ],
    },
    text: "I have",
    // Not every host asks to finish after such an answer.
    ignore: ["text", "canVeto"],
  },
  {
    name: "ends a run whose last answer was filtered as content_filtered",
    skills: ["finish"],
    agent: { answers: [{ text: "I", finish: "content-filter", usage }] },
    text: "I",
    ignore: ["text", "canVeto"],
  },
  {
    name: "ends a run whose last answer is empty as answer_empty",
    skills: ["finish"],
    agent: {
      answers: [
        { calls: [read("a.ts")], usage },
        { text: "", usage },
      ],
    },
    text: "",
    ignore: ["text", "canVeto"],
  },
  {
    name: "ends a streamed run whose last answer was cut as answer_truncated",
    needs: ["stream"],
    skills: ["finish"],
    agent: { stream: true, answers: [{ text: "I have", finish: "length", usage }] },
    text: "I have",
    // Not every host asks to finish after such an answer.
    ignore: ["text", "canVeto"],
  },
  {
    name: "records the model's reasoning",
    skills: ["reasoning"],
    agent: {
      answers: [
        { reasoning: "I should look.", calls: [read("a.ts")], usage },
        { reasoning: "That was it.", text: "Done.", usage },
      ],
    },
    text: "Done.",
  },
  {
    name: "lets policies watch streamed reasoning",
    needs: ["stream"],
    skills: ["reasoning"],
    agent: {
      stream: true,
      answers: [{ reasoning: "The same again and again.", text: "Done.", usage }],
    },
    run: { policies: [watchForChants] },
    text: "Done.",
  },
  {
    name: "records the user's message once, and no message of Phasekit",
    skills: ["user"],
    agent: {
      answers: [
        { calls: [read("a.ts")], usage },
        { calls: [edit("a.ts")], usage },
        { text: "Done.", usage },
      ],
    },
    run: { policies: [alwaysNudge], nudges: { cooldownTurns: 0 } },
    text: "Done.",
  },
  {
    name: "records a history the host has shortened as context.compacted",
    skills: ["compact"],
    agent: {
      answers: [
        { calls: [read("a.ts")], usage },
        { calls: [read("b.ts")], usage },
        { calls: [edit("a.ts")], usage },
        { text: "Done.", usage },
      ],
      compact: { before: 3, summary: "a.ts and b.ts were read." },
    },
    text: "Done.",
  },
];
