import { severityRank } from "@phasekit/core/account";
import type { Mode, RunView } from "@phasekit/core";
import type { BlindSpan } from "@phasekit/core/adapter";

/** The state of a session, for the status line and `doctor`. */
export interface SessionStatus {
  readonly mode: Mode;
  readonly state: "idle" | "running" | "waiting" | "stopped" | "ended";
  readonly phase?: string;
  readonly turns?: number;
  readonly toolCalls?: number;
  /** Input and output tokens of the model's answers, as far as the agent tells them. */
  readonly tokens?: number;
  /** Their cost in US dollars, where the agent reports it. */
  readonly cost?: number;
  /** The most severe open alert, such as `repeat ×4`. */
  readonly alert?: string;
  /** Gates the last finish did not meet. */
  readonly owed?: readonly string[];
  /** The last time in which the agent worked and Phasekit could not answer. */
  readonly blind?: BlindSpan;
}

export function sessionStatus({
  run,
  mode,
  owed = [],
  blind,
}: {
  readonly run: { readonly view: RunView } | undefined;
  readonly mode: Mode;
  readonly owed?: readonly string[];
  readonly blind?: BlindSpan;
}): SessionStatus {
  if (run === undefined) return { mode, state: "idle" };
  const { status, stopped, phase, turn, toolCalls, alerts, usage } = run.view;
  const tokens = usage.inputTokens + usage.outputTokens;
  const worst = [...alerts.values()].sort((a, b) => severityRank(b.severity) - severityRank(a.severity))[0];
  return {
    mode,
    state:
      status === "ended" ? "ended" : stopped !== undefined ? "stopped" : status === "suspended" ? "waiting" : "running",
    phase,
    turns: turn,
    toolCalls,
    ...(tokens > 0 && { tokens }),
    ...(usage.cost > 0 && { cost: usage.cost }),
    ...(worst !== undefined && { alert: worst.count > 1 ? `${worst.kind} ×${String(worst.count)}` : worst.kind }),
    ...(owed.length > 0 && { owed }),
    ...(blind !== undefined && { blind }),
  };
}
