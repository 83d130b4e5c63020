import { describe, expect, it } from "vitest";
import { loggedRun, stored } from "../__fixtures__/logged-run.ts";
import type { NewEvent, RunEvent } from "../events/run-event.ts";
import { hashText } from "../text/hash.ts";
import type { Interpreter } from "./interpreter.ts";
import { isUnread } from "../events/is-unread.ts";
import type { JsonObject } from "../text/json.ts";
import { definePolicy } from "../policies/policy.ts";
import { createRun } from "../run/run.ts";
import { checkEvent } from "./check-event.ts";

const input = (value: unknown): NewEvent => value as NewEvent;
const unreadable = (): NewEvent => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return input(proxy);
};

describe("checkEvent", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["nothing", undefined, [": an event is an object with a type"]],
    ["a text", "turn.started", [": an event is an object with a type"]],
    ["an object without a type", {}, ["type: undefined is not the type of a host event"]],
    ["a type nobody knows", { type: "turn.begun" }, ['type: "turn.begun" is not the type of a host event']],
    ["a member of every object", { type: "toString" }, ['type: "toString" is not the type of a host event']],
    ["a derived event", { type: "nudge.sent" }, ['type: "nudge.sent" is not the type of a host event']],
    [
      "every issue at once",
      { type: "tool.finished", tool: "", outcome: "maybe", exitCode: Number.NaN, durationMs: -1 },
      [
        "tool: expected a text that is not empty, found string",
        'outcome: expected one of "ok", "error", "denied", found string',
        "exitCode: expected a finite number, found number",
        "durationMs: expected a number that is not negative, found number",
      ],
    ],
    [
      "members inside lists",
      { type: "todos.updated", todos: [{ status: "done" }, { status: 3 }, "x", null] },
      [
        "todos[1].status: expected a text that is not empty, found number",
        "todos[2]: expected an object, found string",
        "todos[3]: expected an object, found null",
      ],
    ],
    [
      "members of a map",
      { type: "output.produced", counts: { files: 2, tests: "many" } },
      ["counts.tests: expected a number that is not negative, found string"],
    ],
    ["a list for a map", { type: "output.produced", counts: [1] }, ["counts: expected an object, found a list"]],
    [
      "members inside members",
      { type: "model.answered", usage: { inputTokens: -5 } },
      ["usage.inputTokens: expected a number that is not negative, found number"],
    ],
    ["what is missing", { type: "quota.observed" }, ["remaining: is missing"]],
    ["null where something is needed", { type: "progress.made", what: null }, ["what: expected a text, found null"]],
    [
      "a flag that is a word",
      { type: "finish.requested", canVeto: "no" },
      ["canVeto: expected true or false, found string"],
    ],
    ["a message without text or length", { type: "message.sent" }, ["length: is missing", "hash: is missing"]],
    [
      "a meaning that is a word",
      { type: "tool.requested", tool: "Read", meaning: "read" },
      ["meaning: expected an object, found string"],
    ],
    ["a list that is none", { type: "todos.updated", todos: {} }, ["todos: expected a list, found object"]],
  ])("checkEvent names what is wrong with %s", (_what, value, issues) => {
    expect(checkEvent(value).map(({ path, message }) => `${path}: ${message}`)).toEqual(issues);
  });

  it.each<[string, NewEvent]>([
    ["the least a result needs", { type: "tool.finished", tool: "Read", outcome: "ok" }],
    ["a result whose tool the run knows from the request", { type: "tool.finished", call: "c", outcome: "ok" }],
    ["a message by its text", { type: "message.sent", text: "hi" }],
    ["a message by its length and hash", { type: "message.received", length: 2, hash: "x" }],
    ["null for a member that may be absent", input({ type: "turn.started", prompt: null })],
    ["members nobody knows", input({ type: "turn.started", extra: 1 })],
  ])("checkEvent finds nothing wrong with %s", (_what, value) => {
    expect(checkEvent(value)).toEqual([]);
  });
});

