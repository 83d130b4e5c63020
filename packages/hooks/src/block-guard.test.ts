import { describe, expect, it } from "vitest";
import { openSession } from "../test/session-kit.ts";
import {
  type BlockRequest,
  declaresUnable,
  declaresWait,
  emptyGuard,
  guardOf,
  guardLimits,
  type GuardState,
  noteActivity,
  noteBlock,
  noteInterrupt,
  notePrompt,
  whyWithhold,
} from "./block-guard.ts";
import { agentNames } from "./hook-event.ts";

const veto: BlockRequest = { block: "veto", text: "Run the tests.", sessionKnown: true, stateReadable: true };
const refuse: BlockRequest = { ...veto, block: "refuse" };

function after(...steps: readonly ((state: GuardState) => void)[]): GuardState {
  const state = emptyGuard();
  for (const step of steps) step(state);
  return state;
}
const vetoed =
  (text = "Run the tests."): ((state: GuardState) => void) =>
  (state) =>
    noteBlock(state, { block: "veto", text });
const refused = (state: GuardState): void => noteBlock(state, { block: "refuse", text: "x" });
const worked = (state: GuardState): void => noteActivity(state);
const landed = (state: GuardState): void => noteActivity(state, { progress: true });

type Case = [string, GuardState, BlockRequest, ReturnType<typeof whyWithhold>];

describe("whyWithhold", () => {
  it.each<Case>([
    ["the first veto happens", after(), veto, undefined],
    ["the first refusal happens", after(), refuse, undefined],
    ["an unknown session is not vetoed", after(), { ...veto, sessionKnown: false }, "unknown-session"],
    ["an unknown session is not refused", after(), { ...refuse, sessionKnown: false }, "unknown-session"],
    ["unreadable state does not veto", after(), { ...veto, stateReadable: false }, "unreadable-state"],
    ["unreadable state does not refuse", after(), { ...refuse, stateReadable: false }, "unreadable-state"],
    ["plan mode ends freely", after(), { ...veto, planning: true }, "planning"],
    ["background tasks end freely", after(), { ...veto, openWork: 1 }, "open-work"],
    ["an aborted turn ends freely", after(), { ...veto, aborted: true }, "aborted"],
    ["a turn after an interrupt ends freely", after(noteInterrupt), veto, "aborted"],
    ["a declared wait ends freely", after(), { ...veto, lastWords: "I am waiting for CI." }, "declared-wait"],
    ["an empty turn after a veto ends freely", after(vetoed()), { ...veto, text: "other" }, "empty-turn"],
    ["an empty turn counts, whatever the flag says", after(vetoed()), { ...veto, continued: true }, "empty-turn"],
    [
      "a finish that continues another hook's veto ends freely",
      after(worked),
      { ...veto, continued: true },
      "foreign-veto",
    ],
    ["the same text never comes twice", after(vetoed(), landed), veto, "same-text"],
    ["another text may come after progress", after(vetoed(), landed), { ...veto, text: "They fail." }, undefined],
    ["another text may come after work", after(vetoed(), worked), { ...veto, text: "They fail." }, undefined],
    ["two vetoes without progress are the limit", after(vetoed("a"), worked, vetoed("b"), worked), veto, "limit"],
    ["a refusal and a veto do not meet", after(refused), veto, "refused-before"],
    ["a veto may follow a refusal and work", after(refused, worked), veto, undefined],
    ["a refusal does not follow a refusal", after(refused), refuse, "in-a-row"],
    ["a refusal does not stop the repair a veto asked for", after(vetoed()), refuse, "in-a-row"],
    ["a refusal may follow work", after(refused, worked), refuse, undefined],
    [
      "refusals without progress have a limit",
      after(...Array.from({ length: guardLimits.refusalsSinceProgress }, () => [refused, worked]).flat()),
      refuse,
      "limit",
    ],
    [
      "vetoes have a limit per prompt, with progress too",
      after(...["a", "b", "c", "d"].flatMap((text) => [vetoed(text), landed])),
      veto,
      "limit",
    ],
    ["a prompt starts anew", after(vetoed(), noteInterrupt, notePrompt), veto, undefined],
  ])("%s", (...[, state, request, why]) => {
    expect(whyWithhold(state, request)).toBe(why);
  });
});

describe("guardOf", () => {
  it("rebuilds the guard of a session from the events of its run, in every agent", () => {
    for (const agent of agentNames) {
      const kit = openSession({ agent });
      kit.prompt();
      kit.edit();
      expect(kit.finish().veto).toBeDefined();
      const guard = guardOf(kit.log);
      expect(guard).toMatchObject({ last: "veto", activity: 0, vetoesSincePrompt: 1 });
      expect(guard.said).toHaveLength(1);
      kit.edit();
      expect(guardOf(kit.log)).toMatchObject({ last: "veto", activity: 1 });
      kit.prompt("Something else.");
      expect(guardOf(kit.log)).toEqual(emptyGuard());
    }
  });
});

describe("declaresWait", () => {
  it.each([
    ["Waiting for the deployment to finish.", true],
    ["I'll wait until CI is green.", true],
    ["I need your decision on the schema.", true],
    ["I will check back later once the job is done.", true],
    ["All done.", false],
    ["The waiter class is fixed.", false],
    ["", false],
  ])("%s → %s", (text, waits) => {
    expect(declaresWait(text)).toBe(waits);
  });
});

it.each([
  ["I could not run the tests: there is no network.", true],
  ["The tests cannot be run here, vitest is not installed and I couldn't install it.", true],
  ["I was unable to push the branch.", true],
  ["Done. All tests pass.", false],
  ["The old code could not handle zero; it can now.", false],
])("%s is an honest end: %s", (text, isUnable) => {
  expect(declaresUnable(text)).toBe(isUnable);
});

it("a finish that says that what was asked for was not possible is not vetoed a second time", () => {
  const state = emptyGuard();
  const request = { block: "veto", sessionKnown: true, stateReadable: true } as const;
  const unable = { ...request, lastWords: "I could not run the tests: no network." };
  expect(whyWithhold(state, { ...unable, text: "a" })).toBeUndefined();
  noteBlock(state, { ...unable, text: "a" });
  noteActivity(state);
  expect(whyWithhold(state, { ...unable, text: "b" })).toBe("declared-unable");
  expect(whyWithhold(state, { ...request, text: "b", lastWords: "Done." })).toBeUndefined();
});
