import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import type { Attack } from "./attack.ts";
import { createHookMachine, median, quantile } from "./hook-machine.ts";
import { attackCommand } from "./run-attacks.ts";

const LIMIT_MS = 50;
const LIMIT_MB = 300;
const CALLS = 13;
/** A model thinks, a tool runs: a session sends its next event after this time on average. */
const PAUSE_MS = 3000;

interface SessionFigures {
  readonly sessions: number;
  readonly times: readonly number[];
  readonly megabytes: number;
  readonly failures: readonly string[];
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sessions side by side, each with its own pace; from the request to the answer, over the socket. */
async function measure(sessions: number): Promise<SessionFigures> {
  const machine = createHookMachine();
  const times: number[] = [];
  const failures: string[] = [];
  try {
    await machine.startServer();
    const send = async (payload: object): Promise<void> => {
      const startedAt = performance.now();
      await machine.send(payload).catch((error: unknown) => failures.push(String(error)));
      times.push(performance.now() - startedAt);
    };
    const work = async (session: number): Promise<void> => {
      const about = { session_id: `s${String(session)}` };
      await pause((session * PAUSE_MS) / sessions);
      await send({ ...about, hook_event_name: "UserPromptSubmit", prompt: `Fix ${String(session)}.` });
      for (let index = 0; index < CALLS; index += 1) {
        const call = {
          tool_name: index % 3 === 0 ? "Edit" : "Read",
          tool_use_id: `t${String(index)}`,
          tool_input: { file_path: `/p/${String(index % 3 === 0 ? 0 : index)}.ts`, old_string: "a", new_string: "b" },
        };
        for (const name of ["PreToolUse", "PostToolUse"]) {
          await pause(PAUSE_MS / 2);
          await send({ ...about, hook_event_name: name, ...call, tool_response: { text: "x".repeat(2000) } });
        }
      }
    };
    await Promise.all(Array.from({ length: sessions }, (_, session) => work(session)));
    const status = readFileSync(`/proc/${String(machine.server())}/status`, "utf8");
    const megabytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
    return { sessions, times, megabytes, failures };
  } finally {
    machine.remove();
  }
}

const COUNTS = [20, 80, 200];

/** Many live sessions: latency grows with load, and not at a number of sessions. */
export const attack: Attack = {
  name: "hooks-sessions",
  areas: COUNTS.length,
  run: async ({ now, pause, total }) => {
    let few: number | undefined;
    for (const [index, count] of COUNTS.entries()) {
      now(`${String(count)} live sessions`);
      await pause(index, COUNTS.length);
      const { sessions, times, megabytes, failures } = await measure(count);
      const p50 = median(times);
      few ??= p50;
      const [load = 0] = loadavg();
      total({
        area: `${String(sessions)} live sessions`,
        tried: times.length,
        failures: [
          ...failures,
          ...(p50 > LIMIT_MS ? [`p50 ${p50.toFixed(1)} ms is over ${String(LIMIT_MS)} ms`] : []),
          ...(p50 > 2 * few ? [`p50 ${p50.toFixed(1)} ms is over twice that of ${String(COUNTS[0])} sessions`] : []),
          ...(megabytes > LIMIT_MB ? [`${megabytes.toFixed(0)} MB is over ${String(LIMIT_MB)} MB`] : []),
        ],
        note: [
          `p50 ${p50.toFixed(1)} ms`,
          `p99 ${quantile(times, 0.99).toFixed(1)} ms`,
          `${megabytes.toFixed(0)} MB`,
          `load ${load.toFixed(1)}`,
        ].join(", "),
      });
    }
  },
};

if (import.meta.main) await attackCommand([attack]);
