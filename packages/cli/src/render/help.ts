import { textWidth } from "../clean-text.ts";
import { commandTable, globalOptions, optionsOf, runArgumentText } from "../command-table.ts";
import { type CommandSpec, nameOfCommand } from "../command.ts";
import type { Colors } from "../terminal.ts";
import { wrapText } from "./wrap-text.ts";

/** The look of the help. */
export interface HelpFrame {
  readonly version: string;
  readonly columns: number;
  readonly colors: Colors;
}

type Entry = readonly [term: string, text: string];

/** Renders the short help: the commands most people need. */
export function renderShortHelp({ version, columns, colors }: HelpFrame): readonly string[] {
  const entries = commandTable.flatMap(({ usage, short }): readonly Entry[] =>
    short === undefined ? [] : [[usage, short]],
  );
  return [
    ...wrapText(`phasekit/${version} · Why did my agent stop?`, columns),
    "",
    ...wrapText("Usage: phasekit <command> [options]", columns),
    "",
    ...definitions(entries, columns),
    "",
    ...definitions(
      [
        ["phasekit help --all", "List all commands and options"],
        ["phasekit help <command>", "Explain one command"],
      ],
      columns,
    ).map((line) => colors.dim(line)),
  ];
}

/** Renders all commands in groups, and the options of every command. */
export function renderFullHelp({ version, columns, colors }: HelpFrame): readonly string[] {
  const groups = new Map<string, Entry[]>();
  for (const { group, usage, summary } of commandTable)
    groups.set(group, [...(groups.get(group) ?? []), [usage, summary]]);
  return [
    `phasekit/${version}`,
    "",
    ...wrapText("Usage: phasekit <command> [options]", columns),
    ...[...groups].flatMap(([group, entries]) => ["", colors.bold(group), ...definitions(entries, columns)]),
    "",
    colors.bold("Options of every command"),
    ...definitions(globalOptions, columns),
    "",
    ...wrapText(`[run] is ${runArgumentText}.`, columns),
  ];
}

/** Renders the help of one command. */
export function renderCommandHelp(spec: CommandSpec, { version, columns, colors }: HelpFrame): readonly string[] {
  const { usage, summary, examples = [] } = spec;
  const own = optionsOf(spec);
  return [
    `phasekit/${version}`,
    "",
    ...wrapText(`Usage: phasekit ${usage}${own.length === 0 ? "" : " [options]"}`, columns),
    "",
    ...wrapText(`${summary}.`, columns),
    ...(usage.includes("[run]") ? wrapText(`[run] is ${runArgumentText}.`, columns) : []),
    ...(own.length === 0 ? [] : ["", colors.bold("Options"), ...definitions(own, columns)]),
    "",
    colors.bold("Options of every command"),
    ...definitions(globalOptions, columns),
    ...(examples.length === 0 ? [] : ["", colors.bold("Examples"), ...examples.map((example) => `  $ ${example}`)]),
  ];
}

/** Finds a command of the table. */
export function findCommand(name: string): CommandSpec | undefined {
  return commandTable.find((spec) => nameOfCommand(spec) === name);
}

/** Below this width a text is printed under its term. */
const NARROW = 60;

/** Renders terms with their texts: side by side, or one below the other on a narrow terminal. */
function definitions(entries: readonly Entry[], columns: number): readonly string[] {
  const longest = Math.max(...entries.map(([term]) => textWidth(term)));
  if (columns < NARROW)
    return entries.flatMap(([term, text]) => [
      ...wrapText(term, columns - 2).map((line) => `  ${line}`),
      ...wrapText(text, columns - 6).map((line) => `      ${line}`),
    ]);
  return entries.flatMap(([term, text]) =>
    wrapText(text, columns - longest - 4).map(
      (line, index) => `  ${(index === 0 ? term : "").padEnd(longest)}  ${line}`,
    ),
  );
}
