/** Members of facts that hold names, not text of the agent or its tools: a run cannot be replayed without them. */
export const factNames: ReadonlySet<string> = new Set(["type", "call", "run", "phase", "tool", "outcome", "reason", "mode", "by", "do", "to", "from", "entry", "actor", "kind", "severity", "verdict", "how", "why", "check", "status", "episode", "nudge", "child", "graph", "activity"]);
