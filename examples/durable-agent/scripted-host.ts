// A model and tools that the drills of the engines share. Every effect leaves a line in a file, so that one which
// happens twice is seen.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentHost } from "./agent-loop.ts";
import { scriptedModel, scriptedTool } from "./script.ts";

/** Where the process kills itself: in a turn of a run, once. */
export interface KillPoint {
  readonly id: string;
  readonly turn: number;
}

/** How a worker behaves. */
export interface WorkerOrders {
  readonly kill?: KillPoint;
  /** Runs other policies than the workers before, as a new deployment may. */
  readonly isChanged?: boolean;
}

type ScriptedHost = Pick<AgentHost, "id" | "model" | "tool" | "between" | "without">;

export function scriptedHost(id: string, folder: string, { kill, isChanged = false }: WorkerOrders): ScriptedHost {
  const effect = (name: string): void => appendFileSync(effectsFile(folder, id), `${name}\n`);
  return {
    id,
    without: isChanged ? ["reminders"] : [],
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

/** The file with the effects of a run. */
export function effectsFile(folder: string, id: string): string {
  return join(folder, `${id}.effects`);
}
