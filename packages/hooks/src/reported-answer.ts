import type { Usage } from "@phasekit/core";
import { numberIn } from "@phasekit/core/adapter";
import type { Payload } from "./payload.ts";

/** One answer of the model, as the agent reports it beside its hooks. */
export interface ReportedAnswer {
  /** Lines of a log with the same id are about the same answer; the last one counts. */
  readonly id?: string;
  readonly model?: string;
  /** The sub-agent that it is an answer of, where one log has those of several. */
  readonly subagent?: string;
  readonly usage: Usage;
}

/** How the log that an agent writes itself tells what an answer cost. */
export interface AnswerLog {
  /** Text that every such line contains; other lines are not parsed. */
  readonly mark: string;
  /** It has the answers of sub-agents, too. @default false */
  readonly hasSubagents?: boolean;
  /** The agent writes about its last answers a little later, also after its last event. @default false */
  readonly isLate?: boolean;
  /** The answer a line is about. */
  readonly read: (line: Payload, options: AnswerLogOptions) => ReportedAnswer | undefined;
}

/** The kind of a log. */
export interface AnswerLogOptions {
  /** The log of a sub-agent. */
  readonly isSubagent: boolean;
}

/** Token counts in the words of a vendor. */
interface TokenCounts {
  /** Tokens of the input without those read from or written to the cache. */
  readonly freshInput?: unknown;
  /** All tokens of the input. */
  readonly input?: unknown;
  readonly output?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
  readonly cost?: unknown;
}

/** The usage of an answer; undefined if neither its input nor its output is known. */
export function usageFrom(counts: TokenCounts): Usage | undefined {
  const [fresh, read, write] = [counts.freshInput, counts.cacheRead, counts.cacheWrite].map(countIn);
  const members = {
    inputTokens: fresh === undefined ? countIn(counts.input) : fresh + (read ?? 0) + (write ?? 0),
    outputTokens: countIn(counts.output),
    cachedInputTokens: read,
    cacheWriteTokens: write,
    reasoningTokens: countIn(counts.reasoning),
    cost: countIn(counts.cost),
  };
  if (members.inputTokens === undefined && members.outputTokens === undefined) return undefined;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function countIn(value: unknown): number | undefined {
  const number = numberIn(value);
  return number === undefined || number < 0 ? undefined : number;
}
