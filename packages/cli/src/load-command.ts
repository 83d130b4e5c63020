import type { CommandRun } from "./command.ts";

/** The code of each command; it is loaded when the command is called, so that none pays for the others. */
const loaders: Readonly<Record<string, () => Promise<CommandRun>>> = {
  why: async () => (await import("./commands/why.ts")).why,
  runs: async () => (await import("./commands/runs.ts")).runs,
  simulate: async () => (await import("./commands/simulate.ts")).simulate,
  check: async () => (await import("./commands/check.ts")).check,
  tail: async () => (await import("./commands/tail.ts")).tail,
  diff: async () => (await import("./commands/diff.ts")).diff,
  contracts: async () => (await import("./commands/contracts.ts")).contracts,
  explain: async () => (await import("./commands/explain.ts")).explain,
  export: async () => (await import("./commands/export.ts")).exportRun,
  report: async () => (await import("./commands/report.ts")).report,
  ui: async () => (await import("./commands/ui.ts")).ui,
  db: async () => (await import("./commands/db.ts")).db,
  worker: async () => (await import("./commands/worker.ts")).worker,
  init: async () => (await import("./commands/init.ts")).init,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  demo: async () => (await import("./commands/demo.ts")).demo,
  completion: async () => (await import("./commands/completion.ts")).completion,
};

/** Loads a command of the table. */
export function loadCommand(name: string): Promise<CommandRun> {
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined;
  if (load === undefined) throw new Error(`The command "${name}" has no code.`);
  return load();
}