describe("an event that is wrong", () => {
  it.each<[string, unknown, string]>([
    ["a wrong member", { type: "quota.observed", remaining: "much" }, "quota.observed"],
    ["an unknown type", { type: "weather.changed" }, "weather.changed"],
    ["a derived type", { type: "phase.transition", from: "a", to: "b" }, "phase.transition"],
    ["no object", 7, "number"],
    ["null", null, "object"],
  ])("an event with %s is recorded as rejected and changes nothing", (_what, value, rejected) => {
    const { run, log, of } = loggedRun();
    const { turn, phase } = run.view;
    expect(run.record(input(value))).toBe(false);
    expect(log).toHaveLength(2);
    expect(of("event.rejected")[0]).toMatchObject({
      type: "event.rejected",
      seq: 2,
      rejected,
      ...(value !== null && { excerpt: value }),
    });
    expect(of("event.rejected")[0]?.issues.length).toBeGreaterThan(0);
    expect(run.view).toMatchObject({ turn, phase, seq: 2 });
  });

  it.each<[string, () => NewEvent]>([
    [
      "a type that cannot be read",
      () =>
        input({
          get type(): string {
            throw new Error("gone");
          },
        }),
    ],
    [
      "a member that cannot be read",
      () =>
        input({
          type: "tool.requested",
          tool: "Read",
          get input(): string {
            throw new Error("gone");
          },
        }),
    ],
    ["members that are gone", unreadable],
  ])("an event with %s does not throw at the host", (_what, make) => {
    const { run, of } = loggedRun();
    expect(run.record(make())).toBe(false);
    expect(of("event.rejected")).toHaveLength(1);
    expect(run.record({ type: "turn.started" })).toBe(true);
  });

  it("a wrong event is not recorded when the run has ended", () => {
    const { run, log } = loggedRun();
    run.end();
    const { length } = log;
    expect(run.record(input({ type: "weather.changed" }))).toBe(false);
    expect(log).toHaveLength(length);
  });

  it("a second result of one call is rejected", () => {
    const { run, of } = loggedRun();
    run.beforeTool({ call: "c1", tool: "Read" });
    expect(run.record({ type: "tool.finished", call: "c1", outcome: "ok" })).toBe(true);
    expect(run.record({ type: "tool.finished", call: "c1", tool: "Read", outcome: "ok" })).toBe(false);
    expect(of("event.rejected")[0]?.issues).toEqual([{ path: "call", message: "this call has its result already" }]);
    expect(run.view.toolCalls).toBe(1);
  });

  it("an answer to a review that no policy requested is rejected", () => {
    const { run, of } = loggedRun();
    expect(run.record({ type: "review.finished", review: "r:1", verdict: "approve" })).toBe(false);
    expect(of("event.rejected")[0]?.issues).toEqual([
      { path: "review", message: "no such review is waiting for an answer" },
    ]);
  });

  it("a second start is refused without a trace", () => {
    const { run, log } = loggedRun();
    expect(run.record(input({ ...log[0] }))).toBe(false);
    expect(log).toHaveLength(1);
  });
});

