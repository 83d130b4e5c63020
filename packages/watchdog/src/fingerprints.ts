import { clipText, type InterpreterSource, type RunEvent, type ToolResult } from "@phasekit/core";
import { type CallIdentity, identifyCall, labelOf } from "./fingerprint.ts";
import { hashToText, hashValue, isBytes, shortened } from "./hash-value.ts";
import { createRecentResults } from "./recent-results.ts";
import { type KeptResult, sameReceipt, sameResult } from "./same-result.ts";
import { isMeasuring, isSendingName, isSteppingName } from "./tool-rules.ts";

/** What a fingerprint leaves out, and how much is remembered. */
export interface FingerprintsOptions {
  /** Arguments that change without changing the call, by name: a counter, a remark, a request id. */
  readonly drop?: readonly string[];
  /** Calls whose last result is remembered. @default 128 */
  readonly memory?: number;
}

const EXCERPT = 4096;
const DELETED = /^\s*(?:DELETE [1-9]|UPDATE [1-9]\d{2})|^\D{0,40}\b[1-9]\d* (?:\w+ )?(?:deleted|purged|archived)\b/;

/**
 * An interpreter that tells calls apart and says whether the result of a repeated call moved. It compares lazily: calls
 * first, then results as they are, and only a repeated call with another result is normalised.
 *
 * @example
 * createRun({ interpret: [nameTableInterpreter(), fingerprints()], policies: [watchdog()] })
 */
export function fingerprints({ drop, memory = 128 }: FingerprintsOptions = {}): InterpreterSource {
  const options = drop === undefined ? {} : { drop: new Set(drop) };
  return () => {
    const recent = createRecentResults(memory);

    function remember(tool: string, { fingerprint, hash }: CallIdentity, text: string): boolean | undefined {
      const kept: KeptResult = { fingerprint, text, value: undefined };
      // Calls without arguments all have the same hash; their tools tell them apart.
      const before = recent.swap(hash ^ placeOfTool(tool), kept);
      if (before === undefined) return undefined;
      // What was deleted is gone, and a hundred rows at once are a batch: the same again is going on.
      if (DELETED.test(text)) return true;
      if (before.text !== text && (isSteppingName(tool) || isMeasuring(labelOf(fingerprint)))) return true;
      return !sameResult(before, kept) && !(isSendingName(tool) && sameReceipt(before.text, text));
    }

    return {
      name: "fingerprints",
      version: "3",
      interpret: ({ tool, input }, result, before) => {
        const identity = before?.fingerprint === undefined ? identifyCall({ tool, input }, options) : identityIn(before.fingerprint);
        const { fingerprint } = identity;
        // What the host denied never ran, so it has no result to compare.
        if (result === undefined || result.outcome === "denied") return { fingerprint };
        const moved = remember(tool, identity, resultText(result));
        return moved === undefined ? { fingerprint } : { fingerprint, moved };
      },
      recall: (event: RunEvent) => {
        if (event.type !== "tool.finished" || event.outcome === "denied") return;
        const { fingerprint } = event.meaning;
        if (fingerprint !== undefined) remember(event.tool, identityIn(fingerprint), resultText(event as ToolResult));
      },
    };
  };
}

/** The identity a fingerprint tells: the hash is its end. */
function identityIn(fingerprint: string): CallIdentity {
  return { fingerprint, hash: Number.parseInt(fingerprint.slice(-6), 32) | 0 };
}

/** A number that differs for most tools: their first and last letters and their length. */
function placeOfTool(tool: string): number {
  return Math.imul(tool.charCodeAt(0) * 5 + tool.charCodeAt(tool.length - 1) + tool.length * 3, 0x9e3779b1);
}

/** The result as one text: an outcome or exit code that changes is a change too. */
function resultText({ outcome, output, exitCode }: ToolResult): string {
  const text = typeof output === "string" ? clipText(output, EXCERPT) : output === undefined ? "" : clipText(jsonText(output), EXCERPT);
  if (outcome === "ok" && (exitCode ?? 0) === 0) return text;
  return `${text}\n[${outcome} ${String(exitCode ?? "")}]`;
}

/** A result in which binary data, whole or a member, is named by its size and a hash: as JSON it would be a list of numbers. */
function withoutBytes(output: unknown): unknown {
  if (typeof output !== "object" || output === null) return output;
  if (isBytes(output)) return nameOf(output);
  let copy: Record<string, unknown> | undefined;
  for (const key in output) {
    const value = (output as Readonly<Record<string, unknown>>)[key];
    if (typeof value === "object" && value !== null && isBytes(value)) (copy ??= { ...output })[key] = nameOf(value);
  }
  return copy ?? output;
}

function nameOf(bytes: ArrayBuffer | ArrayBufferView): string {
  return `${String(bytes.byteLength)} bytes ${hashToText(shortened(hashValue(bytes, { depth: 0, budget: { left: 1 } })))}`;
}

function jsonText(output: unknown): string {
  try {
    // A function or a symbol has no JSON, whatever the types say.
    const text: unknown = JSON.stringify(withoutBytes(output));
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}
