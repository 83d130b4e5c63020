// A model, tools and a clock that the drills of the engines share. Every effect leaves a line in a file, so that one
// which happens twice is seen; times depend on the steps alone, so that logs can be compared byte for byte.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentHost } from "./agent-loop.ts";
import { scriptedModel, scriptedTool } from "./script.ts";

/** Where the process kills itself: in a turn of a run, once. */
export interface KillPoint {
  readonly id: string;
  readonly turn: number;
}

type ScriptedHost = Pick<AgentHost, "id" | "model" | "tool" | "between">;

export function scriptedHost(id: string, { folder, kill }: { readonly folder: string; readonly kill?: KillPoint }): ScriptedHost {
  const effect = (name: string): void => appendFileSync(effectsFile(folder, id), `${name}\n`);
  return {
    id,
    model: (turn) => {
      effect(`model ${String(turn)}`);
      return scriptedModel(turn);
    },
    tool: (turn) => {
      effect(`tool ${String(turn)}`);
      return scriptedTool(turn);
    },
    between: (turn) => {
      const marker = join(folder, `${id}.killed`);
      if (kill?.id !== id || kill.turn !== turn || existsSync(marker)) return;
      writeFileSync(marker, "");
      process.kill(process.pid, "SIGKILL");
    },
  };
}

/** Steps with times that only depend on their place in the workflow. */
export function countedSteps(write: AgentHost["write"]): Required<Pick<AgentHost, "write" | "clock">> {
  let steps = 0;
  return {
    write: (name, work) => {
      steps += 1;
      return write(name, work);
    },
    clock: () => 1_700_000_000_000 + 1000 * steps,
  };
}

/** The file with the effects of a run. */
export function effectsFile(folder: string, id: string): string {
  return join(folder, `${id}.effects`);
}
