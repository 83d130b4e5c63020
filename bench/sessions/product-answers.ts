import { playRun } from "@phasekit/core";
import { codingRunOptions } from "@phasekit/coding";
import type { RunEvent } from "@phasekit/core";
import { parseTranscript, type RecordedRun } from "@phasekit/transcripts";
import { root } from "@phasekit/tooling/workspace";
import { execFile } from "node:child_process";
import { join } from "node:path";

/** The part of `phasekit why --json` that is compared with a reader. */
export interface WhyAnswer {
  readonly about: { readonly id: string };
  readonly verification: { readonly verdict: string; readonly grade?: string; readonly text?: string };
  readonly story: {
    /** Absent if the log just stops; then the state says so. */
    readonly reason?: string;
    readonly state: string;
    readonly phase: string;
    readonly work: { readonly lastEdit?: { readonly call: number; readonly file?: string } };
    readonly loops: readonly {
      readonly kind: string;
      readonly from: number;
      readonly to: number;
      readonly severity?: string;
    }[];
    readonly evidence?: { readonly grade?: string };
  };
}

type Meaning = Extract<RunEvent, { type: "tool.finished" }>["meaning"];

/** One call of a session, as the product read it. */
export interface PlayedCall {
  readonly tool: string | undefined;
  readonly input: unknown;
  meaning: Meaning | undefined;
}

export interface Played {
  readonly calls: readonly PlayedCall[];
  /** The vetoes at the last finish. */
  readonly vetoes: readonly Extract<RunEvent, { type: "finish.vetoed" }>[];
}

/** The phases of the coding graph. */
export const knownPhases: ReadonlySet<string> = new Set(Object.keys(codingRunOptions().graph?.phases ?? {}));

/** Asks the command line about a log, in a home of its own. Throws if the answer lacks a member that is compared. */
export async function askWhy(log: string, home: string): Promise<WhyAnswer> {
  const { PATH, NODE_OPTIONS } = process.env;
  const env = { PATH, NODE_OPTIONS, HOME: home, XDG_CACHE_HOME: home, NO_COLOR: "1" };
  const program = join(root, "packages/cli/src/bin.ts");
  const printed = await new Promise<string>((resolve) => {
    const args = [program, "why", log, "--json", "--no-cache"];
    execFile(process.execPath, args, { env, cwd: home, maxBuffer: 1 << 28 }, (_error, stdout, stderr) => {
      resolve(stdout === "" ? stderr : stdout);
    });
  });
  let said: Partial<WhyAnswer> & { readonly error?: { readonly code: string; readonly message: string } };
  try {
    said = JSON.parse(printed) as typeof said;
  } catch {
    throw new Error(`why prints no JSON: ${printed.slice(0, 200)}`);
  }
  if (said.error !== undefined) throw new Error(`why fails: ${said.error.code} ${said.error.message}`);
  const { about, verification, story } = said;
  const members = [about?.id, verification?.verdict, story?.state, story?.phase, story?.work, story?.loops];
  if (members.includes(undefined)) throw new Error("the JSON of why has another shape");
  return said as WhyAnswer;
}

/** Plays a session with `codingRun()`, as it is or changed. */
export function play(text: string, id: string, change = (read: RecordedRun): RecordedRun => read): Played {
  const { runs } = parseTranscript(text);
  const found = runs.find((run) => run.id === id) ?? runs[0];
  if (found === undefined) throw new Error("the log has no run");
  const events: RunEvent[] = [];
  playRun(change(found), {
    ...codingRunOptions({ mode: "observe" }),
    subscribe: (step: readonly RunEvent[]) => events.push(...step),
  });
  const finish = events.findLast((event) => event.type === "finish.requested");
  const vetoes = events.filter((event) => event.type === "finish.vetoed").filter(({ cause }) => cause === finish?.seq);
  return { calls: callsOf(events), vetoes };
}

/** The calls in their order. Call ids repeat in logs that were redacted. */
function callsOf(events: readonly RunEvent[]): readonly PlayedCall[] {
  const calls: PlayedCall[] = [];
  const open = new Map<string, PlayedCall[]>();
  const request = (id: string, call: PlayedCall): void => {
    calls.push(call);
    open.set(id, [...(open.get(id) ?? []), call]);
  };
  for (const event of events) {
    if (event.type !== "tool.requested" && event.type !== "tool.finished") continue;
    const id = event.call ?? "";
    if (event.type === "tool.requested") request(id, { tool: event.tool, input: event.input, meaning: event.meaning });
    else {
      if ((open.get(id) ?? []).length === 0)
        request(id, { tool: event.tool, input: undefined, meaning: event.meaning });
      const call = open.get(id)?.shift();
      if (call !== undefined) call.meaning = event.meaning;
    }
  }
  return calls;
}

/** A session without some calls, by number, and with one shell command in their place: a "done" without its proof. */
export function withoutCalls(read: RecordedRun, drop: ReadonlySet<number>, command?: string): RecordedRun {
  let calls = 0;
  const ids = new Set<string | undefined>();
  for (const event of read.events)
    if (event.type === "tool.requested") {
      calls += 1;
      if (drop.has(calls)) ids.add(event.call);
    }
  type Events = RecordedRun["events"];
  const isGone = (event: Events[number]): boolean => "call" in event && event.call !== undefined && ids.has(event.call);
  const at = Math.max(0, read.events.findIndex(isGone));
  const kept = read.events.filter((event) => !isGone(event));
  const instead: Events =
    command === undefined
      ? []
      : [
          { type: "tool.requested", call: "instead", tool: "Bash", input: { command } },
          { type: "tool.finished", call: "instead", outcome: "ok", output: "ok" },
        ];
  return { ...read, events: [...kept.slice(0, at), ...instead, ...kept.slice(at)] };
}
