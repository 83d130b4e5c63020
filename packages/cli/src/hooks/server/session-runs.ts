import { codingRunOptions } from "@phasekit/coding";
import { createRun, isPhasekitError, type Mode, type Run, type RunEvent, type RunOptions } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { selfProtection } from "@phasekit/hooks";
import { readRun, type StoredRun, storeRun, redactSecrets, resumeRun } from "@phasekit/ledger";
import type { FileStore } from "@phasekit/ledger/node";
import type { LiveConfig } from "./live-config.ts";

export interface SessionRunsOptions {
  readonly store: FileStore;
  readonly clock: () => number;
  readonly onError: (problem: unknown) => void;
}

/** How a session is judged: its mode, and the options of the project's config. */
export interface SessionRules {
  readonly mode: Mode;
  readonly config?: Pick<LiveConfig, "options">;
  /** The folder the agent was started in. */
  readonly folder?: string;
}

/** The last run of a session, with its events so far. */
interface RestoredRun {
  readonly run: Run;
  readonly earlier: readonly RunEvent[];
}

/** A session of an earlier process, as its store has it. */
interface RestoredSession {
  /** Its last run, if it is not over. */
  readonly last?: RestoredRun;
  readonly number: number;
  readonly readable: boolean;
}

/** The runs of sessions: where they are kept and how they come back after a crash. */
export interface SessionRuns {
  /** The next run of a session, and the number of it. */
  readonly open: (session: string, options: SessionRules & { readonly number: number; readonly task?: string }) => Run;
  readonly openChild: (
    session: string,
    options: SessionRules & { readonly parent: Run; readonly call?: string; readonly task?: string },
  ) => Run;
  /** The session's last run, if it can be resumed, and the number of its last run. */
  readonly restore: (session: string, rules: SessionRules) => Promise<RestoredSession>;
  /** Opens the session's last run again if it was done: the user continues the session. */
  readonly reopen: (
    session: string,
    options: SessionRules & { readonly number: number },
  ) => Promise<RestoredRun | undefined>;
  /** The events of all runs of a session, in order. Rejects if one cannot be read. */
  readonly recorded: (session: string) => Promise<readonly RunEvent[]>;
  /** Waits until the store has all events of a session; false if it refuses one. */
  readonly stored: (session: string) => Promise<boolean>;
  /** Lets go of a session that is not used for now: its files, and what is in memory of it. */
  readonly release: (session: string) => Promise<void>;
}

/** The session itself gives the agent a checkpoint. */
const REMINDER = "compaction-reminder";
const MAX_RUNS = 200;
const MAX_NUMBERS = 4096;

/** The id of a session's n-th run. */
function runIdOf(session: string, number: number): string {
  return number <= 1 ? session : `${session}.${String(number)}`;
}

