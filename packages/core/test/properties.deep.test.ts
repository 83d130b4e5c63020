import fc from "fast-check";
import { depth, testList } from "@phasekit/tooling/test-depth";
import { describe, expect, it } from "vitest";
import {
  createRun,
  isHostEvent,
  type NewEvent,
  replayRun,
  type Run,
  type RunEvent,
  simulateRun,
} from "../src/index.ts";
import { derivedTypes, hostTypes } from "../src/events/run-event.ts";
import { edgesFrom } from "../src/graph/phase-graph.ts";
import { graph, history, hostFactsOf, noted, options, play, roundTrip, text } from "./histories.ts";

/** `PHASEKIT_PROPERTY_RUNS=1000` for the long search. */
const RUNS = { numRuns: depth({ quick: 40, full: 400, long: 5000 }) };
/** Fixed, so that the occurrence of every event type is certain and a failure comes back. */
const seed = 20_261_116;
const check = (body: (commands: Parameters<typeof play>[0], pick: number) => void, { numRuns } = RUNS): void => {
  fc.assert(fc.property(history, fc.nat(), body), { numRuns, seed });
};

/** Everything a policy could read, as text. */
function digest({ view }: Run<never> | Run): string {
  return JSON.stringify(view, (key, value: unknown) =>
    key === "graph"
      ? undefined
      : value instanceof Map
        ? [...(value as ReadonlyMap<unknown, unknown>)]
        : value instanceof Set
          ? [...(value as ReadonlySet<unknown>)]
          : value,
  );
}

const seen = new Set<string>();
const emitted = new Set<string>();

describe("random histories", () => {
  it("a random history replays as it was: live = replay", () => {
    check(
      (commands) => {
        const { run, log } = play(commands);
        for (const event of log) {
          seen.add(event.type);
          if (noted.is(event)) emitted.add(event.type);
        }
        const { run: replayed, missing } = replayRun(roundTrip(log), options());
        expect(missing).toEqual([]);
        expect(digest(replayed as Run)).toBe(digest(run as unknown as Run));
        // More than the others: these histories show that every type of event occurs.
      },
      { numRuns: depth({ quick: 150, full: 1000, long: 20_000 }) },
    );
  });

  it("a random history continues byte for byte after a cut at any event", () => {
    check((commands, pick) => {
      const { log } = play(commands);
      const whole = text(log);
      for (const cut of new Set([1 + (pick % log.length), 1 + ((pick * 7) % log.length), log.length])) {
        const { run, missing } = replayRun(roundTrip(log.slice(0, cut)), options());
        const resumed: RunEvent[] = [...roundTrip(log.slice(0, cut)), ...missing];
        run.subscribe((step) => resumed.push(...step));
        for (const event of roundTrip(log.slice(cut))) if (isHostEvent(event)) run.record(event as NewEvent);
        expect(text(resumed)).toBe(whole);
      }
    });
  });

  it("a random history is decided the same way when simulated with the same policies", () => {
    check((commands) => {
      const { log } = play(commands);
      const { divergedAt, events, avoided } = simulateRun(roundTrip(log), options());
      expect(divergedAt).toBeUndefined();
      expect(avoided).toEqual([]);
      expect(text(events)).toBe(text(log));
    });
  });

  it("a random history differs between the three modes only in what is applied", () => {
    check((commands) => {
      const facts = hostFactsOf(roundTrip(play(commands).log), isHostEvent);
      const logs = (["observe", "nudge", "gate"] as const).map((mode) => {
        const log: RunEvent[] = [];
        const run = createRun(options({ mode, clock: () => 1000 }));
        run.subscribe((step) => log.push(...step));
        for (const input of facts) run.record(input);
        return log.map((event) => JSON.stringify({ ...event, applied: undefined, mode: undefined })).join("\n");
      });
      expect(logs[1]).toBe(logs[0]);
      expect(logs[2]).toBe(logs[0]);
    });
  });

  it("a random history never leaves the graph", () => {
    check((commands) => {
      let skipped: string[] = [];
      for (const event of play(commands).log) {
        if (event.type === "phase.skipped") skipped.push(event.phase);
        if (event.type === "phase.rolled-back") skipped = [];
        if (event.type !== "phase.transition") continue;
        const reach = [event.from, ...skipped].flatMap((phase) => edgesFrom(graph, phase).map(({ to }) => to));
        expect(reach).toContain(event.to);
        skipped = [];
      }
    });
  });

  it("a random history records nothing but a resumption after the end, and numbers and times every event", () => {
    check((commands) => {
      const { log } = play(commands);
      log.forEach((event, index) => {
        const before = log[index - 1];
        expect(event.seq).toBe(index + 1);
        expect(event.at).toBeGreaterThanOrEqual(before?.at ?? 0);
        if (before?.type === "run.finished") expect(event.type).toBe("run.resumed");
      });
    });
  });

  it("a random history in mode nudge acts by nudges, and by limits the user set", () => {
    check((commands) => {
      for (const event of play(commands, { mode: "nudge" }).log) {
        if (event.type === "finish.vetoed") expect(event.applied).toBe(false);
        // One policy was given mode gate by name.
        if (event.type === "tool.refused") expect(event.applied).toBe(event.by === "strict");
        if (event.type === "stop.requested" && event.applied) expect(["budget", "user"]).toContain(event.by);
      }
    });
  });

  // Too few in the quick list to meet every type.
  it.skipIf(testList === "quick")("random histories together produce every type of event", () => {
    expect([...hostTypes, ...derivedTypes].filter((type) => !seen.has(type))).toEqual([]);
    expect([...emitted].sort()).toEqual(["event.emitted", "event.recorded"]);
  });
});

describe("streamed text", () => {
  it("streamed text gives the same answer however it is cut", () => {
    const chunk = fc.constantFrom("again and again ", "fine ", "x", "\n", "and ");
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 20 }),
        (parts, cuts) => {
          const whole = parts.join("");
          const stream = (pieces: readonly string[]) => {
            const run = createRun(options({ mode: "gate", clock: () => 1000 }));
            const log: RunEvent[] = [];
            run.subscribe((step) => log.push(...step));
            let stop = false;
            for (const piece of pieces) ({ stop } = run.text(piece));
            run.record({ type: "message.sent", text: whole });
            return { stop, log: text(log) };
          };
          const pieces: string[] = [];
          for (let at = 0, turn = 0; at < whole.length; turn += 1) {
            const length = cuts[turn % cuts.length] ?? 1;
            pieces.push(whole.slice(at, at + length));
            at += length;
          }
          const cutUp = stream(pieces);
          expect(cutUp).toEqual(pieces.length === 0 ? cutUp : stream([whole]));
        },
      ),
      { numRuns: RUNS.numRuns / 2, seed },
    );
  });
});
