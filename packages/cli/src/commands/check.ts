import { appendFile } from "node:fs/promises";
import { cleanText, padText } from "../clean-text.ts";
import type { CommandRun } from "../command.ts";
import { countOption, listOption, textOption } from "../command-options.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { titleOf } from "../logs/tool-title.ts";
import { checkStory, type GateResult, gateNames } from "../story/check-story.ts";
import { toldToData } from "../render/told-to-data.ts";
import { stepSummary } from "../render/step-summary.ts";
import { wrapText } from "../render/wrap-text.ts";
import { chooseRun } from "../logs/choose-run.ts";

/** A gate for CI: the run came to its end, its end is verified, and its limits hold. */
export const check: CommandRun = async ({ args: [argument], options }, context) => {
  const { terminal: { colors, columns }, env } = context;
  const { config: { check: limits = {} } } = await context.config();
  const waived = listOption(options, "waive");
  const reason = textOption(options, "reason");
  if (waived.length > 0 && reason === undefined) throw badArgument("--waive has no --reason", 'Say why, such as `--waive verified --reason "docs only"`.');
  const without = [...(limits.without ?? []), ...listOption(options, "without")];
  const unknown = [...without, ...waived].find((gate) => !gateNames.includes(gate));
  if (unknown !== undefined) throw badArgument(`There is no gate "${unknown}"`, `Gates: ${gateNames.join(", ")}.`);

  const { told, log, format } = await chooseRun(argument, context);
  const results = checkStory(told.story, {
    without,
    waived,
    maxTurns: countOption(options, "maxTurns") ?? limits.maxTurns,
    maxTokens: countOption(options, "maxTokens") ?? limits.maxTokens,
    maxWastedCalls: countOption(options, "maxWasted") ?? limits.maxWastedCalls,
  });
  const failed = results.filter(({ verdict }) => verdict === "FAIL");
  const title = titleOf(format, log);
  const summaryFile = env["GITHUB_STEP_SUMMARY"];
  if (summaryFile !== undefined && summaryFile !== "") await appendFile(summaryFile, stepSummary(told, { title, results, reason }));
  const paint = { PASS: colors.green, FAIL: colors.red, WAIVED: colors.magenta, UNKNOWN: colors.dim };
  const line = ({ gate, verdict, text }: GateResult): readonly string[] =>
    wrapText(cleanText(`${text}${verdict === "WAIVED" ? ` — waived: ${reason ?? ""}` : ""}`), columns - 25).map((part, index) => (index === 0 ? `  ${paint[verdict](padText(verdict, 7))}  ${padText(gate, 12)}  ${part}` : `${" ".repeat(25)}${part}`));
  const verdict = failed.length === 0 ? colors.green("check passed") : colors.red(`check failed: ${failed.map(({ gate }) => gate).join(", ")}`);
  return {
    exitCode: failed.length === 0 ? exitCodes.ok : exitCodes.findings,
    data: { passed: failed.length === 0, failed: failed.map(({ gate }) => gate), gates: results, ...(reason !== undefined && { reason }), ...toldToData(told), tool: title, path: log.path },
    lines: [`${cleanText(title)} · ${cleanText(told.about.id)}`, ...results.flatMap(line), `${verdict}${failed[0] === undefined ? "" : ` — phasekit explain ${failed[0].gate}`}`],
  };
};
