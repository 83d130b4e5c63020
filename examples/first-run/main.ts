// One agent loop, run in each of Phasekit's three modes. The loop is hand-written and asks Phasekit three questions.
import assert from "node:assert/strict";
import {
  budget,
  codingPhases,
  createRun,
  type Mode,
  nameTableInterpreter,
  type RunEvent,
  type RunOutcome,
  trackRun,
} from "@phasekit/core";
import { followWork, startEditing, testedFinish, testReader } from "./policies.ts";
import { createProject } from "./project.ts";
import { createScriptedModel, type Message } from "./scripted-model.ts";

async function runAgent(
  mode: Mode,
): Promise<{ readonly outcome: RunOutcome | undefined; readonly events: readonly RunEvent[] }> {
  const { tools } = createProject();
  const model = createScriptedModel();
  const messages: Message[] = [{ role: "user", text: "sum(2, 3) gives -1. Fix it." }];

  const run = createRun({
    graph: codingPhases,
    interpret: [testReader, nameTableInterpreter()],
    policies: [followWork, startEditing, testedFinish, budget({ turns: 30 })],
    mode,
    task: { text: "Fix sum" },
  });
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));

  await trackRun(run, () => {
    for (;;) {
      const turn = run.beforeTurn(); // question one: what must I tell the agent, must I stop?
      if (turn.stop) return;
      if (turn.message) messages.push({ role: "user", text: turn.message });

      const { text, call, usage } = model(messages);
      run.record({ type: "model.answered", usage });

      if (call) {
        // Question two: may it run?
        const { allow, call: id, text: refusal } = run.beforeTool({ tool: call.tool, input: call.input });
        const output = !allow
          ? refusal
          : call.tool === "set_phase"
            ? run.transition(call.input["to"] as "acting", { by: "agent" })
              ? "moved"
              : "That move is not allowed."
            : tools[call.tool]?.(call.input);
        if (allow) run.record({ type: "tool.finished", call: id, outcome: "ok", output });
        messages.push({ role: "tool", text: JSON.stringify(output) });
        continue;
      }
      messages.push({ role: "assistant", text: text ?? "" });
      run.record({ type: "message.sent", text: text ?? "" });
      const finish = run.beforeFinish(); // question three: is it really done?
      if (finish.accept) return;
      messages.push({ role: "user", text: finish.text });
    }
  });
  return { outcome: run.outcome, events };
}

/** The part of the log a person wants to see. */
function story(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "phase.transition":
        return [
          `phase    ${event.from} → ${event.to}: ${event.reason ?? ""} ` +
            `(${String(event.metrics.turns)} turns, ${String(event.metrics.toolCalls)} calls)`,
        ];
      case "phase.refused":
        return [`refused  ${event.actor} wanted ${event.to ?? ""}: ${event.text}`];
      case "nudge.sent":
        return [`${event.applied ? "nudge   " : "(nudge) "} ${event.text}`];
      case "finish.vetoed":
        return [`${event.applied ? "veto    " : "(veto)  "} ${event.text}`];
      case "run.finished":
        return [`end      ${event.reason} in ${event.phase}, verified: ${String(event.verified)}`];
      default:
        return [];
    }
  });
}

const outcomes: Partial<Record<Mode, RunOutcome>> = {};
const turns: Partial<Record<Mode, number>> = {};
for (const mode of ["observe", "nudge", "gate"] as const) {
  const { outcome, events } = await runAgent(mode);
  if (outcome) outcomes[mode] = outcome;
  turns[mode] = events.filter(({ type }) => type === "turn.started").length;
  console.log(`\n${mode.toUpperCase()} · ${String(turns[mode])} turns, ${String(events.length)} events`);
  for (const line of story(events)) console.log(`  ${line}`);
}
console.log("\n(in brackets: what a stricter mode would have done)");

// Agent and policies are the same in all modes; only how much reaches the agent differs.
assert.equal(outcomes.observe?.reason, "done_unverified");
assert.equal(outcomes.nudge?.reason, "done_unverified");
assert.deepEqual([outcomes.gate?.reason, outcomes.gate?.verified], ["done", true]);
assert.ok((turns.nudge ?? 0) < (turns.observe ?? 0), "a nudge saves turns");
