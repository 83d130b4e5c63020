import type { OpenAlert } from "@phasekit/core";
import { labelOf } from "./fingerprint.ts";

/** How an agent is stuck; each way gets other advice. */
export type LoopFamily = "repeater" | "failer" | "looper" | "wanderer" | "poller" | "talker" | "outside";

const FAMILIES: Readonly<Record<string, LoopFamily>> = {
  "repeated-call": "repeater",
  "interleaved-repeat": "repeater",
  "near-repeat": "repeater",
  "endless-call": "repeater",
  "cross-agent-loop": "repeater",
  "repeated-failure": "failer",
  "recurring-error": "failer",
  "failing-tool": "failer",
  "unknown-tool": "failer",
  "failures-in-a-row": "failer",
  "failure-rate": "failer",
  stagnation: "failer",
  "cumulative-loop": "failer",
  "call-cycle": "looper",
  "edit-flip-flop": "looper",
  "red-test-loop": "looper",
  "same-answer": "wanderer",
  "read-only-churn": "wanderer",
  "back-to-exploring": "wanderer",
  "reread-range": "wanderer",
  "endless-paging": "wanderer",
  "stale-workspace": "wanderer",
  "unchanged-polling": "poller",
  waiting: "poller",
  "text-only-turns": "talker",
  "announced-not-done": "talker",
  "repeated-message": "talker",
  "repeated-question": "talker",
  chanting: "talker",
};

/** The family of an alert; `outside` when it is about the provider, the clock or something this package does not know. */
export function familyOf(kind: string): LoopFamily {
  return Object.hasOwn(FAMILIES, kind) ? (FAMILIES[kind] ?? "outside") : "outside";
}

type Told = Pick<OpenAlert, "kind" | "signature" | "subject" | "evidence">;

/** What an agent is told about its loop: what repeats, how often, what came of it, and one thing to do instead. */
export function nudgeText(alert: Told, count: number): string | undefined {
  const evidence = (alert.evidence ?? {}) as Readonly<Record<string, unknown>>;
  const word = (key: string): string => (typeof evidence[key] === "string" ? evidence[key] : "");
  const call = alert.subject === undefined ? "" : `\`${labelOf(alert.subject)}\``;
  const tool = `\`${word("tool")}\``;
  const n = String(count);
  switch (alert.kind) {
    case "repeated-call":
    case "interleaved-repeat":
      return `You made the call ${call} ${n} times and the result has not changed${said(word("result"))}. Asking again will not change it. Use what it told you: take the next step, or look somewhere else.`;
    case "near-repeat":
      return `Your last ${n} calls were ${call} in other words and told you the same${said(word("result"))}. Take the answer as it is and act on it.`;
    case "endless-call":
      return `You made the same call of ${tool} ${n} times; it always answers something else and never gets anywhere. Decide what answer you need, and stop when you have it or cannot have it.`;
    case "cross-agent-loop":
      return `Several agents made the call ${call}, ${n} times in all. Share its result instead of asking again.`;
    case "repeated-failure":
      if (evidence["spaced"] === true) return `${call} failed ${n} times in the same way${said(word("error"), "error")}, and you waited in between. Wait once for longer, or find out why it is not ready.`;
      return `${call} failed ${n} times in the same way${said(word("error"), "error")}. Do not run it again as it is: remove the cause of that error first, or reach the goal without this call.`;
    case "recurring-error":
      return `${call} has failed ${n} times in the same way${said(word("error"), "error")}, whatever you did in between. What you do about it does not last or does not reach it. Find out what brings the error back before you try again.`;
    case "failing-tool":
      return `${tool} failed ${n} times, whatever its arguments${said(word("error"), "error")}. Other wordings will not help. Fix what the error names, use another tool, or say what you need.`;
    case "unknown-tool":
      return `There is no tool ${tool}: ${n} calls failed${said(word("error"), "error")}. Use one of the tools you were given.`;
    case "failures-in-a-row":
      return `Your last ${n} calls all failed${said(word("error"), "last error")}. Stop and check one assumption at a time: where you are, what exists, what you may do.`;
    case "failure-rate":
      return `${String(evidence["failed"])} of your last ${String(evidence["calls"])} calls failed. The approach does not work: say what they have in common, then change that.`;
    case "stagnation":
      return `The same failure has come back ${n} times: ${call === "" ? alert.signature.slice(0, 160) : call}${said(word("error"), "error")}. Another try of the same kind will fail too. Change the approach.`;
    case "cumulative-loop":
      return `${n} corrections in this phase and no end. Stop correcting one by one: find what causes them, and fix that.`;
    case "call-cycle":
      return `You go round in circles: ${list(evidence["calls"])}, ${n} rounds with the same results. Break out: change what one of these steps depends on, or leave them.`;
    case "edit-flip-flop":
      return `\`${word("file") || alert.signature}\` went back to an earlier content ${typeof evidence["returns"] === "number" ? String(evidence["returns"]) : n} times: your edits undo each other. Both variants were tried. Find out what decides between them before you edit again.`;
    case "red-test-loop":
      return `${n} test runs, with edits before each, and the same tests fail: ${word("failing")}. Your edits do not reach the cause. Read the first failure closely and check that the code you edit is the code that runs.`;
    case "same-answer":
      if (evidence["page"] === true) return `${n} actions, and everything looks as before${said(word("result"))}. Read what it asks for, and do that first; other buttons and keys will not help.`;
      return `${tool} gave the same answer to ${n} different questions${said(word("result"))}. What you look for is not there. Search another way, or work with what you have.`;
    case "read-only-churn":
      return `You had begun to edit and have only looked around since, ${n} calls long. Make the next change with what you know, or say what is missing.`;
    case "back-to-exploring":
      return `The tests are green since your last edit, and you have been reading for ${n} calls. If nothing is left to do, finish and say what you did.`;
    case "reread-range":
      return `You read parts of \`${word("file")}\` again that you had read before, ${n} times. It has not changed. Use what you read, or search it for one word.`;
    case "endless-paging":
      return `You read \`${word("file")}\` in ${n} pieces. Search it for what you need instead of paging through it.`;
    case "stale-workspace":
      return `The workspace has not changed over ${n} rounds. Make a change, or say why none is needed.`;
    case "unchanged-polling":
      return `You asked ${tool} ${n} times and it still says the same${said(word("result"))}. Wait once, with one blocking call or a long sleep, or do something else meanwhile.`;
    case "waiting":
      return `You waited ${n} times in a row. Wait once, for as long as it takes, or go on with something else.`;
    case "text-only-turns":
      return `${n} turns without a tool call. Do the next step with a tool, or finish.`;
    case "announced-not-done":
      return `You said what you will do ${n} times and did not do it. Make the tool call now, in this turn.`;
    case "repeated-message":
      return `You said the same ${n} times${said(word("text"))}. Say something new, do something, or finish.`;
    case "repeated-question":
      return `You asked the same ${n} times${said(word("question"))}. Work with the answers you have, and state the assumption you make.`;
    case "chanting":
      return `Your last message repeated itself. Say it once, then do the next step.`;
    default:
      return undefined;
  }
}

function said(text: string, what = "it said"): string {
  const words = text.replace(/^\s*error:\s*/i, "").trim();
  return words === "" ? "" : ` (${what}: ${words.slice(0, 160)})`;
}

function list(calls: unknown): string {
  return Array.isArray(calls) ? calls.map((call) => `\`${String(call)}\``).join(", ") : "the same calls";
}
