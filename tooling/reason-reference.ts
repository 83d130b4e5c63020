import { reasonCodes } from "../packages/core/src/reason-codes.ts";
import { reasons } from "../packages/core/src/reasons.ts";

/** docs/reasons.md, from the table in core. */
export function reasonPage(): string {
  return [
    "# Reasons",
    "",
    "<!-- Written by `pnpm reference` from packages/core/src/reasons.ts. Do not edit. -->",
    "",
    "Why a phase or a run ended: a closed list. *Blame* says whom the reason points at; `none` means that nothing went",
    "wrong. *Counts* says whether a run that ended so should be counted when models are compared. In code: `reasons`,",
    "`reasonCodes`, `isReason`, `countsAgainstModel`.",
    "",
    "| Reason | Blame | Counts against the model | What happened |",
    "| --- | --- | --- | --- |",
    ...reasonCodes.map((code) => {
      const { blame, countsAgainstModel, text } = reasons[code];
      return `| \`${code}\` | ${blame} | ${countsAgainstModel ? "yes" : "no"} | ${text} |`;
    }),
    "",
    "## Told apart",
    "",
    ...TOLD_APART.flatMap(([codes, text]) => [`- ${codes.map((code) => `\`${code}\``).join(", ")}: ${text}`]),
    "",
  ].join("\n");
}

const TOLD_APART: readonly (readonly [readonly (typeof reasonCodes)[number][], string])[] = [
  [
    ["timeout", "phase_timeout", "archive_timeout"],
    "one model call took too long; one stay in a phase outlived the `timeoutMs` of its phase; the whole run used up its time (`budget({ timeMs })`). The first two count against the model, the last does not: it says how long somebody was willing to wait.",
  ],
  [
    ["done", "done_unverified"],
    "no gate objected; a gate objected and the run ended all the same, in whichever mode. `done` alone does not mean that anything was checked: read `verified` beside it.",
  ],
  [
    ["turn_limit", "token_limit", "cost_limit"],
    "limits you wrote with `budget`. They are carried out in the modes `nudge` and `gate`.",
  ],
  [
    ["rate_limit", "rate_limit_mid_run"],
    "a request was refused for quota; the quota that was left fell to the floor somebody set, before a request was refused.",
  ],
  [
    ["cancelled", "interrupted", "suspended"],
    "somebody asked the run to stop; the process went away or was stopped; somebody set the run aside. The last two can be resumed.",
  ],
  [
    ["abandoned", "policy_stop"],
    "a review gave the work up; a policy asked to stop.",
  ],
];
