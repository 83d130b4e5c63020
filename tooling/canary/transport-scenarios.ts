import type { CanaryAgent } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import type { Step } from "./model-server.ts";
import { installHooks, removeHooks } from "./run-phasekit.ts";
import { finishScript, resetProject, type Stage } from "./stage.ts";

const readScript: readonly Step[] = [
  ...Array.from({ length: 20 }, (_, index): Step => ({ shell: `echo ${String(index)}` })),
  { text: "Read." },
];

/** The other ways to reach Phasekit hold as well; the cost of each is printed. */
export async function otherWays(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  const gap = async (): Promise<number> => {
    await driveAgent(agent, { scene, server, script: readScript });
    const gaps = server.gaps().toSorted((a, b) => a - b);
    return gaps[Math.floor(gaps.length / 2)] ?? 0;
  };
  const gaps: [string, number][] = [["default", await gap()]];
  for (const transport of agent.transports ?? []) {
    await installHooks(agent.name, scene, { mode: "gate", transport });
    resetProject(scene);
    const run = await driveAgent(agent, { scene, server, script: finishScript });
    const vetoes = run.requests.filter((body) => body.includes("phasekit waive tests-fresh")).length;
    const ok = run.requests.length === 4 && vetoes === 2;
    checks.push({ what: `${transport}: a finish without tests is vetoed once`, ok, seen: run.output.slice(-500) });
    gaps.push([transport, await gap()]);
  }
  await removeHooks(agent.name, scene);
  const without = await gap();
  const cost = gaps.map(([way, ms]) => {
    const perEvent = (ms - without) / agent.eventsPerCall;
    return `${way} ${ms.toFixed(0)} ms (${perEvent.toFixed(1)} ms per event)`;
  });
  checks.push({
    what: `between two model requests, median: ${cost.join(", ")}, without hooks ${without.toFixed(0)} ms`,
    ok: true,
  });
  await installHooks(agent.name, scene, { mode: "gate" });
}
