import { reasonCodes } from "../packages/core/src/events/reason-codes.ts";
import { reasons } from "../packages/core/src/events/reasons.ts";

/** docs/reasons.md, from the table in core. */
export function reasonPage(): string {
  return [
    "# Reasons",
    "",
    "<!-- Written by `pnpm reference` from packages/core/src/events/reasons.ts. Do not edit. -->",
    "",
    "The closed list of reasons why a phase or a run ends. *Blame* names the responsible party; `none` means that",
    "nothing went wrong. *Counts* says whether to include such a run in a comparison of models. *Resumed* says whether a",
    "run that ended so is [resumed](resume.md) as it is; otherwise only with `reopen: true`. In code: `reasons`.",
    "",
    "| Reason | Blame | Counts against the model | Resumed | What happened |",
    "| --- | --- | --- | --- | --- |",
    ...reasonCodes.map((code) => {
      const { blame, countsAgainstModel, resumable, text } = reasons[code];
      const counts = countsAgainstModel ? "yes" : "no";
      return `| \`${code}\` | ${blame} | ${counts} | ${resumable ? "as it is" : "with `reopen`"} | ${text} |`;
    }),
    "",
    "## Easily confused",
    "",
    ...CONFUSABLE.flatMap(([codes, text]) => [`- ${codes.map((code) => `\`${code}\``).join(", ")}: ${text}`]),
    "",
  ].join("\n");
}

const CONFUSABLE: readonly (readonly [readonly (typeof reasonCodes)[number][], string])[] = [
  [
    ["timeout", "phase_timeout", "archive_timeout"],
    "one model call took too long; one phase entry exceeded the `timeoutMs` of its phase; the whole run used up its time (`budget({ timeMs })`). The first two count against the model. The last does not: it is a limit the user chose.",
  ],
  [
    ["done", "done_unverified"],
    "no gate objected; a gate objected, or a named condition was false, and the run ended anyway, in any mode. `done` alone does not mean that anything was checked: read `verified` too.",
  ],
  [
    ["done", "gave_up", "asked"],
    "the agent finished; it said that it could not do the work, after its last try failed; it asked a question " +
      "before it changed anything. The last two are read from its last words, and only where its calls agree.",
  ],
  [
    ["step_limit", "turn_limit", "token_limit", "cost_limit"],
    "the host's own limit of steps or rounds, or a host that left its loop while the model asked for tools; " +
      "limits you set with `budget`, which apply in the modes `nudge` and `gate`.",
  ],
  [
    ["rate_limit", "rate_limit_mid_run"],
    "the provider refused a request for quota; the remaining quota reached the configured floor before that.",
  ],
  [
    ["cancelled", "interrupted", "suspended"],
    "a user asked the run to stop; the process died or was stopped; a user suspended the run. The last two are resumed as they are. A run that is being written now has no reason yet.",
  ],
  [["abandoned", "policy_stop"], "a review abandoned the work; a policy asked to stop."],
];
