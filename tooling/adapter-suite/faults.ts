import { codingRun, type CodingRunOptions } from "@phasekit/coding";
import { createRun, definePolicy, type Policy, type RunEvent, type RunPort, trackRun } from "@phasekit/core";
import type { AdapterHarness, SeenRequest } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { bash, edit, read, toyProject } from "./reacting-agent.ts";

const usage = { input: 1000, output: 50 };
const answers = [
  { calls: [read("src/sum.ts"), read("src/part-1.ts")], usage },
  { calls: [edit("src/sum.ts")], usage },
  { calls: [bash("npx vitest run")], usage },
  { text: "Done.", usage },
];

/** Ways to fail: throw, reject later, never answer. */
const failures: Readonly<Record<string, () => never>> = {
  throws: () => {
    throw new Error("broken");
  },
  "throws nothing": () => {
    // oxlint-disable-next-line typescript/only-throw-error -- that is the fault
    throw undefined;
  },
  rejects: () => Promise.reject(new Error("late")) as never,
  hangs: () => new Promise(() => undefined) as never,
};

const events = ["turn.started", "tool.requested", "tool.finished", "message.sent", "finish.requested"] as const;
const handlers = (fail: () => never): Record<string, () => never> =>
  Object.fromEntries(events.map((type) => [type, fail]));
const policy = (parts: object): Policy => definePolicy({ name: "broken", ...parts });

/** The parts of a run that are not ours, each failing from its first call on. */
const parts: Readonly<Record<string, (fail: () => never) => CodingRunOptions>> = {
  "a policy that observes": (fail) => ({ policies: [policy({ observe: handlers(fail) })] }),
  "a policy that decides": (fail) => ({ policies: [policy({ decide: handlers(fail) })] }),
  "a policy with deadlines": (fail) => ({ policies: [policy({ wakeAt: fail })] }),
  "a policy without a state": (fail) => ({ policies: [policy({ initial: fail })] }),
  "a watcher of text": (fail) => ({ policies: [policy({ watchText: () => ({ push: fail }) })] }),
  "an interpreter": (fail) => ({ interpret: { name: "broken", interpret: fail } }),
  "a clock": (fail) => ({ clock: fail }),
  "a redactor": (fail) => ({ redact: fail }),
  "a listener for errors": (fail) => ({ onError: fail }),
};

interface PlayResult {
  readonly text: string;
  readonly made: readonly string[];
  readonly requests: readonly SeenRequest[];
}

async function play(harness: AdapterHarness, run: RunPort, stream: boolean): Promise<PlayResult> {
  const { tools, made } = toyProject();
  const host = await harness.start({ prompt: "Fix it.", model: "m", models: {}, answers, tools, stream });
  try {
    const text = await trackRun(run, () => host.invoke(run));
    return { text, made, requests: host.requests() };
  } finally {
    await host.close?.();
  }
}

/** A fault inside Phasekit, or in what it was given, is not seen on the wire of the real host. Runs on vitest. */
export function describeFaults(harness: AdapterHarness): void {
  const streams = harness.cannot?.includes("stream") === true ? [false] : [false, true];
  const rows = Object.keys(parts).flatMap((part) => Object.keys(failures).map((way) => ({ part, way })));

  describe(`faults inside a run on ${harness.name}`, () => {
    it.each(rows)("$part that $way changes nothing for the host", async ({ part, way }) => {
      const fail = failures[way] as () => never;
      for (const stream of streams) {
        const plain = await play(harness, createRun({ mode: "observe" }), stream);
        const run = codingRun({ mode: "observe", ...parts[part]?.(fail) });
        // A subscriber that fails in the same way, before one that keeps the log.
        run.subscribe(fail);
        const log: RunEvent[] = [];
        run.subscribe((step) => void log.push(...step));
        const played = await play(harness, run, stream);
        expect([played.text, played.made]).toEqual([plain.text, plain.made]);
        expect(played.requests).toEqual(plain.requests);
        expect(log.some(({ type }) => type === "run.finished")).toBe(true);
        expect(log.filter(({ type }) => type === "tool.finished")).toHaveLength(4);
      }
    });
  });
}