describe("an ingested event", () => {
  it("an ingested event has its members in one order, whatever the source's order, and nothing else", () => {
    const members = {
      type: "tool.finished",
      call: "c1",
      tool: "Bash",
      agent: "dev",
      loop: "fix",
      at: 1200,
      outcome: "error",
      exitCode: 1,
      output: "no",
      durationMs: 5,
      input: { b: 1, a: 2 },
      meaning: { mutates: true, activity: "run" },
      extra: 1,
    };
    const backwards = Object.fromEntries(Object.entries(members).reverse());
    const texts = [members, backwards].map((value) => {
      const { run, log } = loggedRun();
      expect(run.record(input(value))).toBe(true);
      return JSON.stringify(log[1], undefined, 1);
    });
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toMatchInlineSnapshot(
      `
      "{
       "type": "tool.finished",
       "seq": 2,
       "at": 1200,
       "agent": "dev",
       "turn": 1,
       "call": "c1",
       "index": 0,
       "loop": "fix",
       "tool": "Bash",
       "outcome": "error",
       "input": {
        "b": 1,
        "a": 2
       },
       "output": "no",
       "exitCode": 1,
       "durationMs": 5,
       "meaning": {
        "activity": "run",
        "mutates": true
       }
      }"
    `,
    );
  });

  it("an ingested event keeps the host's own members, as JSON", () => {
    const { run, log } = loggedRun();
    run.record(input({ type: "turn.started", host: { id: 12n } }));
    expect(log[1]).toMatchObject({ host: { id: "[bigint 12]" } });
  });

  it.each([
    { what: "no time", at: undefined, expected: 1500 },
    { what: "a later time", at: 9000, expected: 9000 },
    { what: "an earlier time, which never runs backwards", at: 5, expected: 1000 },
    { what: "a time that is no number", at: Number.NaN, expected: 1500 },
  ])("an event with $what is stamped $expected", ({ at, expected }) => {
    const { run, clock, log } = loggedRun();
    clock.advance(500);
    run.record({ type: "turn.started", at });
    expect(log[1]?.at).toBe(expected);
  });

  it("ingestion leaves out names that are empty or of another type, and shortens long ones", () => {
    const { run, log } = loggedRun();
    run.record(input({ type: "turn.started", agent: "", loop: 5 }));
    run.record(input({ type: "turn.started", agent: "a".repeat(500) }));
    expect(Object.keys(log[1] ?? {})).toEqual(["type", "seq", "at", "turn"]);
    expect(log[2]?.agent?.length).toBeLessThanOrEqual(200);
  });

  it("ingestion numbers calls without an id, and places the parallel calls of a turn", () => {
    const { run, log } = loggedRun();
    run.record({ type: "turn.started" });
    run.record({ type: "tool.requested", tool: "Read" });
    run.record({ type: "tool.requested", tool: "Grep", call: "mine" });
    run.record({ type: "tool.requested", tool: "Read" });
    run.record({ type: "tool.finished", call: "mine", outcome: "ok" });
    run.record({ type: "turn.started" });
    run.record({ type: "tool.finished", call: "call-1", outcome: "ok" });
    run.record({ type: "tool.requested", tool: "Read" });
    expect(log.slice(2).map(({ type, call, turn, index }) => [type, call, turn, index])).toEqual([
      ["tool.requested", "call-1", 1, 0],
      ["tool.requested", "mine", 1, 1],
      ["tool.requested", "call-3", 1, 2],
      ["tool.finished", "mine", 1, 1],
      ["turn.started", undefined, 2, undefined],
      // A late result belongs to the turn that asked for it.
      ["tool.finished", "call-1", 1, 0],
      ["tool.requested", "call-4", 2, 0],
    ]);
  });

  it("ingestion takes the tool of a result from its request, and keeps a call's id whatever its length", () => {
    const call = "x".repeat(500);
    const { run, of } = loggedRun();
    run.record({ type: "turn.started" });
    run.beforeTool({ call, tool: "Read", input: { path: "a.ts" } });
    expect(run.record({ type: "tool.finished", call, outcome: "ok" })).toBe(true);
    expect(of("tool.finished")[0]).toMatchObject({ tool: "Read", index: 0 });
    expect(run.view.pending.size).toBe(0);
    expect(run.view.toolCalls).toBe(1);
  });

  it("ingestion stores a message as length, hash and excerpt", () => {
    const { run, of } = loggedRun({ clip: { text: 100 } });
    const text = "word ".repeat(1000);
    run.record({ type: "message.sent", text });
    run.record({ type: "message.received", text: "go on", from: "lead" });
    const [sent] = of("message.sent");
    expect(sent).toMatchObject({ length: 5000, hash: hashText(text) });
    expect(sent?.excerpt).toMatch(/^word .*characters cut/s);
    expect(sent?.excerpt?.length).toBeLessThanOrEqual(100);
    expect(sent).not.toHaveProperty("text");
    expect(of("message.received")[0]).toMatchObject({ length: 5, excerpt: "go on", from: "lead" });
  });

  it("an ingested event is clipped to the limits, and ingesting it again changes nothing", () => {
    const big: readonly NewEvent[] = [
      {
        type: "tool.requested",
        call: "c",
        tool: "Write",
        input: {
          path: "a.ts",
          text: "x".repeat(50_000),
          lines: Array.from({ length: 900 }, (_, n) => `line ${String(n)}`),
        },
      },
      { type: "tool.finished", call: "c", outcome: "ok", output: { stdout: "o".repeat(50_000), exitCode: 0 } },
      { type: "tool.finished", tool: "Bash", outcome: "ok", output: "o".repeat(50_000) },
      { type: "message.sent", text: "m".repeat(50_000) },
      { type: "plan.declared", text: "p".repeat(50_000) },
    ];
    const first = loggedRun();
    for (const value of big) first.run.record(value);
    const again = loggedRun();
    for (const event of stored(first.log).slice(1)) again.run.record(input(event));
    expect(JSON.stringify(again.log)).toBe(JSON.stringify(first.log));
    expect(first.of("tool.requested")[0]?.input).toMatchObject({ path: "a.ts" });
    expect(first.of("tool.finished")[0]?.output).toMatchObject({ exitCode: 0 });
    expect(first.of("tool.finished")[1]?.output as string).toMatch(/^o{2000,}\n… \[\d+ characters cut\] …\no{2000,}$/);
    expect(first.of("plan.declared")[0]?.text?.length).toBeLessThanOrEqual(2048);
    for (const event of first.log) expect(JSON.stringify(event).length).toBeLessThan(20_000);
  });
});

