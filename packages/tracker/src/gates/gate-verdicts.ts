import type { RunEvent, VouchVerdict } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";

/** The verdict of one gate at a finish, or who waived it. */
export type GateVerdict =
  | {
      readonly gate: string;
      readonly verdict: "PASS" | "CONCERNS" | "NOT_NEEDED" | "UNAVAILABLE";
      readonly why?: string;
      readonly evidence?: unknown;
    }
  | { readonly gate: string; readonly verdict: "FAIL"; readonly why: string; readonly evidence?: unknown }
  | {
      readonly gate: string;
      readonly verdict: "WAIVED";
      readonly who: string;
      readonly why: string | undefined;
      readonly until: number | undefined;
    };

const WORDS = {
  pass: "PASS",
  met: "PASS",
  concerns: "CONCERNS",
  weak: "CONCERNS",
  doubt: "CONCERNS",
  "not-needed": "NOT_NEEDED",
  unavailable: "UNAVAILABLE",
} as const satisfies Readonly<Record<VouchVerdict, string>>;

/**
 * Returns the verdicts of all gates at the last finish of a log, in the order the gates were asked.
 *
 * @example
 * gateVerdicts(events).filter(({ verdict }) => verdict === "FAIL")
 */
export function gateVerdicts(events: Iterable<RunEvent>): readonly GateVerdict[] {
  const verdicts = new Map<string, GateVerdict>();
  const waivers = new Map<
    string,
    { readonly who: string; readonly why: string | undefined; readonly until: number | undefined }
  >();
  for (const event of events) {
    switch (event.type) {
      case "finish.requested":
        verdicts.clear();
        break;
      case "move.requested":
        if (event.do === "waive" && event.gate !== undefined)
          waivers.set(event.gate, { who: event.name ?? event.by, why: event.why, until: event.until });
        break;
      case "finish.vouched":
        verdicts.set(event.gate, {
          gate: event.gate,
          verdict: WORDS[event.verdict],
          ...defined({ why: event.why, evidence: event.evidence }),
        });
        break;
      case "finish.vetoed": {
        const waiver = event.held === "waived" ? waivers.get(event.gate) : undefined;
        verdicts.set(
          event.gate,
          waiver === undefined
            ? {
                gate: event.gate,
                verdict: "FAIL",
                why: event.why ?? event.text,
                ...defined({ evidence: event.evidence }),
              }
            : { gate: event.gate, verdict: "WAIVED", ...waiver },
        );
        break;
      }
      default:
        break;
    }
  }
  return [...verdicts.values()];
}
