import { codingRunOptions } from "@phasekit/coding";
import { createRun, isPhasekitError, type Mode, type Run, type RunEvent, type RunOptions } from "@phasekit/core";
import { type Archive, archiveRun, readRun, redactSecrets, resumeRun, type RunStore } from "@phasekit/ledger";
import { selfProtection } from "@phasekit/hooks";
import type { LiveConfig } from "./live-config.ts";

export interface SessionRunsOptions {
  readonly store: RunStore;
  readonly clock: () => number;
  readonly onProblem: (problem: unknown) => void;
}

/** How a session is judged: its mode, and the options of the project's config. */
export interface SessionRules {
  readonly mode: Mode;
  readonly config?: Pick<LiveConfig, "options">;
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
  readonly openChild: (run: Run, rules: SessionRules) => Run;
  /** The session's last run, if it can be resumed, and the number of its last run. */
  readonly restore: (session: string, rules: SessionRules) => Promise<RestoredSession>;
  /** Opens the session's last run again if it was done: the user continues the session. */
  readonly reopen: (
    session: string,
    options: SessionRules & { readonly number: number },
  ) => Promise<RestoredRun | undefined>;
}

const MAX_RUNS = 200;
const MAX_ARCHIVES = 64;

/** The id of a session's n-th run. */
function runIdOf(session: string, number: number): string {
  return number <= 1 ? session : `${session}.${String(number)}`;
}

export function createSessionRuns({ store, clock, onProblem }: SessionRunsOptions): SessionRuns {
  // Our guard counts vetoes per prompt; core's limit for a whole run would end the gate after a few prompts.
  const base = { clock, onError: onProblem, maxVetoes: { sinceProgress: 2, inAll: 1000 } };

  /** Runs on their way into the store: one that is read back soon after it ended has to be there. */
  const archives = new Map<string, Archive>();
  function remember(id: string, archive: Archive): void {
    archives.delete(id);
    archives.set(id, archive);
    if (archives.size > MAX_ARCHIVES) archives.delete(archives.keys().next().value ?? "");
  }

  function optionsFor({ mode, config }: SessionRules): RunOptions {
    if (config !== undefined) {
      try {
        const options = config.options(mode);
        const guard = selfProtection();
        const policies = (options.policies ?? []).flat().filter(({ name }) => name !== guard.name);
        return { redact: redactSecrets(), ...options, ...base, mode, policies: [...policies, guard] };
      } catch (error) {
        onProblem(error);
      }
    }
    return codingRunOptions({ ...base, mode, policies: [selfProtection()] });
  }

  /** Makes a run with the config's options; with the defaults if the config's options are not valid. */
  function withOptions(rules: SessionRules, make: (options: RunOptions) => Run): Run {
    try {
      return make(optionsFor(rules));
    } catch (error) {
      if (rules.config === undefined) throw error;
      onProblem(error);
      return make(optionsFor({ mode: rules.mode }));
    }
  }

  async function exists(id: string): Promise<boolean> {
    for await (const batch of store.read(id)) if (batch.length > 0) return true;
    return false;
  }

  /** Reads a run back and opens its next attempt. */
  async function resume(
    id: string,
    rules: SessionRules,
    about: { readonly why: string; readonly reopen?: boolean },
  ): Promise<RestoredRun> {
    await archives.get(id)?.flush();
    const earlier = await readRun(store, id);
    const { run, archive } = await resumeRun(store, id, { ...optionsFor(rules), ...about, archive: { onProblem } });
    remember(id, archive);
    return { run, earlier };
  }

  return {
    open: (session, { number, task, ...rules }) => {
      const about = { id: runIdOf(session, number), ...(task !== undefined && { task: { text: task } }) };
      const run = withOptions(rules, (options) => createRun({ ...options, ...about }));
      remember(about.id, archiveRun(run, store, { onProblem }));
      return run;
    },
    openChild: (run, rules) => {
      const child = withOptions(rules, (options) => run.child(options as object) as unknown as Run);
      archiveRun(child, store, { onProblem });
      return child;
    },
    restore: async (session, rules) => {
      let number = 0;
      try {
        while (number < MAX_RUNS && (await exists(runIdOf(session, number + 1)))) number += 1;
        if (number === 0) return { number, readable: true };
        const why = "Phasekit's local server started again.";
        return { last: await resume(runIdOf(session, number), rules, { why }), number, readable: true };
      } catch (error) {
        // A run that ended is followed by the next one of its session.
        const isOver = isPhasekitError(error, "NOT_RESUMABLE");
        if (!isOver) onProblem(error);
        return { number: isOver ? number : number + 1, readable: isOver };
      }
    },
    reopen: async (session, { number, ...rules }) => {
      try {
        return await resume(runIdOf(session, number), rules, { why: "The user continued the session.", reopen: true });
      } catch (error) {
        if (!isPhasekitError(error, "NOT_RESUMABLE")) onProblem(error);
        return undefined;
      }
    },
  };
}