describe("interpreters during ingestion", () => {
  const named = (name: string, interpret: Interpreter["interpret"]): Interpreter => ({ name, version: "2", interpret });

  it("interpreters see the raw call and the raw result", () => {
    const seen: unknown[] = [];
    const { run } = loggedRun({
      clip: { input: 50, output: 50 },
      interpret: named("spy", (call, result) => {
        seen.push(call, result);
        return undefined;
      }),
    });
    const input = { path: "x".repeat(500) };
    const output = { exitCode: 3, stdout: "y".repeat(500) };
    run.record({ type: "tool.requested", tool: "Bash", call: "c", input });
    run.record({ type: "tool.finished", tool: "Bash", outcome: "error", output, exitCode: 3, input });
    expect(seen).toEqual([
      { tool: "Bash", input },
      undefined,
      { tool: "Bash", input },
      { outcome: "error", output, exitCode: 3 },
    ]);
  });

  it("the first interpreter of a list that sets a field wins, field by field", () => {
    const { run, of, log } = loggedRun({
      interpret: [
        named("first", () => ({ activity: "test" })),
        named("silent", () => undefined),
        named("second", () => ({ activity: "run", mutates: false, targets: ["a.ts"] })),
      ],
    });
    run.record({ type: "tool.requested", tool: "Bash" });
    expect(of("tool.requested")[0]?.meaning).toEqual({ activity: "test", mutates: false, targets: ["a.ts"] });
    expect(log[0]).toMatchObject({
      interpreters: [
        { name: "first", version: "2" },
        { name: "silent", version: "2" },
        { name: "second", version: "2" },
      ],
    });
  });

  it("the meaning of the request fills what the result leaves open", () => {
    const { run, of } = loggedRun({
      interpret: named("i", (_call, result) =>
        result === undefined ? { activity: "run", targets: ["a"] } : { activity: "test" },
      ),
    });
    run.record({ type: "tool.requested", tool: "Bash", call: "c" });
    run.record({ type: "tool.finished", call: "c", outcome: "ok" });
    expect(of("tool.finished")[0]?.meaning).toEqual({ activity: "test", targets: ["a"] });
  });

  it("interpreters are not asked when the host provides the meaning, nor about other events", () => {
    let asked = 0;
    const { run, of } = loggedRun({
      interpret: named("i", () => {
        asked += 1;
        return {};
      }),
    });
    run.record({ type: "tool.requested", tool: "Bash", call: "c", meaning: { activity: "edit" } });
    run.record({ type: "tool.finished", call: "c", outcome: "ok", meaning: { activity: "edit" } });
    run.record({ type: "turn.started" });
    expect(asked).toBe(0);
    expect(of("tool.finished")[0]).toMatchObject({ tool: "Bash", meaning: { activity: "edit" } });
  });

  it("a factory makes one interpreter per run, so that each run has its own memory", () => {
    const factory = (): Interpreter => {
      let calls = 0;
      return named("counter", () => ({ fingerprint: `n${String((calls += 1))}` }));
    };
    const logs = [1, 2].map(() => {
      const { run, of } = loggedRun({ interpret: [factory] });
      run.record({ type: "tool.requested", tool: "A" });
      run.record({ type: "tool.requested", tool: "A" });
      return of("tool.requested").map(({ meaning }) => meaning.fingerprint);
    });
    expect(logs).toEqual([
      ["n1", "n2"],
      ["n1", "n2"],
    ]);
  });

  it("an interpreter that throws is recorded and skipped; after three failures it is not asked again", () => {
    let asked = 0;
    const { run, of } = loggedRun({
      interpret: [
        named("broken", () => {
          asked += 1;
          throw new RangeError("no such shell");
        }),
        named("fine", () => ({ activity: "run" })),
      ],
    });
    for (let n = 0; n < 5; n += 1) expect(run.record({ type: "tool.requested", tool: "Bash" })).toBe(true);
    expect(asked).toBe(3);
    expect(of("tool.requested").map(({ meaning }) => meaning.activity)).toEqual(["run", "run", "run", "run", "run"]);
    expect(of("policy.failed")).toHaveLength(3);
    expect(of("policy.failed")[0]).toMatchObject({
      policy: "broken",
      by: "broken",
      during: "interpret",
      message: "RangeError: no such shell",
    });
    expect(of("tool.requested")[0]?.faults).toEqual([
      { name: "broken", during: "interpret", message: "RangeError: no such shell" },
    ]);
    expect(of("tool.requested")[3]?.faults).toBeUndefined();
  });

  it("a call says in its meaning that an interpreter failed on it, or is not asked any more", () => {
    const { run, of } = loggedRun({
      interpret: [
        named("broken", ({ tool }) => {
          if (tool === "Bash") throw new RangeError("no such shell");
          return { activity: "read" };
        }),
        named("fine", () => ({ mutates: false })),
      ],
    });
    run.record({ type: "tool.requested", tool: "Read" });
    for (let n = 0; n < 3; n += 1) run.record({ type: "tool.finished", tool: "Bash", outcome: "ok" });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok", meaning: { activity: "read" } });
    expect([...of("tool.requested"), ...of("tool.finished")].map(({ meaning }) => meaning)).toEqual([
      { activity: "read", mutates: false },
      { mutates: false, unread: true },
      { mutates: false, unread: true },
      { mutates: false, unread: true },
      { mutates: false, unread: true },
      { activity: "read" },
    ]);
  });

  it("a call stays unread if only its request could not be read", () => {
    const { run, of } = loggedRun({
      interpret: named("half", (_call, result) => {
        if (result === undefined) throw new RangeError("not yet");
        return { activity: "read" };
      }),
    });
    run.record({ type: "tool.requested", call: "c", tool: "Bash", input: { command: "ls" } });
    run.record({ type: "tool.finished", call: "c", outcome: "ok" });
    expect(of("tool.finished")[0]?.meaning).toEqual({ activity: "read", unread: true });
  });

  it("a call the redactor failed on is unread, and so is its result", () => {
    let failing = true;
    const { run, of } = loggedRun({
      redact: (json) => {
        if (failing) throw new RangeError("too long");
        return json;
      },
      interpret: named("i", () => ({ activity: "run" })),
    });
    run.record({ type: "tool.requested", call: "c", tool: "Bash", input: { command: "echo x > a.ts" } });
    failing = false;
    run.record({ type: "tool.finished", call: "c", outcome: "ok" });
    run.record({ type: "tool.finished", tool: "Bash", outcome: "ok" });
    expect([...of("tool.requested"), ...of("tool.finished")].map(({ meaning }) => meaning)).toEqual([
      { activity: "run", unread: true },
      { activity: "run", unread: true },
      { activity: "run" },
    ]);
    expect(isUnread(of("tool.requested")[0] as never)).toBe(true);
    // A log of an earlier version has the fault alone.
    expect(isUnread({ meaning: {}, faults: [{ name: "i", during: "interpret", message: "no" }] })).toBe(true);
    expect(isUnread({ meaning: {}, faults: [{ name: "c", during: "clock", message: "no" }] })).toBe(false);
    expect(isUnread({ meaning: {} })).toBe(false);
  });

  it.each([
    ["of the wrong shape", () => ({ targets: "a.ts" }), "TypeError: meaning.targets: expected a list, found string"],
    [
      "with a member that throws",
      () => ({
        tests: {
          get verdict() {
            throw new RangeError("no verdict");
          },
        },
      }),
      "TypeError: meaning: RangeError: no verdict",
    ],
    [
      "that is a promise",
      () => Promise.reject(new Error("late")),
      "TypeError: it returned a promise: an interpreter answers synchronously",
    ],
  ])("an answer %s costs the event its meaning and nothing else", (_what, answer, message) => {
    const { run, of } = loggedRun({
      interpret: [named("sloppy", answer as never), named("good", () => ({ activity: "read" }))],
    });
    expect(run.record({ type: "tool.requested", tool: "Read", input: { path: "a.ts" } })).toBe(true);
    expect(of("tool.requested")[0]).toMatchObject({
      input: { path: "a.ts" },
      meaning: { activity: "read", unread: true },
    });
    expect(of("policy.failed")).toMatchObject([{ policy: "sloppy", during: "interpret", message }]);
  });
});