export function createSessionRuns({ store, clock, onError }: SessionRunsOptions): SessionRuns {
  // Our guard counts vetoes per prompt; core's limit for a whole run would end the gate after a few prompts.
  const base = { clock, onError: onError, maxVetoes: { sinceProgress: 2, inAll: 1000 } };
  /** Runs on their way into the store, by session. */
  const storedRuns = new Map<string, Map<Run, StoredRun>>();
  /** The numbers of the last runs of sessions, so that one that comes back is not counted again. */
  const numbers = new Map<string, number>();

  function remember(session: string, run: Run, stored: StoredRun): Run {
    const known = storedRuns.get(session) ?? new Map<Run, StoredRun>();
    storedRuns.set(session, known.set(run, stored));
    return run;
  }

  function rememberNumber(session: string, number: number): void {
    numbers.delete(session);
    numbers.set(session, number);
    if (numbers.size > MAX_NUMBERS) numbers.delete(numbers.keys().next().value ?? "");
  }

  function optionsFor({ mode, config }: SessionRules): RunOptions {
    if (config !== undefined) {
      try {
        const options = config.options(mode);
        const guard = selfProtection();
        const left: readonly string[] = [guard.name, REMINDER];
        const policies = (options.policies ?? []).flat().filter(({ name }) => !left.includes(name));
        return { redact: redactSecrets(), ...options, ...base, mode, policies: [...policies, guard] };
      } catch (error) {
        onError(error);
      }
    }
    return codingRunOptions({ ...base, mode, policies: [selfProtection()], without: [REMINDER] });
  }

  /** Makes a run with the config's options; with the defaults if the config's options are not valid. */
  function withOptions(rules: SessionRules, make: (options: RunOptions) => Run): Run {
    try {
      return make(optionsFor(rules));
    } catch (error) {
      if (rules.config === undefined) throw error;
      onError(error);
      return make(optionsFor({ mode: rules.mode }));
    }
  }

  /** True also for a run that cannot be read: the next one must not have its number. */
  async function exists(id: string): Promise<boolean> {
    try {
      for await (const batch of store.read(id)) if (batch.length > 0) return true;
      return false;
    } catch (error) {
      onError(error);
      return true;
    }
  }

  async function countRuns(session: string): Promise<number> {
    let number = numbers.get(session) ?? 0;
    while (number < MAX_RUNS && (await exists(runIdOf(session, number + 1)))) number += 1;
    rememberNumber(session, number);
    return number;
  }

  /** Reads a run back and opens its next attempt; undefined for one that is over, which the next run follows. */
  async function resume(
    session: string,
    { number, ...rules }: SessionRules & { readonly number: number },
    about: { readonly why: string; readonly reopen?: boolean },
  ): Promise<RestoredRun | undefined> {
    await stored(session);
    const id = runIdOf(session, number);
    // A run that was stopped has spent its limits: the session continues with a run that has its own.
    if (wasStopped(await readRun(store, id))) return undefined;
    try {
      const options = { ...optionsFor(rules), ...about, storing: { onError } };
      const { run, stored: storing, earlier } = await resumeRun(store, id, options);
      remember(session, run, storing);
      return { run, earlier };
    } catch (error) {
      if (isPhasekitError(error, "NOT_RESUMABLE") || isPhasekitError(error, "OTHER_GRAPH")) return undefined;
      throw error;
    }
  }

  async function stored(session: string): Promise<boolean> {
    const known = storedRuns.get(session);
    if (known === undefined) return true;
    let isStored = true;
    for (const [run, stored] of known) {
      const { waiting, dropped } = await stored.flush();
      if (waiting > 0 || dropped > 0) isStored = false;
      else if (run.view.status === "ended") known.delete(run);
    }
    if (known.size === 0) storedRuns.delete(session);
    return isStored;
  }

  return {
    open: (session, { number, task, ...rules }) => {
      rememberNumber(session, number);
      const about = {
        id: runIdOf(session, number),
        ...(task !== undefined && { task: { text: task } }),
        ...(rules.folder !== undefined && { folder: rules.folder }),
      };
      const run = withOptions(rules, (options) => createRun({ ...options, ...about }));
      return remember(session, run, storeRun(run, store, { onError }));
    },
    openChild: (session, { parent, call, task, ...rules }) => {
      const about = { ...(call !== undefined && { call }), ...(task !== undefined && { task: { text: task } }) };
      const child = withOptions(rules, (options) => parent.child({ ...options, ...about } as object) as unknown as Run);
      return remember(session, child, storeRun(child, store, { onError }));
    },
    restore: async (session, rules) => {
      const isAside = numbers.has(session);
      const number = await countRuns(session);
      if (number === 0) return { number, readable: true };
      try {
        const why = isAside ? "Phasekit had set the session aside." : "Phasekit's local server started again.";
        return defined({ last: await resume(session, { ...rules, number }, { why }), number, readable: true });
      } catch (error) {
        onError(error);
        return { number, readable: false };
      }
    },
    reopen: async (session, rules) => {
      try {
        return await resume(session, rules, { why: "The user continued the session.", reopen: true });
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    recorded: async (session) => {
      await stored(session);
      const events: RunEvent[] = [];
      for (let number = 1; number <= (numbers.get(session) ?? 0); number += 1)
        events.push(...(await readRun(store, runIdOf(session, number))));
      return events;
    },
    stored,
    release: async (session) => {
      const known = storedRuns.get(session);
      storedRuns.delete(session);
      for (const [{ id }, stored] of known ?? []) {
        await stored.close();
        await store.release(id);
      }
    },
  };
}

/** True if the last attempt of a run ended by a stop: of a policy, or of a person. */
function wasStopped(events: readonly RunEvent[]): boolean {
  const last = events.findLast(
    (event) => event.type === "run.resumed" || (event.type === "stop.requested" && event.applied),
  );
  return last?.type === "stop.requested" && events.at(-1)?.type === "run.finished";
}
