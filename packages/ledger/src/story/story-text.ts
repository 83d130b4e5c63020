import { quote } from "@phasekit/core/adapter";
import { count, listed, plural, tokens } from "../words/numbers.ts";
import { shortPaths } from "../words/short-paths.ts";
import type { InterventionCounts } from "./interventions.ts";
import type { Loop } from "./loop-fold.ts";
import type { RunStory } from "./run-story.ts";

/** Tells a loop: its calls, kind and count. Contains foreign text. */
export function loopText({ from, to, kind, count: times, what, tokens: spent, open }: Loop): string {
  const calls = from === to ? `call ${String(from)}` : `calls ${String(from)}–${String(to)}`;
  const subject = what === "" ? "" : `: ${quote(shortPaths(what), { max: 100 }).slice(1, -1)}`;
  const cost = spent === undefined ? "" : ` (≈ ${tokens(spent)} tokens)`;
  const often = times > 1 ? ` ×${count(times)}` : "";
  return `${calls}: ${kind}${often}${subject}${cost}${open ? ", to the end" : ""}`;
}

/** Tells the tokens of a run: "14 k+" if some answers do not report all of theirs; `undefined` if none does. */
export function tokenText({ tokens: used, usage }: RunStory): string | undefined {
  const { unknownCalls, inputTokens, outputTokens } = usage;
  const isPart = unknownCalls > 0 || inputTokens === undefined || outputTokens === undefined;
  return used === undefined ? undefined : `${tokens(used)}${isPart ? "+" : ""}`;
}

/** Tells how many calls brought nothing new; `undefined` if none. */
export function wasteText({ wasted, calls, tokens: all }: RunStory): string | undefined {
  if (wasted.calls === 0) return undefined;
  const share =
    wasted.tokens === undefined || wasted.tokens === 0 || all === undefined
      ? ""
      : `, ${tokens(wasted.tokens)} of ${tokens(all)} tokens`;
  return `${count(wasted.calls)} of ${plural(calls, "call")} brought nothing new${share}`;
}

/** Tells what was changed, tested and delivered; `undefined` if nothing was. Contains foreign text. */
export function workText({ work, delivery }: RunStory): string | undefined {
  const { files, names } = work;
  const more = files > names.length ? ", …" : "";
  const changed =
    files === 0 ? [] : [`${plural(files, "file")} (${names.map((name) => shortPaths(name)).join(", ")}${more})`];
  const steps = [
    ...(delivery.committed ? [delivery.isBehind ? "committed before the last change" : "committed"] : []),
    ...(delivery.pushed ? ["pushed"] : []),
    ...(delivery.pullRequest ? ["pull request opened"] : []),
    ...(delivery.ci === undefined ? [] : [CI[delivery.ci]]),
  ];
  const parts = [...changed, ...testsText(work), ...steps];
  return parts.length === 0 ? undefined : parts.join(", ");
}

/** Tells how often tests ran after all, and what the last run said. */
function testsText({ testRuns, lastTest }: RunStory["work"]): readonly string[] {
  if (testRuns === 0 || lastTest === undefined) return [];
  const { verdict, passed, failed } = lastTest;
  const counts = [
    ...(passed === undefined ? [] : [`${count(passed)} passed`]),
    ...(failed === undefined || failed === 0 ? [] : [`${count(failed)} failed`]),
  ].join(", ");
  const result = verdict === "unknown" ? "without a clear result" : `${verdict}ed`;
  const often = testRuns === 1 ? "tests ran once" : `tests ran ${count(testRuns)} times, the last time`;
  return [`${often}: ${counts === "" ? result : counts}`];
}

const CI = { pass: "CI passed", fail: "CI failed", unknown: "CI seen without a result" } as const;

/** Tells all interventions in one line, applied ones and those that would have been; `undefined` if none. */
export function interventionText({ interventions, calls, tokens: all }: RunStory): string | undefined {
  const { applied, first, stop, ...decided } = interventions;
  // An agent without tool calls may have no tools, so advice about them would be wrong.
  if (first === undefined || calls === 0) return undefined;
  const rest: InterventionCounts = {
    nudges: decided.nudges - applied.nudges,
    refusals: decided.refusals - applied.refusals,
    vetoes: decided.vetoes - applied.vetoes,
    stops: decided.stops - applied.stops,
  };
  const [did, would] = [actionsOf(applied), actionsOf(rest)];
  const spent = all === undefined || first.tokens === undefined ? "" : ` and ${tokens(all - first.tokens)} tokens`;
  const left = calls - first.call;
  const place = first.call === 0 ? "before the first call" : `at call ${String(first.call)}`;
  const after = left > 0 ? `, ${plural(left, "call")}${spent} before the end` : "";
  const isOne = decided.nudges + decided.refusals + decided.vetoes + decided.stops === 1;
  const ends = stop === undefined || first.what === "stop" ? "" : `; stop at call ${String(stop.call)}`;
  return [...(did.length === 0 ? [] : [listed(did)]), ...(would.length === 0 ? [] : [`would have ${listed(would)}`])]
    .join("; ")
    .concat(`${isOne ? " " : `; first ${first.what} `}${place}${after}: ${first.text}${ends}`);
}

function actionsOf({ nudges, refusals, vetoes, stops }: InterventionCounts): readonly string[] {
  return [
    ...(nudges === 0 ? [] : [nudges === 1 ? "sent a nudge" : `sent ${plural(nudges, "nudge")}`]),
    ...(refusals === 0 ? [] : [refusals === 1 ? "refused a call" : `refused ${plural(refusals, "call")}`]),
    ...(vetoes === 0 ? [] : [`vetoed the finish${vetoes === 1 ? "" : ` ${count(vetoes)} times`}`]),
    ...(stops === 0 ? [] : ["stopped the run"]),
  ];
}
