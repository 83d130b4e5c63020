import { describe, expect, it } from "vitest";
import { bash, call, edit, read, text, times, user } from "./case-builders.ts";
import { type CaseEvent, startRun, tell } from "./case-driver.ts";

const failed = { ok: false } as const;

/** All kinds of alerts a case raises. */
function kindsOf(events: readonly CaseEvent[]): readonly string[] {
  const { run, log } = startRun();
  for (const event of events) tell(run, event);
  return [...new Set(log.flatMap((event) => (event.type === "alert.raised" ? [event.kind] : [])))];
}

// Incidents people reported, told again in our own words: what the detector that is made for them has to see.
const incidents: readonly { readonly incident: string; readonly kind: string; readonly events: readonly CaseEvent[] }[] = [
  {
    incident: "CopilotForXcode issue 402: the second change takes the first one back, and so on",
    kind: "edit-flip-flop",
    events: times(6, (n) => (n % 2 === 0 ? edit("View.swift", "var total", "let total: Int") : edit("View.swift", "let total: Int", "var total"))),
  },
  {
    incident: "command-code issue 512: contradictory edits of one handler, useless commands in between",
    kind: "edit-flip-flop",
    events: times(6, (n) => [
      call("write_file", { path: "toggle.js", content: n % 2 === 0 ? "return response.json()" : "return response.text()" }, "saved"),
      bash(`php artisan route:list --name=x${String(n)}`, `route ${String(n)}`),
    ]),
  },
  {
    incident: "blade-code issue 21: tests green, then searching and reading until the limit of turns",
    kind: "back-to-exploring",
    events: [
      call("Write", { file_path: "src/app.ts", content: "export {}" }, "ok"),
      bash("npx vitest run test/e2e.test.ts", " Test Files  1 passed (1)\n      Tests  8 passed (8)"),
      ...times(12, (n) => (n % 2 === 0 ? call("Grep", { pattern: `route${String(n)}` }, `src/app.ts:${String(n)}`) : read(`src/part${String(n)}.ts`))),
    ],
  },
  {
    incident: "jiuwenswarm issue 3560: a small patch, the same assertion, for fifteen rounds",
    kind: "red-test-loop",
    events: times(15, (n) => [edit("solver.py", `step_${String(n)}`, `step_${String(n + 1)}`), bash("pytest -x", `E  AssertionError: expected 4\nFAILED tests/test_solver.py::test_total\n1 failed, 3 passed in 0.${String(n + 1)}s`, failed)]),
  },
  {
    incident: "nanobot issue 923: the same confirmation, however often it is given",
    kind: "repeated-question",
    events: times(3, () => [text("I have a plan for the cleanup. Is it ok if I go ahead with the cleanup plan?"), user("ok, just do it")]),
  },
  {
    incident: "oh-my-openagent issue 3789: a small file, the same passages at ever new offsets",
    kind: "reread-range",
    events: [[1, 300], [20, 60], [80, 60], [170, 60], [148, 40], [124, 40], [104, 40], [92, 40]].map(([offset, limit]) => call("read", { filePath: "AGENTS.md", offset, limit }, `lines from ${String(offset)}`)),
  },
];

describe("reported incidents", () => {
  it.each(incidents)("$incident", ({ kind, events }) => {
    expect(kindsOf(events)).toContain(kind);
  });
});
