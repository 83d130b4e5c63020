import type { RunView } from "@phasekit/core";
import { labelOf } from "@phasekit/core/account";
import { correctionsState, sameFailureState } from "./limits/breakers.ts";
import { sharedCallsState } from "./limits/shared-calls.ts";
import { nameCause, type StallCause } from "./stall/name-cause.ts";
import { namePattern, type StallPattern } from "./stall/name-pattern.ts";
import { type StallEntry, stallState } from "./stall/stall-state.ts";

/** An open alert in words for the agent, with the numbers of this moment. */
export interface Finding {
  readonly kind: string;
  readonly text: string;
}

/** The open alerts an agent can act on, each kind once. Alerts about the provider or the clock are not among them. */
export function findingsOf(run: RunView): readonly Finding[] {
  const kinds = new Set([...run.alerts.values()].map(({ kind }) => kind));
  // A stall names the repetition too.
  if (kinds.has("stall")) kinds.delete("repeat");
  return [...kinds].flatMap((kind) => {
    const text = alertText(run, kind);
    return text === undefined ? [] : [{ kind, text }];
  });
}

/** Advice about an open alert: what repeats, how often, what came of it, and one thing to do instead. */
export function alertText(run: RunView, kind: string): string | undefined {
  switch (kind) {
    case "stall":
    case "repeat": {
      const stalled = run.read(stallState);
      const pattern = namePattern(stalled?.recent ?? []);
      return pattern === undefined ? SAME_TEXT : stallText(pattern, stalled && nameCause(stalled));
    }
    case "stagnation": {
      const { count = 0, last = "" } = run.read(sameFailureState) ?? {};
      return (
        `The same failure came back ${count} times: ${last}. Another try of the same kind will fail too. ` +
        "Change the approach."
      );
    }
    case "cumulative-loop":
      return (
        `${run.read(correctionsState)?.all ?? 0} corrections in this phase. Stop correcting one by one: ` +
        "find what causes them, and fix that."
      );
    case "chanting":
      return "Your last message repeated itself. Say it once, then take the next step.";
    case "shared-call": {
      const { calls, top = "" } = run.read(sharedCallsState) ?? {};
      const shared = calls?.get(top);
      return (
        `${shared?.workers.size ?? 0} workers made the same call ${nameCall({ about: top })}, ` +
        `${shared?.calls ?? 0} times in all. Let one of them make it, and pass the answer on to the others.`
      );
    }
    default:
      return undefined;
  }
}

const SAME_TEXT = "You said the same again. Say something new, take the next step, or finish.";

/** A stall in words: what the calls show, and what to do: about the cause if it is known, else in general. */
export function stallText(pattern: StallPattern, cause?: StallCause): string {
  const [shown, advice] = wordsOf(pattern);
  return `${shown}. ${cause?.text ?? advice}`;
}

function wordsOf({ name, count, call, round = [] }: StallPattern): readonly [shown: string, advice: string] {
  switch (name) {
    case "repeat":
    case "unmoved":
      return call.failed
        ? [
            `${nameCall(call)} failed ${count} times in the same way${quote(call)}`,
            "Remove the cause first, or reach the goal without this call.",
          ]
        : [
            `You made the call ${nameCall(call)} ${count} times and got the same answer${quote(call)}`,
            "Use that answer: take the next step, or look somewhere else.",
          ];
    case "cycle":
      return [
        `You repeat the same steps: ${round.map(nameCall).join(", ")}, ${count} rounds without anything new`,
        "Change what one of these steps depends on, or leave them.",
      ];
    case "waiting":
      return [
        `You asked ${count} times and it is not ready${quote(call)}`,
        "Wait once with one long wait, or continue with other work.",
      ];
    case "failing":
      return [
        `${count} of your last ${round.length} calls failed${quote(call)}`,
        "Stop and check one assumption: where you are, what exists, what you may do.",
      ];
    case "same-answer":
      return [
        `Your last ${count} calls got the same answer${quote(call)}`,
        "Other wordings do not help. Take the answer as it is, or try another way.",
      ];
    case "no-gain":
      return [
        `${count} of your last ${round.length} calls brought nothing new and changed nothing`,
        "Say what you know and what is missing, then take a step you have not tried.",
      ];
  }
}

/** A call as a person would name it. */
export function nameCall({ about }: Pick<StallEntry, "about">): string {
  return `\`${labelOf(about)}\``;
}

function quote({ answer, error }: StallEntry): string {
  const line = (error?.line ?? answer).replace(/\s+/g, " ").trim();
  return line === "" ? "" : ` (${line.slice(0, 140)})`;
}
