import { expectTypeOf } from "vitest";
import {
  createRun,
  definePhaseGraph,
  defineState,
  type NewEvent,
  nameTableInterpreter,
  replayRun,
  type Run,
  type RunEvent,
  type RunPort,
  simulateRun,
  stallReminder,
  trackRun,
} from "../index.ts";

const coding = definePhaseGraph({
  initial: "exploring",
  phases: { exploring: { next: ["acting"] }, acting: { next: ["verifying"] }, verifying: { next: [], final: true } },
});
type CodingPhase = "exploring" | "acting" | "verifying";

// Everything may be left out.

expectTypeOf(createRun()).toEqualTypeOf<Run<"working">>();
expectTypeOf(createRun({})).toEqualTypeOf<Run<"working">>();
expectTypeOf(createRun({ policies: [stallReminder()], mode: "gate" })).toEqualTypeOf<Run<"working">>();
const run = createRun({ graph: coding, interpret: [nameTableInterpreter(), () => nameTableInterpreter()] });
expectTypeOf(run).toEqualTypeOf<Run<CodingPhase>>();

// @ts-expect-error -- misspelt
createRun({ graph: coding, polices: [] });
// @ts-expect-error -- no such mode
createRun({ graph: coding, mode: "strict" });

// Phases are those of the graph.

run.transition("acting", { from: "exploring", by: "agent", outcome: "completed" });
run.rollback("acting");
run.rollback("acting#2");
run.skip("verifying", { why: "Nothing to verify." });
run.view.isIn("acting", "verifying");
// @ts-expect-error -- misspelt
run.transition("acitng");
// @ts-expect-error -- misspelt
run.transition("acting", { from: "explorin" });
// @ts-expect-error -- misspelt
run.rollback("acitng#2");
// @ts-expect-error -- misspelt
run.skip("verifing", { why: "Nothing to verify." });
// @ts-expect-error -- a skip has a reason
run.skip("verifying");
// @ts-expect-error -- misspelt
run.view.isIn("acitng");
// @ts-expect-error -- no such field
expectTypeOf(run.view.phaseEnty);
// @ts-expect-error -- the view is for reading
run.view.turn = 3;

// Adapters take any run; a function for the runs of one graph takes no others.

declare function withPhases(port: RunPort): void;
withPhases(run);
withPhases(createRun());
withPhases(run.child({ graph: coding }));
expectTypeOf(run.child({ graph: coding })).toEqualTypeOf<Run<CodingPhase>>();
expectTypeOf(run.child()).toEqualTypeOf<Run<"working">>();
expectTypeOf(trackRun(run, () => Promise.resolve(3))).toEqualTypeOf<Promise<number>>();
declare function codingOnly(of: Run<CodingPhase>): void;
codingOnly(run);
// @ts-expect-error -- it would be moved to phases it does not have
codingOnly(createRun());
// @ts-expect-error -- nor does what is expected of a run give it phases
codingOnly(run.child());
// @ts-expect-error -- nor when it is read back
codingOnly(replayRun([]).run);

// Events: only what a host may tell.

run.record({ type: "turn.started" });
run.record({ type: "tool.finished", tool: "Read", outcome: "ok", output: { lines: 3 } });
run.record({ type: "tool.finished", call: "c1", outcome: "error", error: { message: "no such file" } });
run.record({ type: "message.sent", text: "Hello" });
const told: NewEvent[] = [{ type: "progress.made", what: "a test passes" }];
told.forEach(run.record);
// @ts-expect-error -- no such event
run.record({ type: "tool.finishd", tool: "Read", outcome: "ok" });
// @ts-expect-error -- the run alone derives events
run.record({ type: "nudge.sent", nudge: "n1" });
// @ts-expect-error -- the run alone says that it started
run.record({ type: "run.started" });
// @ts-expect-error -- without an outcome nobody knows how it went
run.record({ type: "tool.finished", tool: "Read" });
// @ts-expect-error -- no such outcome
run.record({ type: "tool.finished", tool: "Read", outcome: "okay" });
// @ts-expect-error -- misspelt
run.record({ type: "tool.finished", tool: "Read", outcome: "ok", outptu: "" });

// A host's own interfaces go in as they are: the run makes JSON of them.

interface ReadInput {
  readonly path: string;
  readonly range?: { readonly from: number; readonly to?: number };
  readonly since: Date;
}
declare const input: ReadInput;
run.beforeTool({ call: "c1", tool: "Read", input });
run.record({ type: "tool.requested", tool: "Read", input });
run.record({ type: "tool.finished", tool: "Read", outcome: "ok", input, output: new Map([["a", input]]) });
run.record({ type: "event.recorded", name: "mine", data: input });
run.transition("acting", { data: input });
run.end({ error: new Error("no") });

// Answers say in their type what is there.

const tool = run.beforeTool({ tool: "Read" });
expectTypeOf(tool.call).toEqualTypeOf<string>();
expectTypeOf(tool.text).toEqualTypeOf<string | undefined>();
if (!tool.allow) expectTypeOf(tool.text).toEqualTypeOf<string>();
const finish = run.beforeFinish();
if (finish.accept) expectTypeOf(finish.verified).toEqualTypeOf<boolean>();
else expectTypeOf(finish.text).toEqualTypeOf<string>();

// A key reads a state from outside as well.

const key = defineState<{ count: number }>("mine");
expectTypeOf(run.view.read(key)).toEqualTypeOf<Readonly<{ count: number }> | undefined>();

// Reading back gives the same kind of run.

declare const log: readonly unknown[];
expectTypeOf(replayRun(log, { graph: coding }).run).toEqualTypeOf<Run<CodingPhase>>();
expectTypeOf(replayRun(log, { graph: coding }).missing).toEqualTypeOf<readonly RunEvent[]>();
expectTypeOf(simulateRun(log, { graph: coding }).run).toEqualTypeOf<Run<CodingPhase>>();
expectTypeOf(simulateRun(log).run).toEqualTypeOf<Run<"working">>();

// The type of an event says what it carries, and `cause` whether somebody told it.

run.subscribe((step) => {
  for (const event of step) {
    if (event.type === "phase.transition") expectTypeOf(event.to).toEqualTypeOf<string>();
    if (event.type === "tool.finished") expectTypeOf(event.outcome).toEqualTypeOf<"ok" | "error" | "denied">();
    if (event.cause !== undefined) expectTypeOf(event.by).toEqualTypeOf<string>();
    // @ts-expect-error -- events are for reading
    event.seq = 0;
  }
});
