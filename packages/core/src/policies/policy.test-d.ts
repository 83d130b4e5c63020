import { expectTypeOf } from "vitest";
import {
  alert,
  atMost,
  budget,
  cooldown,
  createRun,
  defineEvent,
  definePhaseGraph,
  definePolicy,
  defineState,
  emit,
  type EventOf,
  firstOf,
  inPhase,
  named,
  nudge,
  type Policy,
  type PolicyList,
  refuse,
  review,
  type RunView,
  stallReminder,
  stop,
  transition,
  veto,
  vouch,
  withMode,
} from "../index.ts";
import { mapDecisions } from "./combinators/map-decisions.ts";

const coding = definePhaseGraph({
  initial: "exploring",
  phases: {
    exploring: { next: ["acting"] },
    acting: { next: ["verifying"] },
    verifying: { next: ["acting"], final: true },
  },
});
type CodingPhase = "exploring" | "acting" | "verifying";

// State and phases are inferred; the event is the one of the key.

const repeated = definePolicy({
  name: "repeated",
  initial: () => ({ fingerprint: "", count: 0 }),
  observe: {
    "tool.finished": (state, event, run) => {
      expectTypeOf(event).toEqualTypeOf<EventOf<"tool.finished">>();
      expectTypeOf(run).toEqualTypeOf<RunView>();
      state.count = event.meaning.fingerprint === state.fingerprint ? state.count + 1 : 1;
    },
    "alert.raised": (state, { severity }) => {
      if (severity === "critical") state.count = 0;
    },
  },
  decide: {
    "tool.finished": (_run, { count, fingerprint }) =>
      count >= 3 ? alert({ kind: "repeated", signature: fingerprint, count }) : undefined,
  },
});
expectTypeOf(repeated).toEqualTypeOf<Policy<{ fingerprint: string; count: number }>>();

const reviewing = definePolicy({
  name: "reviewing",
  mentions: ["reviewing"],
  decide: { "turn.started": (run) => (run.isIn("reviewing") ? nudge("Look closely.") : undefined) },
});
expectTypeOf(reviewing).toEqualTypeOf<Policy<undefined, "reviewing">>();

const verifyEdits = definePolicy({ name: "verify-edits", decide: { "tool.finished": () => transition("verifying") } });
expectTypeOf(verifyEdits).toEqualTypeOf<Policy<undefined, "verifying">>();

// What may be decided when.

const done = defineEvent<{ text: string }>("done");
definePolicy({
  name: "legal-anywhere",
  decide: {
    "model.answered": () => [
      alert({ kind: "k", signature: "s", count: 1 }),
      stop({ reason: "turn_limit" }),
      emit(done, { text: "" }),
    ],
    "clock.ticked": () => stop({ reason: "token_limit" }),
  },
});
definePolicy({
  name: "legal-at-its-moment",
  decide: {
    "turn.started": () => [
      nudge("a"),
      review({ kind: "k", text: "t" }),
      alert({ kind: "k", signature: "s", count: 1 }),
    ],
    "tool.requested": () => refuse("no"),
    "finish.requested": (run) => (run.turn > 3 ? veto("no") : vouch()),
  },
});

definePolicy({
  name: "refuses",
  decide: {
    "tool.requested": () => refuse("no"),
    // @ts-expect-error -- a call that has run cannot be refused
    "tool.finished": () => refuse("no"),
    // @ts-expect-error -- nor can a turn
    "turn.started": () => refuse("no"),
    // @ts-expect-error -- nor the end, which is vetoed
    "finish.requested": () => refuse("no"),
    // @ts-expect-error -- in a list neither
    "model.answered": () => [refuse("no")],
  },
});
definePolicy({
  name: "vetoes",
  decide: {
    // @ts-expect-error -- a turn cannot be vetoed
    "turn.started": (run) => (run.turn > 3 ? veto("no") : undefined),
    // @ts-expect-error -- nor a call
    "tool.requested": () => veto("no"),
    // @ts-expect-error -- nobody asks for evidence before the end
    "tool.finished": () => vouch(),
  },
});
definePolicy({
  name: "nudges",
  decide: {
    // @ts-expect-error -- a nudge waits for the next turn
    "tool.finished": (run) => (run.turn > 3 ? nudge("Stop reading.") : undefined),
    // @ts-expect-error -- and so does a review
    "model.answered": () => review({ kind: "k", text: "t" }),
  },
});

definePolicy({
  name: "last-fact",
  decide: {
    // @ts-expect-error -- after the last event there is nothing to decide
    "run.finished": () => undefined,
  },
});
definePolicy({
  name: "derived-fact",
  decide: {
    // @ts-expect-error -- derived events are observed, never decided on
    "nudge.sent": () => undefined,
  },
});

// Names that do not exist.

definePolicy({
  name: "fields",
  // @ts-expect-error -- no such event
  observe: { "tool.finishd": () => undefined },
  decide: {
    // @ts-expect-error -- an event has no "outptu"
    "tool.finished": (_run, _state, event) => (event.outptu === "" ? stop({ reason: "turn_limit" }) : undefined),
    // @ts-expect-error -- nor a run a "phaseEnty"
    "turn.started": (run) => (run.phaseEnty === "acting#1" ? nudge("a") : undefined),
  },
});
// @ts-expect-error -- a decider for no event
definePolicy({ name: "keys", decide: { "tool.finishd": () => undefined } });
// @ts-expect-error -- a policy has a name
definePolicy({ decide: { "turn.started": () => undefined } });
// @ts-expect-error -- a reason is one of a closed list
definePolicy({ name: "reason", decide: { "turn.started": () => stop({ reason: "becuase" }) } });

