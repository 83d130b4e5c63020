import type { JSX } from "preact";

const WAYS = [
  ["in your own agent", "codingRun({ store: true })"],
  ["in Claude Code, Codex and others", "npx phasekit init claude-code"],
  ["without an agent", "npx phasekit demo --keep .phasekit/runs"],
  ["from logs of the past", "npx phasekit report <folder>"],
] as const;

/** Says how a run gets here. */
export function EmptyFolder(): JSX.Element {
  return (
    <div class="card empty">
      <h2>No run is stored here yet</h2>
      <p class="quiet">A run appears on this page as soon as it starts.</p>
      <dl>
        {WAYS.map(([where, command]) => (
          <div key={where}>
            <dt>{where}</dt>
            <dd>
              <code>{command}</code>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
