/** An agent that exited, as its supervisor knows it. */
export interface ExitedAgent {
  /** Which start of the agent exited. @default 1 */
  readonly generation?: number;
  /** The newest start. @default the same */
  readonly current?: number;
  readonly shutdown?: boolean;
}

/** Whether an agent that exited unexpectedly is started again: not while shutting down, and not for an outdated start. */
export function mayRestart({ generation = 1, current = generation, shutdown = false }: ExitedAgent): boolean {
  return !shutdown && generation === current;
}
