import { codingRunOptions } from "@phasekit/coding";
import { createRun, isPhasekitError, type Mode, type Run, type RunEvent, type RunOptions } from "@phasekit/core";
import { archiveRun, readRun, redactSecrets, resumeRun, type RunStore } from "@phasekit/ledger";
import { isSelfProtection, selfProtection } from "../self-protection.ts";
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

/** The last run of a session, if it can be resumed, with its events so far. */
interface RestoredSession {
  readonly run?: Run;
  readonly earlier?: readonly RunEvent[];
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
}

const MAX_RUNS = 200;

/** The id of a session's n-th run. */
function runIdOf(session: string, number: number): string {
  return number <= 1 ? session : `${session}.${String(number)}`;
}

export function createSessionRuns({ store, clock, onProblem }: SessionRunsOptions): SessionRuns {
  // Our guard counts vetoes per prompt; core's limit for a whole run would end the gate after a few prompts.
  const base = { clock, onError: onProblem, maxVetoes: { sinceProgress: 2, inAll: 1000 } };

  function optionsFor({ mode, config }: SessionRules): RunOptions {
    if (config !== undefined) {
      try {
        const options = config.options(mode);
        const policies = (options.policies ?? []).flat().filter(({ name }) => !isSelfProtection(name));
        return { redact: redactSecrets(), ...options, ...base, mode, policies: [...policies, selfProtection()] };
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

  return {
    open: (session, { number, task, ...rules }) => {
      const about = { id: runIdOf(session, number), ...(task !== undefined && { task: { text: task } }) };
      const run = withOptions(rules, (options) => createRun({ ...options, ...about }));
      archiveRun(run, store, { onProblem });
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
        const earlier = await readRun(store, runIdOf(session, number));
        const { run } = await resumeRun(store, runIdOf(session, number), {
          ...optionsFor(rules),
          archive: { onProblem },
          why: "Phasekit's local server started again.",
        });
        return { run, earlier, number, readable: true };
      } catch (error) {
        // A run that ended is followed by the next one of its session.
        const isOver = isPhasekitError(error, "NOT_RESUMABLE");
        if (!isOver) onProblem(error);
        return { number: isOver ? number : number + 1, readable: isOver };
      }
    },
  };
}
