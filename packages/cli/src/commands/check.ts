import { appendFile } from "node:fs/promises";
import { readConfigBase, tightest } from "../config/base-config.ts";
import { searchedFolders } from "../config/find-config.ts";
import { CONFIG_GATE, configGates, configText, configToData, withPolicyOf } from "../config/judge-config.ts";
import { missingApprovals } from "../config/trust-store.ts";
import { homeFolder } from "../config/user-folders.ts";
import { cleanText, padText } from "../clean-text.ts";
import type { CommandRun } from "../command.ts";
import { choiceOption, countOption, listOption, textOption } from "../command-options.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { checkStory, evidenceLimits, type GateResult, gateNames } from "../story/check-story.ts";
import { plural } from "../render/numbers.ts";
import { runToData } from "../render/run-to-data.ts";
import { stepSummary } from "../render/step-summary.ts";
import { endOf } from "../render/why.ts";
import { wrapText } from "../render/wrap-text.ts";
import { chooseRun } from "../logs/choose-run.ts";
import type { Colors } from "../terminal.ts";

/** Gate for CI: the run finished, its end is verified, and it kept its limits. */
export const check: CommandRun = async ({ args: [argument], options }, context) => {
  const {
    terminal: { colors, columns },
    env,
  } = context;
  const loaded = await context.config();
  const base = await readConfigBase(loaded, { cwd: context.cwd, base: textOption(options, "base") });
  // An approved config applies as it is. Any other may have been written by the agent under check.
  const limits = loaded.approved
    ? (loaded.config.check ?? {})
    : tightest(loaded.config.check ?? {}, base.config.check ?? {});
  const waived = listOption(options, "waive");
  const reason = textOption(options, "reason");
  if (waived.length > 0 && reason === undefined)
    throw badArgument("--waive requires --reason", 'Add one: `--waive verified --reason "docs only"`.');
  const without = [...(limits.without ?? []), ...listOption(options, "without")];
  const names = [...gateNames, CONFIG_GATE];
  const unknown = [...without, ...waived].find((gate) => !names.includes(gate));
  if (unknown !== undefined) throw badArgument(`Unknown gate "${unknown}"`, `Use one of: ${names.join(", ")}.`);

  const { reading, log, title, others } = await chooseRun(argument, {
    ...context,
    // The policies define a loop, so the agent must not choose them either.
    config: async () => Promise.resolve(loaded.approved ? loaded : withPolicyOf(loaded, base)),
  });
  const missing = await missingApprovals(env, searchedFolders(context.cwd, homeFolder(env)));
  const configGate = without.includes(CONFIG_GATE) ? [] : configGates(loaded, { base, missing, cwd: context.cwd });
  const end = endOf(reading, { log, now: context.now() });
  const results = checkStory(reading.story, {
    end,
    without,
    waived,
    evidence: choiceOption(options, "evidence", evidenceLimits) ?? limits.evidence,
    maxTurns: countOption(options, "maxTurns") ?? limits.maxTurns,
    maxTokens: countOption(options, "maxTokens") ?? limits.maxTokens,
    maxWastedCalls: countOption(options, "maxWasted") ?? limits.maxWastedCalls,
  }).concat(
    configGate.map((result) =>
      result.verdict === "FAIL" && waived.includes(CONFIG_GATE) ? { ...result, verdict: "WAIVED" } : result,
    ),
  );
  const failed = results.filter(({ verdict }) => verdict === "FAIL");
  const summaryFile = env["GITHUB_STEP_SUMMARY"];
  if (summaryFile !== undefined && summaryFile !== "")
    await appendFile(summaryFile, stepSummary(reading, { title, results, reason, end: end.word }));
  const verdict =
    failed.length === 0
      ? colors.green("check passed")
      : colors.red(`check failed: ${failed.map(({ gate }) => gate).join(", ")}`);
  return {
    exitCode: failed.length === 0 ? exitCodes.ok : exitCodes.findings,
    data: {
      passed: failed.length === 0,
      failed: failed.map(({ gate }) => gate),
      gates: results,
      ...(reason !== undefined && { reason }),
      config: configToData(loaded, base),
      ...runToData(reading, end),
      tool: title,
      path: log.path,
      notChecked: argument === undefined ? 0 : others,
    },
    lines: [
      `${cleanText(title)} · ${cleanText(reading.about.id)}`,
      ...(argument === undefined ? [] : othersText(others, columns)),
      ...results.flatMap((result) => gateLines(result, { reason, colors, columns })),
      ...wrapText(cleanText(configText(loaded, base, context.cwd)), columns - 2).map((text) => `  ${colors.dim(text)}`),
      `${verdict}${failed[0] === undefined ? "" : `. Details: phasekit explain ${failed[0].gate}`}`,
    ],
  };
};

/** One run is checked: a folder may hold others that would fail. */
function othersText(others: number, columns: number): readonly string[] {
  if (others === 0) return [];
  const text = `the newest of ${plural(others + 1, "log")}; the others were not checked`;
  return wrapText(text, columns - 2).map((line) => `  ${line}`);
}

function gateLines(
  { gate, verdict, text }: GateResult,
  {
    reason = "",
    colors,
    columns,
  }: { readonly reason: string | undefined; readonly colors: Colors; readonly columns: number },
): readonly string[] {
  const paint = { PASS: colors.green, FAIL: colors.red, WAIVED: colors.magenta, UNKNOWN: colors.dim };
  // On a narrow terminal the text is printed under the gate.
  const indent = columns < 60 ? 4 : 25;
  const head = `  ${paint[verdict](padText(verdict, 7))}  ${padText(gate, 12)}  `;
  const why = cleanText(`${text}${verdict === "WAIVED" ? ` — waived: ${reason}` : ""}`);
  const [first = "", ...rest] = wrapText(why, columns - indent);
  const below = (indent === 4 ? [first, ...rest] : rest).map((part) => " ".repeat(indent) + part);
  return [indent === 4 ? head.trimEnd() : head + first, ...below];
}
