import type { RunEvent } from "@phasekit/core";
import type { BlindSpan } from "@phasekit/core/adapter";
import { countCalls, type HookEvent, type HookSession, missedEvents } from "@phasekit/hooks";
import { type OwnLogOptions, readOwnLog } from "./own-log.ts";

/** Notices the times in which a session was not watched, and reads what was missed from the agent's own log. */
export interface BlindWatch {
  /** An event that found no server, or whose agent had continued before the answer: Phasekit was blind at that time. */
  readonly noteLate: (event: HookEvent, at: number) => void;
  /** Something may have been missed since a time. The next event that the agent waits for is answered after a look. */
  readonly suspect: (from: number) => void;
  /** Catches up before an event is answered, if there is reason to. */
  readonly catchUp: (event: HookEvent, options: CatchUpOptions) => Promise<void>;
}

/** Options for `BlindWatch.catchUp()`. */
interface CatchUpOptions {
  readonly session: HookSession;
  readonly now: number;
  /** The agent's own log, if it is known by now. */
  readonly transcript: string | undefined;
  /** How long the agent still waits. */
  readonly limitMs: number;
  /** The events of the session's runs so far. */
  readonly recorded: () => Promise<readonly RunEvent[]>;
}

/** How long an agent waits for its own log at most. */
const LOG_MS = 400;

/** Creates the watch of one session. */
export function createBlindWatch({ limitMs: given }: Pick<OwnLogOptions, "limitMs"> = {}): BlindWatch {
  let suspectedFrom: number | undefined;
  let late: { readonly from: number; readonly calls: number } | undefined;

  /** The end of a blind time in the log, and what was missed in it. */
  async function look(
    event: HookEvent,
    { transcript, recorded, now, limitMs }: CatchUpOptions,
    from: number,
  ): Promise<Parameters<HookSession["catchUp"]> | undefined> {
    const lost = (why: string): Parameters<HookSession["catchUp"]> => [
      [],
      { from, to: now, calls: 0, how: "lost", why },
    ];
    const log = await readOwnLog(transcript ?? "", event.session, { limitMs: given ?? Math.min(LOG_MS, limitMs) });
    if ("why" in log) return lost(log.why);
    const missed = missedEvents(log.events, { recorded: await recorded(), ...currentOf(event) });
    if (missed === undefined) return lost("its log is about something else");
    if (missed.length === 0) return undefined;
    const since = from > 0 ? from : (missed.find(({ at }) => at !== undefined)?.at ?? now);
    return [missed, { from: since, to: now, calls: countCalls(missed), how: "log" }];
  }

  return {
    noteLate: (event, at) => {
      late = { from: late?.from ?? at, calls: (late?.calls ?? 0) + (event.kind === "tool.ended" ? 1 : 0) };
      suspectedFrom ??= at;
    },
    suspect: (from) => {
      suspectedFrom ??= from;
    },
    catchUp: async (event, options) => {
      // A sub-agent has a log of its own. Some agents name their log late.
      if (event.subagent !== undefined || (suspectedFrom === undefined && late === undefined)) return;
      const { session, now, transcript } = options;
      if (suspectedFrom !== undefined && transcript !== undefined) {
        const from = suspectedFrom;
        suspectedFrom = undefined;
        const found = await look(event, options, from);
        // Events that came late are all there is to say, unless there was more.
        if (found !== undefined && (late === undefined || found[0].length > 0)) {
          session.catchUp(...found);
          late = undefined;
        }
      }
      if (late === undefined) return;
      session.catchUp([], { from: late.from, to: now, calls: late.calls, how: "late" } satisfies BlindSpan);
      late = undefined;
    },
  };
}

/** The call or the prompt that an event is about is not missed. */
function currentOf(event: HookEvent): Pick<Parameters<typeof missedEvents>[1], "current" | "prompt"> {
  switch (event.kind) {
    case "tool.ended":
      return { current: [event] };
    case "prompt.submitted":
      return { prompt: event.text };
    default:
      return {};
  }
}
