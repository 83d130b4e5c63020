import type { Mode, RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { codingRun } from "../src/index.ts";

function startRun({ mode = "gate", task }: { readonly mode?: Mode; readonly task: string }) {
  let time = 0;
  const run = codingRun({ id: "run", mode, task: { text: task }, clock: () => (time += 1) });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  const of = <K extends RunEvent["type"]>(type: K) =>
    log.filter((event): event is Extract<RunEvent, { type: K }> => event.type === type);
  /** One turn with one call; false if the run ended or the call was refused. */
  const call = (tool: string, input: object, { ok = true, output }: { ok?: boolean; output: string }): boolean => {
    if (run.beforeTurn().stop !== undefined || run.view.stopped !== undefined) return false;
    const answer = run.beforeTool({ tool, input });
    if (!answer.allow) return false;
    run.record({ type: "tool.finished", call: answer.call, outcome: ok ? "ok" : "error", output });
    return true;
  };
  return { run, of, call };
}

describe("the judgement of codingRun", () => {
  it("codingRun stops 20 equal calls of a missing compiler whose error only moves its line number", () => {
    const { of, call } = startRun({ task: "Fix the build." });
    const made = Array.from({ length: 20 }, (_, n) =>
      call(
        "bash",
        { command: "javac A.java" },
        { ok: false, output: `bash: line ${31 + 15 * n}: javac: command not found` },
      ),
    );
    expect(made.filter(Boolean).length).toBeLessThan(8);
    expect(of("alert.raised").map(({ kind }) => kind)).toContain("stall");
    expect(of("nudge.sent").some(({ text }) => text.includes("javac A.java"))).toBe(true);
    expect(of("tool.refused").length + of("stop.requested").length).toBeGreaterThan(0);
  });

  it("codingRun sends no nudge in a conversation in which the user answers every text", () => {
    const { run, of, call } = startRun({ task: "I want to return my order." });
    for (let n = 0; n < 12; n += 1) {
      run.beforeTurn();
      run.record({ type: "message.sent", text: `Could you tell me the number of order ${n}, please?` });
      run.record({ type: "message.received", text: `It is W${n}${n}${n}.` });
      if (n % 3 === 0)
        call("get_order_details", { order_id: `W${n}` }, { output: `{"id":"W${n}","item":"lamp ${n}"}` });
    }
    expect([...of("nudge.sent"), ...of("alert.raised")]).toEqual([]);
  });

  it("codingRun does not ask for a change in a review that only reads", () => {
    const { run, of, call } = startRun({
      task: "Review the payment module and list its problems. Do not edit anything.",
    });
    for (let n = 0; n < 40; n += 1)
      call(
        "Read",
        { file_path: `src/pay/${n}.ts` },
        { output: `export function pay${n}() {\n  return ${n} * rate${n};\n}` },
      );
    for (let n = 0; n < 8; n += 1) call("Read", { file_path: "src/pay/1.ts" }, { output: "export function pay1() {}" });
    run.record({ type: "message.sent", text: "Three problems: no rounding, no retry, no limit." });
    const said = of("nudge.sent").map(({ text }) => text);
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((text) => /\b(?:edit|fix|implement|change the code|make the change)/i.test(text))).toEqual([]);
    expect(run.beforeFinish().accept).toBe(true);
  });

  it("codingRun counts the failures when a nudge is sent, not when its alert was raised", () => {
    const { run, of } = startRun({ mode: "nudge", task: "Make the tests pass." });
    const finish = (tool: string, input: object, { ok, output }: { ok: boolean; output: string }): void => {
      const { call } = run.beforeTool({ tool, input });
      run.record({ type: "tool.finished", call, outcome: ok ? "ok" : "error", output });
    };
    run.beforeTurn();
    for (let n = 0; n < 6; n += 1) finish("query", { table: `t${n}` }, { ok: false, output: "no such database" });
    expect(of("alert.raised").map(({ kind }) => kind)).toContain("stall");
    for (const file of ["a", "b"]) finish("Read", { file_path: file }, { ok: true, output: `the text of ${file}` });
    run.record({ type: "model.answered" });
    run.beforeTurn();
    const said = of("nudge.sent").map(({ text }) => text);
    expect(said.some((text) => text.includes("4 of your last 6 calls failed"))).toBe(true);
  });
});