describe("redaction", () => {
  const hide = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/sk-[a-z0-9]+/g, "[secret]"));
  const redact = (json: JsonObject): JsonObject => hide(json) as JsonObject;

  it("redaction happens before clipping, so that a secret on the cut does not survive in part", () => {
    const { run, of } = loggedRun({ redact, clip: { text: 100 } });
    const text = `${"a".repeat(28)}sk-0123456789abcdef${"b".repeat(500)}`;
    run.record({ type: "message.sent", text });
    expect(JSON.stringify(of("message.sent"))).not.toMatch(/sk-|0123/);
    expect(of("message.sent")[0]?.hash).toBe(
      hashText(text.replace("sk-0123456789abcdef", "[secret]").replace(/\[secret\]b+$/, "[secret]")),
    );
  });

  it("redaction sees meaning, input, output and the start of the run", () => {
    const { run, log } = loggedRun({
      redact,
      task: { text: "use sk-abc1" },
      interpret: { name: "i", interpret: () => ({ activity: "run", targets: ["sk-abc2"], notes: { key: "sk-abc3" } }) },
    });
    run.record({ type: "tool.requested", tool: "Bash", call: "c", input: { command: "curl sk-abc4" } });
    run.record({
      type: "tool.finished",
      call: "c",
      outcome: "error",
      output: { stdout: "sk-abc5" },
      error: { message: "sk-abc6" },
    });
    run.record(input({ type: "tool.finished", outcome: "sk-abc7" }));
    expect(JSON.stringify(log)).not.toContain("sk-");
    expect(JSON.stringify(log).match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(7);
  });

  it("redaction does not touch what identifies an event", () => {
    const { run, of } = loggedRun({ redact: (json) => ({ ...json, type: "turn.started", call: "other" }) });
    run.record({ type: "tool.requested", tool: "Bash", call: "c" });
    expect(of("tool.requested")[0]).toMatchObject({ call: "c" });
  });

  const broken = [
    [
      "throws",
      (): JsonObject => {
        throw new Error("out of patterns at secret");
      },
      "Error [withheld]",
    ],
    ["gives no object back", (): JsonObject => "oops" as never, "TypeError: the redactor gave no object back"],
    ["gives null back", (): JsonObject => null as never, "TypeError: the redactor gave no object back"],
    [
      "gives a promise back",
      (): JsonObject => Promise.reject(new Error("secret")) as never,
      "TypeError: the redactor returned a promise: it answers synchronously",
    ],
  ] as const;

  it.each(broken)(
    "redaction that %s fails closed: nothing that might hold a secret is stored",
    (_what, failing, message) => {
      const { run, log, of } = loggedRun({
        redact: failing,
        task: { text: "secret" },
        interpret: {
          name: "i",
          interpret: () => ({ activity: "edit", mutates: true, targets: ["secret"], notes: "secret" }),
        },
      });
      const facts: readonly NewEvent[] = [
        { type: "turn.started", prompt: "secret" },
        { type: "tool.requested", tool: "Bash", call: "c", input: { command: "secret" } },
        {
          type: "tool.finished",
          call: "c",
          outcome: "error",
          exitCode: 2,
          output: "secret",
          error: { message: "secret" },
        },
        { type: "message.sent", text: "secret" },
        { type: "message.received", text: "secret" },
        { type: "progress.made", what: "secret" },
        { type: "todos.updated", todos: [{ text: "secret", status: "secret" }] },
        { type: "event.recorded", name: "lesson", data: { text: "secret" } },
        { type: "event.recorded", name: "lesson", data: "secret" },
        { type: "event.recorded", name: "lesson", data: ["secret"] },
        { type: "claim.submitted", claim: "c", data: { text: "secret" } },
        { type: "model.failed", status: 500, message: "secret" },
        { type: "plan.declared", text: "secret" },
        { type: "output.produced", counts: { files: 3 } },
        { type: "quota.observed", remaining: 3 },
      ];
      for (const value of facts) expect(run.record(value), value.type).toBe(true);
      expect(JSON.stringify(log)).not.toContain("secret");
      expect(of("tool.finished")[0]).toMatchObject({
        tool: "Bash",
        call: "c",
        outcome: "error",
        exitCode: 2,
        meaning: { activity: "edit", mutates: true },
      });
      expect(of("message.sent")[0]).toMatchObject({ excerpt: "[withheld]" });
      expect(of("output.produced")[0]).toMatchObject({ counts: { files: 3 } });
      expect(of("quota.observed")[0]).toMatchObject({ remaining: 3 });
      // It stays in charge however often it fails: every event says so.
      expect(log.filter((event) => "faults" in event)).toHaveLength(facts.length + 1);
      expect(of("policy.failed")[0]).toMatchObject({ policy: "redact", during: "redact", message });
    },
  );

  it("redaction hides what an interpreter's error quotes from a result", () => {
    const { run, log } = loggedRun({
      redact,
      interpret: {
        name: "i",
        interpret: (_call, result) => {
          if (result !== undefined) JSON.parse(result.output as string);
          return {};
        },
      },
    });
    run.record({ type: "tool.finished", tool: "Bash", outcome: "ok", output: "sk-abc1" });
    expect(JSON.stringify(log)).not.toContain("sk-abc1");
    expect(log.some(({ type }) => type === "policy.failed")).toBe(true);
  });

  it("a redactor that removes what the run needs to start is refused immediately", () => {
    expect(() => createRun({ redact: () => ({}) })).toThrowErrorMatchingInlineSnapshot(
      `[PhasekitError: The option "redact" is wrong: it takes away what a run needs to start.]`,
    );
  });

  it("policies and subscribers see exactly the stored event", () => {
    const seen: unknown[] = [];
    const { run, log } = loggedRun({
      redact,
      policies: [
        definePolicy({
          name: "spy",
          observe: {
            "plan.declared": (_state, event) => {
              seen.push(event);
            },
          },
        }),
      ],
    });
    run.record({ type: "plan.declared", text: "use sk-abc1" });
    expect(seen).toEqual([log[1]]);
    expect(log[1]).toMatchObject({ text: "use [secret]" });
  });
});

