import type { RecordedEvent, RecordedRun, RecordedTool } from "./recorded-run.ts";

/** Where the success of a call comes from: the set's own flag, or only what a host knows. */
export type OkSource = "given" | "host";

/** The run as a host would have seen it. Everything that depends on the origin of a run is in this file. */
export function toHostView(run: RecordedRun): RecordedRun {
  const echoes = run.set === "agents-study" && run.label?.agent === "repairagent";
  const events = run.events
    .filter(({ by }) => by !== "user") // SUPER: steps a person took before the agent began
    .map((event): RecordedEvent => {
      if (event.type !== "tool") return event;
      const output = textOf(event.output);
      return { ...event, name: toolName(run.set, event.name), output: echoes ? withoutEcho(output) : output };
    });
  return { ...run, events };
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : output === undefined || output === null ? "" : JSON.stringify(output);
}

/** RepairAgent's log appends the next action to each result. A host does not see it there. */
function withoutEcho(output: string): string {
  const whole = output.replace(/\s*;? *Action at iteration ?\d+ :[^]*$/, "");
  // The start of the echo may lie in the part that was cut out of a long output.
  return whole === output ? output.replace(/\n…\[cut \d+ chars\]…\n[^]*\}\}\s*$/, "\n…") : whole;
}

const SWE_AGENT_TOOLS = new Set(
  (
    "open goto scroll_down scroll_up create search_dir search_file find_file edit submit exit_cost exit_context " +
    "exit_forfeit exit_format DISCUSSION close"
  ).split(" "),
);

/** The neutral form names SWE-agent's shell calls by their first word; a host calls the tool "bash". */
function toolName(set: string, name: string): string {
  return set.startsWith("sweagent") && !SWE_AGENT_TOOLS.has(name) ? "bash" : name;
}

const FINISH_TOOLS = new Set(["finish", "submit", "attempt_completion", "final_answer", "exit_cost"]);
// mini-swe-agent ends when the output begins with the word: a program before it makes the call a call.
const FINISH_COMMAND = /^\s*echo\s+["']?(?:COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT)/;

/** True for a call by which the agent ends its run. It is not played as a tool. */
export function isFinish({ name, args }: Pick<RecordedTool, "name" | "args">): boolean {
  return FINISH_TOOLS.has(name) || FINISH_COMMAND.test(commandOf(args));
}

/** The `command` argument as text, or "". */
export function commandOf(args: unknown): string {
  const command = args !== null && typeof args === "object" && "command" in args ? args.command : undefined;
  return typeof command === "string" || Array.isArray(command) ? command.toString() : "";
}

const EXIT_CODES = [
  /<returncode>(-?\d+)<\/returncode>/g,
  /\[Command finished with exit code (-?\d+)\]/g,
  /\[The command completed with exit code (-?\d+)/g,
  /Process exited with code (-?\d+)/g,
  /^Exit code:? (-?\d+)/gm,
  /completed with exit code (-?\d+)/g,
];

/** The exit code an output names, if its format has one. */
export function exitCodeOf(output: string): number | undefined {
  for (const rule of EXIT_CODES) {
    const last = [...output.matchAll(rule)].at(-1);
    if (last !== undefined) return Number(last[1]);
  }
  return undefined;
}

/**
 * True if a call succeeded. The flag of sweagent, super, intercode, mint and aider is a word rule that errs both ways.
 */
export function succeeded({ label }: RecordedRun, { ok, output }: RecordedTool, source: OkSource): boolean {
  if (source === "given" || label?.ok_source === "flag") return ok !== false;
  const code = exitCodeOf(output);
  return code === undefined || code === 0;
}
