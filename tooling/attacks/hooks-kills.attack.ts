import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import type { Attack, AttackReport, AttackTotal } from "./attack.ts";
import { createHookMachine, type HookMachine, quantile } from "./hook-machine.ts";
import { attackCommand } from "./run-attacks.ts";

const KILLS = Number(process.env["PHASEKIT_HOOK_KILLS"] ?? 70);
const SPOOLED = 2000;
const SLOW_MS = 2500;

const call = (session: string, id: string, name: "PreToolUse" | "PostToolUse"): object => ({
  session_id: session,
  hook_event_name: name,
  tool_name: "Read",
  tool_use_id: id,
  tool_input: { file_path: `/p/${id}.ts` },
  ...(name === "PostToolUse" && { tool_response: { text: id } }),
});
const prompt = (session: string): object => ({
  session_id: session,
  hook_event_name: "UserPromptSubmit",
  prompt: "Go.",
});
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How often each call has a result in the logs. */
function resultsByCall({ events }: HookMachine): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of events()) {
    const { type, call: id = "" } = JSON.parse(line) as { readonly type: string; readonly call?: string };
    if (type === "tool.finished") found.set(id, (found.get(id) ?? 0) + 1);
  }
  return found;
}

/** The last server reads what is left, and lets go of the logs. */
async function settle(machine: HookMachine): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    await machine.hook({ session_id: "last", hook_event_name: "SessionStart", source: "startup" });
    if (machine.spools().length === 0) break;
    await wait(500);
  }
  machine.signalServer("SIGTERM");
  for (let polls = 0; polls < 200 && machine.server() !== undefined; polls += 1) await wait(50);
}

function checkCalls(machine: HookMachine, made: readonly string[]): readonly string[] {
  const results = resultsByCall(machine);
  return [
    ...made.filter((id) => !results.has(id)).map((id) => `call ${id} is not in the log`),
    ...made.filter((id) => (results.get(id) ?? 0) > 1).map((id) => `call ${id} is in the log twice`),
    ...machine.spools().map((name) => `${name} was left`),
  ];
}

/** SIGKILL at any moment of two sessions: every call is stored once, and no hook fails. */
async function killsBetween({ pause }: AttackReport): Promise<AttackTotal> {
  const machine = createHookMachine();
  const failures: string[] = [];
  const times: number[] = [];
  const made: string[] = [];
  try {
    const hook = async (payload: object): Promise<void> => {
      const { code, ms } = await machine.hook(payload);
      times.push(ms);
      if (code !== 0) failures.push(`a hook exits with ${String(code)}`);
      if (ms > SLOW_MS) failures.push(`a hook took ${ms.toFixed(0)} ms`);
    };
    for (const session of ["a", "b"]) await hook(prompt(session));
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(kill, KILLS);
      const killed = wait((kill * 37) % 220).then(() => machine.signalServer("SIGKILL"));
      const sessions = ["a", "b"].map(async (session) => {
        const id = `${session}${String(kill)}`;
        made.push(id);
        await hook(call(session, id, "PreToolUse"));
        await hook(call(session, id, "PostToolUse"));
      });
      await Promise.all([killed, ...sessions]);
    }
    await settle(machine);
    failures.push(...checkCalls(machine, made));
  } finally {
    machine.remove();
  }
  const [load = 0] = loadavg();
  const note = [
    `${String(times.length)} hooks`,
    `p50 ${quantile(times, 0.5).toFixed(0)} ms`,
    `p99 ${quantile(times, 0.99).toFixed(0)} ms`,
    `load ${load.toFixed(1)}`,
  ].join(", ");
  return { area: "kill between events", tried: KILLS, failures, note };
}

/** SIGKILL while the server reads a spool: the next one reads the rest of it, and nothing twice. */
async function killsWhileSpooling({ pause }: AttackReport): Promise<AttackTotal> {
  const failures: string[] = [];
  const tried = 6;
  for (let kill = 0; kill < tried; kill += 1) {
    await pause(kill, tried);
    const machine = createHookMachine();
    try {
      const made = Array.from({ length: SPOOLED }, (_, index) => `c${String(index)}`);
      const payloads = [
        prompt("a"),
        ...made.flatMap((id) => [call("a", id, "PreToolUse"), call("a", id, "PostToolUse")]),
      ];
      const lines = payloads.map((payload, index) =>
        JSON.stringify({ id: `s${String(index)}`, agent: "claude-code", at: Date.now() - 60_000 + index, payload }),
      );
      writeFileSync(machine.paths.spool, `${lines.join("\n")}\n`, { mode: 0o600 });
      void machine.startServer();
      await wait(300 + kill * 250);
      machine.signalServer("SIGKILL");
      await settle(machine);
      failures.push(...checkCalls(machine, made).slice(0, 5));
    } finally {
      machine.remove();
    }
  }
  return { area: "kill while a spool is read", tried, failures, note: `${String(SPOOLED)} calls each` };
}

/** A server that is stopped is replaced: at most one event gets no answer. */
async function stopped({ pause }: AttackReport): Promise<AttackTotal> {
  const failures: string[] = [];
  const tried = 5;
  let lost = 0;
  for (let stop = 0; stop < tried; stop += 1) {
    await pause(stop, tried);
    const machine = createHookMachine();
    try {
      await machine.hook(prompt("a"));
      machine.signalServer("SIGSTOP");
      const before = machine.server();
      const answers: string[] = [];
      for (let event = 0; event < 2 && !answers.includes("refused"); event += 1) {
        // An agent may never change its own gate, so this is always answered.
        const { output } = await machine.hook({
          session_id: "a",
          hook_event_name: "PreToolUse",
          tool_name: "Write",
          tool_use_id: `w${String(event)}`,
          tool_input: { file_path: "/home/u/.phasekit/hooks.json", content: "{}" },
        });
        answers.push(output === "" ? "none" : "refused");
      }
      lost += answers.filter((answer) => answer === "none").length;
      if (machine.server() === before) failures.push("the stopped server was not replaced");
      if (!answers.includes("refused")) failures.push("two events after the stop, the gate was still off");
    } finally {
      machine.remove();
    }
  }
  return { area: "stopped server", tried, failures, note: `${String(lost)} events without an answer` };
}

const AREAS = {
  "kill between events": killsBetween,
  "kill while a spool is read": killsWhileSpooling,
  "stopped server": stopped,
};

/** Kills and stops of the local server of live sessions. */
export const attack: Attack = {
  name: "hooks-kills",
  areas: Object.keys(AREAS).length,
  run: async (report) => {
    for (const [area, attempt] of Object.entries(AREAS)) {
      report.now(area);
      report.total(await attempt(report));
    }
  },
};

if (import.meta.main) await attackCommand([attack]);
