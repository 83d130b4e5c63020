import { tableOf } from "@phasekit/core/adapter";
import { stripVTControlCharacters } from "node:util";
import type { CheckedRuns } from "../check/check-runs.ts";
import type { GateResult } from "../check/check-story.ts";
import { titleOfRun } from "./run-title.ts";

/** Renders a check as JUnit XML: a suite for each run, a case for each gate. A waived gate counts as skipped. */
export function renderJunit(
  { runs, unreadable }: Pick<CheckedRuns, "runs" | "unreadable">,
  { config, reason }: { readonly config: readonly GateResult[]; readonly reason: string | undefined },
): string {
  const suites = [
    ...runs.map(({ reading, gates }) => ({
      name: [reading.about.id, titleOfRun(reading)].filter((part) => part !== "").join(": "),
      gates,
    })),
    ...unreadable.map(({ path, message }) => ({ name: path, gates: [unreadableGate(message)] })),
    ...(config.length === 0 ? [] : [{ name: "config", gates: config }]),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="phasekit check" ${countsOf(suites.flatMap(({ gates }) => gates))}>`,
    ...suites.flatMap(({ name, gates }) => [
      `  <testsuite name="${xml(name)}" ${countsOf(gates)}>`,
      ...gates.map((gate) => caseOf(gate, name, reason)),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

/** The result that stands for a log that could not be read. */
export const unreadableGate = (message: string): GateResult => ({ gate: "readable", verdict: "FAIL", text: message });

function countsOf(gates: readonly GateResult[]): string {
  const skipped = gates.filter(({ verdict }) => verdict === "WAIVED" || verdict === "UNKNOWN").length;
  const failures = gates.filter(({ verdict }) => verdict === "FAIL").length;
  return `tests="${String(gates.length)}" failures="${String(failures)}" errors="0" skipped="${String(skipped)}"`;
}

function caseOf({ gate, verdict, text }: GateResult, suite: string, reason = ""): string {
  const head = `    <testcase classname="${xml(suite)}" name="${xml(gate)}"`;
  if (verdict === "FAIL") return `${head}><failure message="${xml(text)}"/></testcase>`;
  if (verdict === "PASS") return `${head}/>`;
  const why = verdict === "WAIVED" ? `waived: ${reason}` : text;
  return `${head}><skipped message="${xml(why)}"/></testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = tableOf({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" });

/** Escapes foreign text for an attribute. XML has no control characters, and no half characters. */
const xml = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]+/gu, " ")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
