import type { Mode, RunView } from "@phasekit/core";

/** The state of a session, for the status line and `doctor`. */
export interface SessionStatus {
  readonly mode: Mode;
  readonly state: "idle" | "running" | "waiting" | "stopped" | "ended";
  readonly phase?: string;
  readonly turns?: number;
  readonly toolCalls?: number;
  /** The most severe open alert, such as `repeat ×4`. */
  readonly alert?: string;
  /** Gates the last finish did not meet. */
  readonly owed?: readonly string[];
}

const SEVERITY = { notice: 0, warning: 1, critical: 2 } as const;

export function sessionStatus({
  run,
  mode,
  owed = [],
}: {
  readonly run: { readonly view: RunView } | undefined;
  readonly mode: Mode;
  readonly owed?: readonly string[];
}): SessionStatus {
  if (run === undefined) return { mode, state: "idle" };
  const { status, stopped, phase, turn, toolCalls, alerts } = run.view;
  const worst = [...alerts.values()].sort((a, b) => SEVERITY[b.severity] - SEVERITY[a.severity])[0];
  return {
    mode,
    state:
      status === "ended" ? "ended" : stopped !== undefined ? "stopped" : status === "suspended" ? "waiting" : "running",
    phase,
    turns: turn,
    toolCalls,
    ...(worst !== undefined && { alert: worst.count > 1 ? `${worst.kind} ×${String(worst.count)}` : worst.kind }),
    ...(owed.length > 0 && { owed }),
  };
}