describe("a result too large to ingest whole", () => {
  it("a result too large to ingest whole is stored with its call and meaning, also with a redactor", () => {
    const { run, of } = loggedRun({ redact: (input) => input });
    const { call } = run.beforeTool({ tool: "Read", input: { file_path: "a.json" } });
    expect(
      run.record({
        type: "tool.finished",
        call,
        outcome: "ok",
        output: Array.from({ length: 20_000 }, (_, n) => ({ n })),
      }),
    ).toBe(true);
    expect(of("tool.finished")[0]).toMatchObject({ tool: "Read", meaning: { activity: "read", targets: ["a.json"] } });
    expect(run.view.pending.size).toBe(0);
  });
});

it("an interpreter and a redactor that both fail are both recorded; the first one's message is withheld", () => {
  const broken: Interpreter = {
    name: "broken",
    interpret: () => {
      throw new Error("saw sk-secret");
    },
  };
  const { run, of } = loggedRun({
    interpret: broken,
    redact: (input) => {
      if (input["type"] === "tool.finished") throw new Error("no");
      return input;
    },
  });
  run.record({ type: "tool.finished", tool: "Read", outcome: "ok", output: "sk-secret" });
  expect(of("policy.failed").map(({ policy, during, message }) => [policy, during, message])).toEqual([
    ["redact", "redact", "Error [withheld]"],
    ["broken", "interpret", "[withheld]"],
  ]);
  expect(JSON.stringify(of("tool.finished"))).not.toContain("sk-secret");
});

