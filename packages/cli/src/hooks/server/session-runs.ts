import { codingRunOptions } from "@phasekit/coding";
import { createRun, isPhasekitError, type Mode, type Run, type RunEvent, type RunOptions } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { selfProtection } from "@phasekit/hooks";
import { readRun, redactSecrets, type ResumeOptions, resumeRun, type StoredRun, storeRun } from "@phasekit/ledger";
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

export function createSessionRuns(options: SessionRunsOptions): SessionRuns {
  return new StoredRuns(options);
}

/** The runs that are on their way into the store. */
class StoredRuns implements SessionRuns {
  readonly #store: FileStore;
  readonly #clock: () => number;
  readonly #onError: (problem: unknown) => void;
  /** By session. */
  readonly #stored = new Map<string, Map<Run, StoredRun>>();
  /** The numbers of the last runs of sessions, so that one that comes back is not counted again. */
  readonly #numbers = new Map<string, number>();

  constructor({ store, clock, onError }: SessionRunsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
  }

  open(session: string, { number, task, ...rules }: Parameters<SessionRuns["open"]>[1]): Run {
    this.#rememberNumber(session, number);
    const about = {
      id: runIdOf(session, number),
      ...(task !== undefined && { task: { text: task } }),
      ...(rules.folder !== undefined && { folder: rules.folder }),
    };
    const run = this.#withOptions(rules, (options) => createRun({ ...options, ...about }));
    return this.#remember(session, run, storeRun(run, this.#store, { onError: this.#onError }));
  }

  openChild(session: string, { parent, call, task, ...rules }: Parameters<SessionRuns["openChild"]>[1]): Run {
    const about = { ...(call !== undefined && { call }), ...(task !== undefined && { task: { text: task } }) };
    const make = (options: RunOptions): Run => parent.child({ ...options, ...about } as object) as unknown as Run;
    const child = this.#withOptions(rules, make);
    return this.#remember(session, child, storeRun(child, this.#store, { onError: this.#onError }));
  }

  async restore(session: string, rules: SessionRules): Promise<RestoredSession> {
    const isAside = this.#numbers.has(session);
    const number = await this.#countRuns(session);
    if (number === 0) return { number, readable: true };
    try {
      const why = isAside ? "Phasekit had set the session aside." : "Phasekit's local server started again.";
      const last = await this.#resume(session, { ...rules, number }, { why, by: "host" });
      return defined({ last, number, readable: true });
    } catch (error) {
      this.#onError(error);
      return { number, readable: false };
    }
  }

  async reopen(session: string, rules: SessionRules & { readonly number: number }): Promise<RestoredRun | undefined> {
    try {
      return await this.#resume(session, rules, { why: "The user continued the session.", reopen: true });
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  async recorded(session: string): Promise<readonly RunEvent[]> {
    await this.stored(session);
    const events: RunEvent[] = [];
    for (let number = 1; number <= (this.#numbers.get(session) ?? 0); number += 1)
      events.push(...(await readRun(this.#store, runIdOf(session, number))));
    return events;
  }

  async stored(session: string): Promise<boolean> {
    const known = this.#stored.get(session);
    if (known === undefined) return true;
    let isStored = true;
    for (const [run, stored] of known) {
      const { waiting, dropped } = await stored.flush();
      if (waiting > 0 || dropped > 0) isStored = false;
      else if (run.view.status === "ended") known.delete(run);
    }
    if (known.size === 0) this.#stored.delete(session);
    return isStored;
  }

  async release(session: string): Promise<void> {
    const known = this.#stored.get(session);
    this.#stored.delete(session);
    for (const [{ id }, stored] of known ?? []) {
      await stored.close();
      await this.#store.release(id);
    }
  }

  #remember(session: string, run: Run, stored: StoredRun): Run {
    const known = this.#stored.get(session) ?? new Map<Run, StoredRun>();
    this.#stored.set(session, known.set(run, stored));
    return run;
  }

  #rememberNumber(session: string, number: number): void {
    this.#numbers.delete(session);
    this.#numbers.set(session, number);
    if (this.#numbers.size > MAX_NUMBERS) this.#numbers.delete(this.#numbers.keys().next().value ?? "");
  }

  #optionsFor({ mode, config }: SessionRules): RunOptions {
    // Our guard counts vetoes per prompt; core's limit for a whole run would end the gate after a few prompts.
    const maxVetoes = { sinceProgress: 2, inAll: 1000 };
    const base = { clock: this.#clock, onError: this.#onError, maxVetoes };
    if (config !== undefined) {
      try {
        const options = config.options(mode);
        const guard = selfProtection();
        const left: readonly string[] = [guard.name, REMINDER];
        const policies = (options.policies ?? []).flat().filter(({ name }) => !left.includes(name));
        return { redact: redactSecrets(), ...options, ...base, mode, policies: [...policies, guard] };
      } catch (error) {
        this.#onError(error);
      }
    }
    return codingRunOptions({ ...base, mode, policies: [selfProtection()], without: [REMINDER] });
  }

  /** Makes a run with the config's options; with the defaults if the config's options are not valid. */
  #withOptions(rules: SessionRules, make: (options: RunOptions) => Run): Run {
    try {
      return make(this.#optionsFor(rules));
    } catch (error) {
      if (rules.config === undefined) throw error;
      this.#onError(error);
      return make(this.#optionsFor({ mode: rules.mode }));
    }
  }

  /** True also for a run that cannot be read: the next one must not have its number. */
  async #exists(id: string): Promise<boolean> {
    try {
      for await (const batch of this.#store.read(id)) if (batch.length > 0) return true;
      return false;
    } catch (error) {
      this.#onError(error);
      return true;
    }
  }

  async #countRuns(session: string): Promise<number> {
    let number = this.#numbers.get(session) ?? 0;
    while (number < MAX_RUNS && (await this.#exists(runIdOf(session, number + 1)))) number += 1;
    this.#rememberNumber(session, number);
    return number;
  }

  /** Reads a run back and opens its next attempt; undefined for one that is over, which the next run follows. */
  async #resume(
    session: string,
    { number, ...rules }: SessionRules & { readonly number: number },
    about: Pick<ResumeOptions, "why" | "by" | "reopen">,
  ): Promise<RestoredRun | undefined> {
    await this.stored(session);
    const id = runIdOf(session, number);
    // A run that was stopped has spent its limits: the session continues with a run that has its own.
    if (wasStopped(await readRun(this.#store, id))) return undefined;
    try {
      const options = { ...this.#optionsFor(rules), ...about, storing: { onError: this.#onError } };
      const { run, stored, earlier } = await resumeRun(this.#store, id, options);
      this.#remember(session, run, stored);
      return { run, earlier };
    } catch (error) {
      if (isPhasekitError(error, "NOT_RESUMABLE") || isPhasekitError(error, "OTHER_GRAPH")) return undefined;
      throw error;
    }
  }
}

/** True if the last attempt of a run ended by a stop: of a policy, or of a person. */
function wasStopped(events: readonly RunEvent[]): boolean {
  const last = events.findLast(
    (event) => event.type === "run.resumed" || (event.type === "stop.requested" && event.applied),
  );
  return last?.type === "stop.requested" && events.at(-1)?.type === "run.finished";
}
