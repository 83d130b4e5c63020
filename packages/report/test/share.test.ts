import { gunzipSync } from "node:zlib";
import type { RunEvent } from "@phasekit/core";
import { codingRun } from "@phasekit/coding";
import { overviewOf } from "@phasekit/report";
import { createFolderReport, renderReport } from "@phasekit/report/node";
import { describe, expect, it } from "vitest";
import { goodRun, loopingRun } from "./sample-runs.ts";

const SECRET = `sk-proj-${"a1B2".repeat(12)}`;

/** A run whose texts name a person, a home, a project, a secret and what the work is about. */
function privateRun(): readonly RunEvent[] {
  const events: RunEvent[] = [];
  const run = codingRun({
    id: "/home/annabel/payroll/run-1",
    folder: "/home/annabel/payroll",
    task: { id: "PAYROLL-7", text: "Raise the salary of Zebediah Quimby in the payroll" },
    parent: { run: "annabel-1" },
  });
  run.subscribe((step) => events.push(...step));
  run.record({ type: "message.received", text: "Raise the salary of Zebediah Quimby in the payroll", from: "user" });
  run.beforeTurn();
  run.record({ type: "message.sent", text: "I look for Quimby in the payroll first." });
  const calls = [
    {
      tool: "Bash",
      input: { command: `TOKEN=${SECRET} cat /home/annabel/payroll/quimby.csv` },
      output: "Quimby;70000",
    },
    {
      tool: "Edit",
      input: { file_path: "/home/annabel/payroll/quimby.csv", old_string: "70000", new_string: "90000" },
      output: "The file /home/annabel/payroll/quimby.csv has been updated",
    },
    { tool: "read /home/annabel/diary for clues", input: {}, output: `no such tool, ${SECRET}` },
  ];
  for (const { tool, input, output } of calls) {
    const { call } = run.beforeTool({ tool, input });
    run.record({ type: "tool.finished", call, outcome: "ok", output });
  }
  run.beforeFinish({ text: "Zebediah Quimby earns 90000 now." });
  run.end({ error: new Error("annabel closed the payroll") });
  return events;
}

/** Everything a page holds, with its compressed parts. */
const contentOf = (html: string): string =>
  html.replaceAll(/(<script type="application\/gzip"[^>]*>)([^<]+)/g, (_all, tag: string, data: string) =>
    [tag, gunzipSync(Buffer.from(data, "base64")).toString()].join(""),
  );

describe("a page made to be shared", () => {
  const describeRun = (): { tool: string; project: string } => ({ tool: "Claude Code", project: "payroll" });
  const run = privateRun();

  it("holds no prompt, answer, tool text, home, name of a project or secret of its run", () => {
    const words = /annabel|quimby|zebediah|payroll|salary|90000|diary|a1B2a1B2/i;
    const whole = contentOf(renderReport([run], { redact: false, title: "The payroll of annabel", describeRun }));
    expect(whole).toMatch(words);
    const shared = contentOf(
      renderReport([run], { share: true, redact: false, title: "The payroll of annabel", describeRun }),
    );
    expect(words.exec(shared)?.[0]).toBe(undefined);
    const folder = createFolderReport({ share: true, title: "payroll", describeRun, maxBytes: 1 });
    folder.add(run);
    for (const [name, page] of folder.files())
      expect([name, words.exec(contentOf(page))?.[0]]).toEqual([name, undefined]);
  });

  it("tells how many texts were removed", () => {
    const index = /id="phasekit-index">([^<]*)/.exec(renderReport([run], { share: true }))?.[1] ?? "";
    expect((JSON.parse(index) as { readonly removed: unknown }).removed).toEqual({
      ...{ prompts: 1, answers: 1, inputs: 3, outputs: 3 },
    });
  });

  it("judges the run as the whole page does", () => {
    for (const events of [loopingRun(), goodRun(), loopingRun({ mode: "observe" })]) {
      const line = /id="phasekit-index">([^<]*)/.exec(renderReport([events], { share: true }))?.[1] ?? "";
      const [{ line: shared }] = (JSON.parse(line) as { readonly runs: readonly [{ readonly line: object }] }).runs;
      const { word, grade, calls, wastedCalls, loops, tokens, phases } = overviewOf(events).line;
      expect(shared).toMatchObject({
        ...{ word, calls, wastedCalls, phases },
        ...(grade !== undefined && { grade }),
        ...(loops !== undefined && { loops }),
        ...(tokens !== undefined && { tokens }),
      });
    }
  });
});