// State changes in observe only.

definePolicy({
  name: "state",
  initial: () => ({ count: 0 }),
  observe: {
    "tool.finished": (state) => {
      state.count += 1;
      // @ts-expect-error -- misspelt
      state.cuont = 0;
    },
  },
  decide: {
    "turn.started": (_run, state) => {
      // @ts-expect-error -- read-only while deciding
      state.count = 1;
      return undefined;
    },
  },
  wakeAt: (_run, state) => {
    // @ts-expect-error -- and while asking for the deadline
    state.count = 0;
    return undefined;
  },
});

// Phases: a policy fits every graph that has what it mentions.

createRun({
  graph: coding,
  policies: [repeated, verifyEdits, inPhase("acting", stallReminder()), inPhase(["acting", "verifying"], repeated)],
});
createRun({
  graph: coding,
  policies: [
    {
      name: "inline",
      decide: {
        "turn.started": (run) => (run.isIn("acting", "verifying") ? nudge("a") : undefined),
        "tool.finished": () => transition("acting"),
      },
    },
  ],
});
// @ts-expect-error -- the graph has no phase "reviewing"
createRun({ graph: coding, policies: [reviewing] });
// @ts-expect-error -- not in a bundle either
createRun({ graph: coding, policies: [[reviewing]] });
// @ts-expect-error -- nor without any graph
createRun({ policies: [reviewing] });
// @ts-expect-error -- "acitng" is not a phase
createRun({ graph: coding, policies: [inPhase("acitng", stallReminder())] });
// @ts-expect-error -- nor is it in a list
createRun({ graph: coding, policies: [inPhase(["acting", "verifing"], stallReminder())] });
// @ts-expect-error -- nor through other combinators
createRun({ graph: coding, policies: [withMode(cooldown(inPhase("acitng", stallReminder()), { turns: 3 }), "gate")] });
createRun({
  graph: coding,
  policies: [
    {
      name: "inline",
      decide: {
        // @ts-expect-error -- "acitng" is not a phase
        "turn.started": (run) => (run.isIn("acitng") ? nudge("a") : undefined),
        // @ts-expect-error -- nor can it be moved to
        "tool.finished": () => transition("acitng"),
      },
    },
  ],
});
definePolicy({
  name: "unmentioned",
  mentions: ["acting"],
  decide: {
    // @ts-expect-error -- a phase that is asked for has to be mentioned, so that it can be checked against the graph
    "turn.started": (run) => (run.isIn("verifying") ? nudge("a") : undefined),
  },
});

// Policies with different states fit one list, without a cast; so do bundles.

const policies = [repeated, stallReminder(), budget({ turns: 60 }), verifyEdits] as const;
createRun({ graph: coding, policies });
createRun({ graph: coding, policies: [[repeated, stallReminder()], budget({ turns: 60 }), [], [verifyEdits]] });
const list: PolicyList<CodingPhase> = [repeated, [stallReminder(), verifyEdits]];
createRun({ graph: coding, policies: list });
const generic: readonly Policy[] = [repeated, stallReminder(), budget({ tokens: 1 })];
createRun({ graph: coding, policies: generic });
createRun({ graph: coding, policies: [generic] });
// @ts-expect-error -- a function has a name as well, but is no policy: the brackets are missing
createRun({ graph: coding, policies: [stallReminder] });

// Combinators keep what a policy is.

expectTypeOf(cooldown(repeated, { turns: 3 })).toEqualTypeOf(repeated);
expectTypeOf(atMost(repeated, { times: 3 })).toEqualTypeOf(repeated);
expectTypeOf(atMost(repeated, { times: 1, per: "episode" })).toEqualTypeOf(repeated);
expectTypeOf(named(repeated, "again")).toEqualTypeOf(repeated);
expectTypeOf(withMode(repeated, "gate")).toEqualTypeOf(repeated);
expectTypeOf(mapDecisions(repeated, (decide) => decide())).toEqualTypeOf(repeated);
expectTypeOf(inPhase("acting", verifyEdits)).toEqualTypeOf<Policy<undefined, "acting" | "verifying">>();
createRun({ graph: coding, policies: [firstOf("first", [repeated, verifyEdits, stallReminder()])] });
// @ts-expect-error -- what one of them mentions, the whole mentions
createRun({ graph: coding, policies: [firstOf("first", [stallReminder(), reviewing])] });

// A key reads a state, typed and read-only.

const trackerKey = defineState<{ files: number }>("tracker");
definePolicy({ name: "tracker", key: trackerKey, initial: () => ({ files: 0 }) });
// @ts-expect-error -- the key is of another state
definePolicy({ name: "tracker", key: trackerKey, initial: () => ({ flies: 0 }) });
definePolicy({
  name: "reader",
  decide: {
    "turn.started": (run) => {
      const tracked = run.read(trackerKey);
      expectTypeOf(tracked).toEqualTypeOf<Readonly<{ files: number }> | undefined>();
      // @ts-expect-error -- somebody else's state is read, not changed
      if (tracked !== undefined) tracked.files = 0;
      return (tracked?.files ?? 0) > 9 ? nudge("Enough files.") : undefined;
    },
  },
});
