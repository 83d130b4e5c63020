import { existsSync, readFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { type CheckedRuns, checkRuns } from "../check/check-runs.ts";
import { type CheckRules, readCheckRules } from "../check/check-rules.ts";
import { cleanText } from "../clean-text.ts";
import type { Answer, CommandContext, CommandRun } from "../command.ts";
import { textOption } from "../command-options.ts";
import { configText, configToData } from "../config/judge-config.ts";
import { writePrivateFile } from "../config/private-folder.ts";
import { fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { checkLines, failuresOf, oneRun } from "../render/check-lines.ts";
import { renderAnnotations, withoutCommands } from "../render/github-commands.ts";
import { renderJunit } from "../render/junit.ts";
import { runToData } from "../render/run-to-data.ts";
import { stepSummary } from "../render/step-summary.ts";
import { titleOfRun } from "../render/run-title.ts";
import { wrapText } from "../render/wrap-text.ts";

/** Gate for CI: every run finished, its end is verified, and it kept its limits. */
export const check: CommandRun = async ({ args: [argument], options }, context) => {
  const { colors, columns } = context.terminal;
  const rules = await readCheckRules(options, context);
  const junit = textOption(options, "junit");
  const junitFile = junit === undefined ? undefined : reportFile(junit, context.cwd);
  const checked = await checkRuns(argument, { rules, options, context });
  const failures = failuresOf(checked, rules);
  const failed = [...new Set(failures.map(({ gate }) => gate))];
  if (junitFile !== undefined) writePrivateFile(junitFile, renderJunit(checked, rules), { isPublic: true });
  const summaryFile = context.env["GITHUB_STEP_SUMMARY"];
  if (summaryFile !== undefined && summaryFile !== "") await appendFile(summaryFile, stepSummary(checked, rules));
  const verdict = failed.length === 0 ? colors.green("check passed") : colors.red(`check failed: ${failed.join(", ")}`);
  const lines = [
    ...checkLines(checked, { rules, colors, columns }),
    ...wrapText(cleanText(configText(rules.loaded, rules.base, context.cwd)), columns - 2).map(
      (text) => `  ${colors.dim(text)}`,
    ),
    `${verdict}${failed[0] === undefined ? "" : `. Details: phasekit explain ${failed[0]}`}`,
  ];
  return {
    exitCode: failed.length === 0 ? exitCodes.ok : exitCodes.findings,
    data: { passed: failed.length === 0, failed, ...dataOf(checked, rules) },
    lines: isGitHub(context) ? [...lines.map(withoutCommands), ...renderAnnotations(failures)] : lines,
  } satisfies Answer;
};

/** A runner of GitHub reads commands from what a step prints. */
const isGitHub = ({ env }: CommandContext): boolean => env["GITHUB_ACTIONS"] === "true";

/** One run has its data at the top, as `why` has; several have a list. */
function dataOf(checked: CheckedRuns, { reason, config, loaded, base }: CheckRules): object {
  const { runs, notChecked, skipped, unreadable } = checked;
  const one = oneRun(checked);
  const common = {
    ...(reason !== undefined && { reason }),
    config: configToData(loaded, base),
    notChecked,
    skipped,
    unreadable,
  };
  if (one !== undefined)
    return {
      gates: [...one.gates, ...config],
      ...common,
      ...runToData(one.reading, one.end),
      tool: one.title,
      path: one.log.path,
    };
  return {
    gates: config,
    ...common,
    runs: runs.map(({ reading, end, gates, title, log }) => ({
      passed: gates.every(({ verdict }) => verdict !== "FAIL"),
      failed: gates.flatMap(({ gate, verdict }) => (verdict === "FAIL" ? [gate] : [])),
      gates,
      ...runToData(reading, end),
      ...(titleOfRun(reading) !== "" && { title: titleOfRun(reading) }),
      tool: title,
      path: log.path,
    })),
  };
}

/**
 * Returns the path of a JUnit file. Only one that this command wrote before is overwritten.
 * @throws FILE_EXISTS
 */
function reportFile(name: string, cwd: string): string {
  const path = resolve(cwd, name);
  if (existsSync(path) && !readFileSync(path, "utf8").includes('<testsuites name="phasekit check"'))
    throw fileExists(relative(cwd, path));
  return path;
}
