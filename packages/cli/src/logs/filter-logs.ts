import { tableOf } from "@phasekit/core/adapter";
import type { CommandInput } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { badArgument, noMatchingLogs } from "../errors.ts";
import { nearestName } from "../nearest-name.ts";
import { plural } from "../render/numbers.ts";
import { type FoundLog, timeOf } from "./find-logs.ts";
import { folderOfLog, isOfProject, projectRoot } from "./log-folder.ts";

/**
 * Returns the logs that pass the options `--here`, `--project`, `--since` and `--tool`.
 * @throws BAD_ARGUMENT, NO_MATCHING_LOGS
 */
export function filterLogs(
  logs: readonly FoundLog[],
  options: CommandInput["options"],
  { cwd, now }: { readonly cwd: string; readonly now: number },
): readonly FoundLog[] {
  const tool = toolOption(logs, textOption(options, "tool"));
  const since = sinceOption(textOption(options, "since"), now);
  const project = textOption(options, "project")?.toLowerCase();
  const root = isSet(options, "here") ? projectRoot(cwd) : undefined;
  const wanted = logs.filter(
    (log) =>
      (tool === undefined || log.tool === tool || log.tool === "file") &&
      (since === undefined || timeOf(log) >= since) &&
      (project === undefined || (folderOfLog(log) ?? log.project ?? "").toLowerCase().includes(project)) &&
      (root === undefined || isOfProject(log, root)),
  );
  if (wanted.length === 0 && logs.length > 0)
    throw noMatchingLogs(
      ["tool", "since", "project"]
        .flatMap((name) => (options[name] === undefined ? [] : [`--${name} ${textOption(options, name) ?? ""}`]))
        .concat(root === undefined ? [] : [`--here (${root})`])
        .join(" "),
      plural(logs.length, "log"),
    );
  return wanted;
}

/** Accepts the id of a tool, its shown name, and the beginning of either. */
function toolOption(logs: readonly FoundLog[], given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const wanted = given.toLowerCase();
  const known = [...new Map(logs.map(({ tool, title }) => [tool, title])).entries()];
  const found =
    known.find(([tool, title]) => tool === wanted || title.toLowerCase() === wanted) ??
    known.find(([tool, title]) => tool.startsWith(wanted) || title.toLowerCase().startsWith(wanted));
  if (found !== undefined) return found[0];
  const names = known.map(([tool]) => tool);
  const near = nearestName(wanted, names);
  throw badArgument(
    `No log is of the tool "${given}"`,
    near === undefined ? `There are logs of ${names.join(", ")}.` : `Did you mean \`--tool ${near}\`?`,
  );
}

const UNITS: Readonly<Record<string, number>> = tableOf({ m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 });

/**
 * Converts the value of `--since`, or of another option with a time, to a time.
 * @throws BAD_ARGUMENT
 */
export function sinceOption(given: string | undefined, now: number, flag = "--since"): number | undefined {
  if (given === undefined) return undefined;
  const [, amount, unit = ""] = /^(\d+)([mhdw])$/.exec(given) ?? [];
  if (amount !== undefined) return now - Number(amount) * (UNITS[unit] ?? 0);
  // A day begins at midnight where the user is; without a time, `Date.parse` takes UTC.
  const day = /^\d{4}-\d{2}-\d{2}$/.test(given) ? `${given}T00:00:00` : given;
  const at = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(at))
    throw badArgument(
      `${flag} cannot be "${given}"`,
      `Write \`${flag} 7d\`, \`${flag} 12h\` or \`${flag} 2026-01-31\`.`,
    );
  return at;
}
