import { clipText, type InterpreterSource, type RunEvent, type ToolResult } from "@phasekit/core";
import { fingerprintCall } from "./fingerprint.ts";
import { type KeptResult, sameResult } from "./same-result.ts";

/** What a fingerprint leaves out, and how much is remembered. */
export interface FingerprintsOptions {
  /** Arguments that change without changing the call, by name: a counter, a remark, a request id. */
  readonly drop?: readonly string[];
  /** Calls whose last result is remembered. @default 128 */
  readonly memory?: number;
}

const EXCERPT = 4096;

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
    // Two generations instead of an order of use: the older one is dropped whole when the younger one is full.
    let young = new Map<string, KeptResult>();
    let old = new Map<string, KeptResult>();

    function remember(fingerprint: string, kept: KeptResult): boolean | undefined {
      const before = young.get(fingerprint) ?? old.get(fingerprint);
      if (young.size >= memory / 2) {
        old = young;
        young = new Map();
      }
      young.set(fingerprint, kept);
      return before === undefined ? undefined : !sameResult(before, kept);
    }

    return {
      name: "fingerprints",
      version: "1",
      interpret: ({ tool, input }, result) => {
        const fingerprint = fingerprintCall({ tool, input }, options);
        // What the host denied never ran, so it has no result to compare.
        if (result === undefined || result.outcome === "denied") return { fingerprint };
        const moved = remember(fingerprint, { text: resultText(result) });
        return moved === undefined ? { fingerprint } : { fingerprint, moved };
      },
      recall: (event: RunEvent) => {
        if (event.type !== "tool.finished" || event.outcome === "denied") return;
        const { fingerprint } = event.meaning;
        if (fingerprint !== undefined) remember(fingerprint, { text: resultText(event as ToolResult) });
      },
    };
  };
}

/** The result as one text: an outcome or exit code that changes is a change too. */
function resultText({ outcome, output, exitCode }: ToolResult): string {
  const text = typeof output === "string" ? clipText(output, EXCERPT) : output === undefined ? "" : clipText(jsonText(output), EXCERPT);
  if (outcome === "ok" && (exitCode ?? 0) === 0) return text;
  return `${text}\n[${outcome} ${String(exitCode ?? "")}]`;
}

function jsonText(output: unknown): string {
  try {
    // A function or a symbol has no JSON, whatever the types say.
    const text: unknown = JSON.stringify(output);
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}
