import { tableOf } from "@phasekit/core/adapter";
import type { CommandRun } from "./command.ts";

/** Imports the code of each command on demand, so that commands start fast. */
const loaders: Readonly<Record<string, () => Promise<CommandRun>>> = tableOf({
  why: async () => (await import("./commands/why.ts")).why,
  runs: async () => (await import("./commands/runs.ts")).runs,
  usage: async () => (await import("./usage/usage.ts")).usage,
  pick: async () => (await import("./commands/pick.ts")).pick,
  simulate: async () => (await import("./commands/simulate.ts")).simulate,
  check: async () => (await import("./commands/check.ts")).check,
  watch: async () => (await import("./commands/watch.ts")).watch,
  tail: async () => (await import("./commands/tail.ts")).tail,
  diff: async () => (await import("./commands/diff.ts")).diff,
  contracts: async () => (await import("./commands/contracts.ts")).contracts,
  explain: async () => (await import("./commands/explain.ts")).explain,
  export: async () => (await import("./commands/export.ts")).exportRun,
  report: async () => (await import("./commands/report.ts")).report,
  ui: async () => (await import("./commands/ui.ts")).ui,
  db: async () => (await import("./commands/db.ts")).db,
  worker: async () => (await import("./commands/worker.ts")).worker,
  trust: async () => (await import("./commands/trust.ts")).trust,
  untrust: async () => (await import("./commands/untrust.ts")).untrust,
  init: async () => (await import("./commands/init.ts")).init,
  hook: async () => (await import("./commands/hook.ts")).hook,
  statusline: async () => (await import("./commands/statusline.ts")).statusline,
  waive: async () => (await import("./commands/waive.ts")).waive,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  demo: async () => (await import("./commands/demo.ts")).demo,
  cache: async () => (await import("./commands/cache.ts")).cache,
  completion: async () => (await import("./commands/completion.ts")).completion,
});

/** Loads a command of the table. */
export function loadCommand(name: string): Promise<CommandRun> {
  const load = loaders[name];
  if (load === undefined) throw new Error(`The command "${name}" has no code.`);
  return load();
}
