// Imported by the hook command for the status line: no imports but these.
import { readFileSync } from "node:fs";
import { exchange } from "./exchange.ts";
import type { HookPaths } from "./hook-paths.ts";
import { rootProblem } from "./root-problem.ts";

/** A request of the user's commands to the local server. */
export type ControlRequest =
  | { readonly op: "status"; readonly session?: string; readonly cwd?: string }
  | {
      readonly op: "waive";
      readonly gate: string;
      readonly reason: string;
      readonly byAgent?: boolean;
      readonly session?: string;
      readonly cwd?: string;
    }
  | { readonly op: "ping" }
  | { readonly op: "shutdown" };

/** Options for `askControl()`. */
export interface AskControlOptions {
  readonly limitMs: number;
  /** The listener has to prove that it is our server before it gets the request. @default true */
  readonly prove?: boolean;
}

/** Sends a request of the user to the local server; resolves with its answer, or undefined if there is no server. */
export async function askControl(
  paths: HookPaths,
  request: ControlRequest,
  { limitMs, prove = true }: AskControlOptions,
): Promise<unknown> {
  if (rootProblem(paths) !== undefined) return undefined;
  try {
    const readKey = (): string => readFileSync(paths.key, "utf8");
    const isProof = prove || paths.mustProve;
    const reply = await exchange({ head: request }, { address: paths.control, limitMs, ...(isProof && { readKey }) });
    return JSON.parse(reply) as unknown;
  } catch {
    return undefined;
  }
}