it.each([
  { event: { outcome: "ok", exitCode: 0 }, result: { outcome: "ok", exitCode: 0 } },
  { event: { outcome: "error" }, result: { outcome: "error" } },
  { event: { outcome: "denied" }, result: { outcome: "denied" } },
] as const)("an interpreter gets $result", ({ event, result }) => {
  const seen: unknown[] = [];
  const watching: Interpreter = {
    name: "watching",
    interpret: (_call, told) => {
      seen.push(told);
      return {};
    },
  };
  const { run } = loggedRun({ interpret: watching });
  run.record({ type: "tool.finished", tool: "Read", output: "x", ...event });
  expect(seen).toEqual([{ output: "x", ...result }]);
});

describe("the request an interpreter sees with a result", () => {
  const told = (finished: { readonly call?: string; readonly input?: unknown }): readonly unknown[] => {
    const seen: unknown[] = [];
    const watching: Interpreter = {
      name: "watching",
      interpret: (_call, result, before) => {
        seen.push(before);
        return result === undefined ? { fingerprint: "f1" } : {};
      },
    };
    const naming: Interpreter = { name: "naming", interpret: () => ({ activity: "read" }) };
    const { run } = loggedRun({ interpret: [watching, naming] });
    run.record({ type: "tool.requested", call: "c1", tool: "Read", input: { path: "a" } });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok", ...finished });
    return seen;
  };

  it("the request an interpreter sees has the meaning of all interpreters", () => {
    expect(told({ call: "c1" })).toEqual([undefined, { fingerprint: "f1", activity: "read" }]);
  });

  it("an interpreter sees no request of another call, or when the result repeats the input", () => {
    expect(told({ call: "c2" })).toEqual([undefined, undefined]);
    expect(told({ call: "c1", input: { path: "b" } })).toEqual([undefined, undefined]);
  });
});

