import { hookAgents } from "@phasekit/hooks";
import type { LocalInstallPlan } from "../hooks/install/apply-install.ts";
import { planDiff } from "../hooks/install/install-context.ts";
import { isInProcess } from "../hooks/install/install-target.ts";
import { plural } from "../render/numbers.ts";
import type { Colors } from "../terminal.ts";
import { shortened } from "./install-folders.ts";

/** Lines of one file's diff that are shown before the rest is left to `--dry-run`. */
const SHORT = 14;

/** Options for `planLines()`. */
export interface PlanLinesOptions {
  readonly colors: Colors;
  /** Show every line of each diff. @default false */
  readonly full?: boolean;
}

/** Renders the files a plan changes, each with its diff. The token of the local server is not shown. */
export function planLines(
  { agent, target, files, folders }: LocalInstallPlan,
  { colors, full = false }: PlanLinesOptions,
): readonly string[] {
  const secrets = files.flatMap(({ before, after }) => tokensIn(`${before ?? ""}${after ?? ""}`));
  return files.flatMap((file) => {
    const { path, before, after } = file;
    const isCode = path === target && isInProcess(agent);
    const kind = before === undefined ? " (new)" : after === undefined ? " (removed)" : "";
    const text = secrets.reduce((shown, token) => shown.replaceAll(token, "<token>"), isCode ? "" : planDiff(file));
    // The diff of a whole file ends with the empty text after its last line.
    const lines = text.replace(/\n[+-] $/, "").split("\n");
    const shown = full || lines.length <= SHORT + 4 ? lines : lines.slice(0, SHORT);
    const rest = lines.length - shown.length;
    return [
      colors.bold(`${shortened(path, folders.home)}${kind}`),
      ...(isCode
        ? [`  ${plural((after ?? before ?? "").length, "character")} of Phasekit's own code`]
        : shown.map((line) => painted(line, colors))),
      ...(rest > 0 ? [colors.dim(`  … and ${plural(rest, "line")} like these; --dry-run shows all`)] : []),
      "",
    ];
  });
}

function painted(line: string, colors: Colors): string {
  return line.startsWith("+") ? colors.green(line) : line.startsWith("-") ? colors.red(line) : colors.dim(line);
}

function tokensIn(text: string): readonly string[] {
  return [...text.matchAll(/"token":\s*"([^"]{8,})"/g)].map(([, token = ""]) => token);
}

/** The agent's name as its vendor writes it. */
export const agentTitle = (agent: LocalInstallPlan["agent"]): string => hookAgents[agent].title;
