import { reasons } from "@phasekit/core";
import { currentPolicyName, isReason, ownValue } from "@phasekit/core/adapter";
import { explainReason } from "@phasekit/ledger/story";
import type { Answer, CommandRun } from "../command.ts";
import { unknownCode } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { alertKinds } from "../explain/alert-kinds.ts";
import { gates } from "../explain/gate-words.ts";
import errorCodes from "../explain/error-codes.json" with { type: "json" };
import { printedWords } from "../explain/printed-words.ts";
import { nearestName } from "../nearest-name.ts";
import { wrapText } from "../render/wrap-text.ts";
import type { Colors } from "../terminal.ts";

const KINDS = ["reason", "alert", "gate", "word", "error"] as const;
type Kind = (typeof KINDS)[number];

interface Explanation {
  readonly code: string;
  readonly kind: Kind;
  readonly text: string;
  readonly fix: string;
}

/** Explains a reason, alert, gate or error code; without one, lists them all. */
export const explain: CommandRun = ({ args: [wanted] }, { terminal }) => {
  const { colors, columns } = terminal;
  if (wanted === undefined) return Promise.resolve(listAll(colors, columns));
  const found = explanationOf(currentPolicyName(wanted));
  if (found === undefined) {
    const all = allCodes().map(({ code }) => code);
    const near = nearestName(wanted, all);
    throw unknownCode(wanted, near);
  }
  const { code, kind, text, fix } = found;
  const lines = [
    `${colors.bold(code)} ${colors.dim(`(${kind})`)}`,
    ...wrapText(text, columns - 2).map((line) => `  ${line}`),
    ...(fix === "" ? [] : wrapText(`Fix: ${fix}`, columns - 2).map((line) => `  ${line}`)),
  ];
  return Promise.resolve({ exitCode: exitCodes.ok, data: { ...found }, lines });
};

function explanationOf(wanted: string): Explanation | undefined {
  // The end of a run in a list is a reason with its grade: "done, proven".
  const lower = (wanted.toLowerCase().split(", ").at(-1) ?? "").trim().replaceAll(" ", "-");
  const reason = lower.replaceAll("-", "_");
  if (isReason(reason)) {
    // The ledger has one paragraph with the meaning, the blame and the advice.
    const whole = explainReason(reason);
    return { code: reason, kind: "reason", text: whole, fix: "" };
  }
  const kebab = lower.replaceAll("_", "-");
  const alert = ownValue(alertKinds, kebab);
  if (alert !== undefined) return { code: kebab, kind: "alert", ...alert };
  const gate = ownValue(gates, kebab);
  if (gate !== undefined) return { code: kebab, kind: "gate", ...gate };
  const word = ownValue(printedWords, kebab);
  if (word !== undefined) return { code: kebab, kind: "word", fix: "", ...word };
  const error = errorCodes.find(({ code }) => code === wanted.toUpperCase());
  return error === undefined
    ? undefined
    : { code: error.code, kind: "error", text: `${error.when} (${error.package})`, fix: error.fix };
}

function allCodes(): readonly { readonly code: string; readonly kind: Kind; readonly text: string }[] {
  return [
    ...Object.entries(reasons).map(([code, { text }]) => ({ code, kind: "reason" as const, text })),
    ...Object.entries(alertKinds).map(([code, { text }]) => ({ code, kind: "alert" as const, text })),
    ...Object.entries(gates).map(([code, { text }]) => ({ code, kind: "gate" as const, text })),
    ...Object.entries(printedWords).map(([code, { text }]) => ({ code, kind: "word" as const, text })),
    ...errorCodes.map(({ code, when }) => ({ code, kind: "error" as const, text: when })),
  ];
}

function listAll(colors: Colors, columns: number): Answer {
  const codes = allCodes();
  const lines = KINDS.flatMap((group) => {
    const names = [...new Set(codes.filter(({ kind }) => kind === group).map(({ code }) => code))];
    return [
      colors.bold(
        {
          reason: "Reasons (why a run or phase ended)",
          alert: "Alerts (what a detector found)",
          gate: "Gates (conditions for finishing)",
          word: "Words of lists and pages",
          error: "Errors",
        }[group],
      ),
      ...wrapText(names.join("  "), columns - 2).map((line) => `  ${line}`),
      "",
    ];
  });
  return {
    exitCode: exitCodes.ok,
    data: { codes },
    lines: [...lines, "Explain one with `phasekit explain <code>`."],
  };
}