it("an event with a count named failed is ingested, and replays the same", () => {
  const { run, of } = loggedRun();
  expect(run.record({ type: "check.finished", check: "tests", outcome: "failure", passed: 3, failed: 2 })).toBe(true);
  expect(of("check.finished")[0]).toMatchObject({ passed: 3, failed: 2 });
  expect(of("policy.failed")).toEqual([]);
});

it("call ids up to 200 characters are kept; longer ones are shortened and remain distinct", () => {
  const { run, of } = loggedRun();
  const ids = [200, 201, 202].map((length) => "c".repeat(length));
  for (const call of ids) run.record({ type: "tool.finished", call, tool: "Read", outcome: "ok" });
  const stored = of("tool.finished").map(({ call = "" }) => call);
  expect(stored[0]).toBe(ids[0]);
  expect(stored.slice(1).every((call) => call.startsWith("c".repeat(180) + "#") && call.length < 200)).toBe(true);
  expect(new Set(stored).size).toBe(3);
});

it.each([
  ["a text", "disk full", { message: "disk full" }],
  ["a thrown value", new TypeError("disk full"), { name: "TypeError", message: "disk full" }],
  ["its fields", { message: "disk full", code: "ENOSPC" }, { message: "disk full", code: "ENOSPC" }],
])("the error of a call may be %s, also with a redactor", (_what, error, stored) => {
  for (const redact of [undefined, <T>(value: T): T => value]) {
    const run = createRun(redact === undefined ? {} : { redact });
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    expect(run.record({ type: "tool.finished", tool: "Bash", outcome: "error", error })).toBe(true);
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({ error: stored });
  }
});
