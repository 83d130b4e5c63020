import type { Run, RunOptions } from "../../run/run.ts";
import type { AdapterSkill, HostAbility, ScriptedAgent, ScriptedTool, SeenRequest } from "../adapter-harness.ts";

/** One story every adapter must tell the same way. */
export interface Scenario {
  readonly name: string;
  readonly needs?: readonly HostAbility[];
  /** Skills the adapter has to declare. */
  readonly skills?: readonly AdapterSkill[];
  readonly agent: Partial<ScriptedAgent> & Pick<ScriptedAgent, "answers">;
  readonly run?: RunOptions;
  /** Done to the run before the host is invoked. */
  readonly prepare?: (run: Run) => void;
  /** The host's last text; absent when the host rejects. */
  readonly text?: string;
  /** Fields the hosts need not agree on here, besides those that are never compared. */
  readonly ignore?: readonly string[];
  readonly check?: (requests: readonly SeenRequest[]) => void;
}

/** The prompt of every scripted agent. */
export const PROMPT = "Fix the sum.";

/** The tools of every scripted agent. */
export const scriptedTools: readonly ScriptedTool[] = [
  { name: "read_file", execute: (input) => `text of ${pathOf(input)}` },
  { name: "edit_file", execute: (input) => `wrote ${pathOf(input)}` },
  { name: "run_tests", execute: () => ({ exitCode: 0, stdout: "1 passed" }) },
  {
    name: "broken_tool",
    execute: () => {
      throw new Error("disk is full");
    },
  },
  { name: "deploy", execute: () => "deployed", denied: "A person said no." },
];

/** A call of a scripted tool. */
export const read = (path: string): { readonly tool: string; readonly input: unknown } => ({
  tool: "read_file",
  input: { path },
});
export const edit = (path: string): { readonly tool: string; readonly input: unknown } => ({
  tool: "edit_file",
  input: { path },
});
export const test = { tool: "run_tests", input: {} };

function pathOf(input: unknown): string {
  return String((input as { readonly path?: unknown } | undefined)?.path);
}

/** The events and the wire a scenario must lead to. */
export interface ExpectedResult {
  /** Every event after the header, a line each; an indented line continues the one before it. */
  readonly events: string;
  /** The last request: role by role, the tools called in brackets, Phasekit's own messages marked. */
  readonly wire: string;
}
