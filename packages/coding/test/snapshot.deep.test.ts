import { createRun, type Run, type RunEvent, type RunSnapshot } from "@phasekit/core";
import { codingRunOptions, type CodingPhase } from "@phasekit/coding";
import { depth } from "@phasekit/tooling/test-depth";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

/** One thing a host does: a turn with a call, a message, a claim to be done, time that passes. */
type Act =
  | {
      readonly do: "call";
      readonly tool: string;
      readonly input: object;
      readonly output: string;
      readonly ok: boolean;
    }
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "finish"; readonly text: string }
  | { readonly do: "compact" }
  | { readonly do: "wait"; readonly ms: number };

const files = fc.constantFrom("src/a.ts", "src/b.ts", "test/a.test.ts", "README.md");
const outputs = fc.oneof(
  fc.constantFrom("ok", "# tests 2\n# pass 1\n# fail 1", "# tests 2\n# pass 2\n# fail 0", 'Missing script: "biuld"'),
  fc
    .array(fc.constantFrom("line one", "line two", "export const x = 1;", "42 items"), { maxLength: 6 })
    .map((lines) => lines.join("\n")),
);
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      tool: fc.constantFrom("Read", "Edit", "Grep"),
      input: files.map((file) => ({ file_path: file, old_string: "a", new_string: "b" })),
      output: outputs,
      ok: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      tool: fc.constant("Bash"),
      input: fc.constantFrom("npm test", "npm run biuld", "git diff", "ls src").map((command) => ({ command })),
      output: outputs,
      ok: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      text: fc.constantFrom("I look at it.", "Now the tests.", "Done."),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("finish" as const),
      text: fc.constantFrom("Done.", "All tests pass.", "I could not do it."),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "compact" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1000, 600_000) }) },
);

const options = () =>
  codingRunOptions({ mode: "gate", task: { text: "Fix total()" }, budget: { turns: 40, tokens: 60_000, extend: {} } });

/** Does one act; the result is everything the host got as an answer. */
function perform(
  run: Run<CodingPhase>,
  act: Act,
  { at, pass }: { readonly at: number; readonly pass: (ms: number) => void },
): unknown {
  const turn = run.beforeTurn();
  run.record({ type: "model.answered", usage: { inputTokens: 1000, outputTokens: 40 } });
  if (act.do === "wait") pass(act.ms);
  if (act.do === "compact") run.record({ type: "context.compacted", trigger: "auto" });
  if (act.do === "say") run.record({ type: "message.sent", text: act.text });
  if (act.do === "finish") return [turn, run.beforeFinish({ text: act.text })];
  if (act.do !== "call") return [turn, run.tick()];
  const answer = run.beforeTool({ call: `c${String(at)}`, tool: act.tool, input: act.input });
  const { output } = act;
  if (answer.allow)
    run.record({
      type: "tool.finished",
      call: answer.call,
      outcome: act.ok ? "ok" : "error",
      exitCode: act.ok ? 0 : 1,
      output,
    });
  return [turn, answer];
}

/** Plays acts, on a run of its own or on one that a snapshot continues, and returns its events and answers. */
function play(
  script: readonly Act[],
  { from, start = 0, cut }: { readonly from?: RunSnapshot; readonly start?: number; readonly cut?: number },
) {
  let now = 1_700_000_000_000;
  const pass = (ms: number): void => void (now += ms);
  // Time goes the same way in a run that starts in the middle.
  for (const act of script.slice(0, start)) pass(act.do === "wait" ? act.ms + 1000 : 1000);
  const run = createRun<CodingPhase>({
    ...options(),
    id: "run-1",
    clock: () => now,
    ...(from !== undefined && { from }),
  });
  const events: RunEvent[] = [];
  const answers: unknown[] = [];
  let snapshot: RunSnapshot | undefined;
  run.subscribe((step) => events.push(...step));
  for (const [index, act] of script.entries()) {
    if (index < start) continue;
    if (index === cut) snapshot = run.snapshot();
    pass(1000);
    answers.push(perform(run, act, { at: index, pass }));
  }
  run.end();
  return { events, answers, snapshot, outcome: run.outcome };
}

describe("snapshot of a coding run", () => {
  it("a run that a snapshot continues has the same events and answers, byte for byte, wherever it was taken", () => {
    fc.assert(
      fc.property(fc.array(acts, { minLength: 2, maxLength: 60 }), fc.nat(), (script, place) => {
        const cut = place % script.length;
        const live = play(script, { cut });
        const from = JSON.parse(JSON.stringify(live.snapshot)) as RunSnapshot;
        const rest = play(script, { from, start: cut });
        expect(rest.events.map((event) => JSON.stringify(event))).toEqual(
          live.events.filter(({ seq }) => seq > from.seq).map((event) => JSON.stringify(event)),
        );
        expect(JSON.stringify(rest.answers)).toBe(JSON.stringify(live.answers.slice(cut)));
        expect(rest.outcome).toEqual(live.outcome);
      }),
      { numRuns: depth({ quick: 100, full: 2000, long: 50_000 }) },
    );
  });

  it("the size of a snapshot does not grow with the run", () => {
    const sizes = [400, 4000].map((turns) => {
      const run = createRun<CodingPhase>({ ...codingRunOptions({ mode: "observe" }), id: "run-1", clock: () => 1000 });
      for (let at = 0; at < turns; at += 1)
        perform(
          run,
          {
            do: "call",
            tool: "Read",
            input: { file_path: `src/f${String(at % 300)}.ts` },
            output: `line ${String(at)}\nmore`,
            ok: true,
          },
          { at, pass: () => undefined },
        );
      return JSON.stringify(run.snapshot()).length;
    });
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 4);
    expect(sizes[1]).toBeLessThan(1_000_000);
  });
});
