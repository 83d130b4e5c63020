import type { CommandSpec } from "../packages/cli/src/command.ts";
import { commandTable, globalOptions, optionsOf, runArgumentText } from "../packages/cli/src/command-table.ts";

/** docs/commands.md, from the table of commands that the parser and `phasekit help` read. */
export function commandPage(): string {
  const groups = [...new Set(commandTable.map(({ group }) => group))];
  return [
    "# Commands",
    "",
    "<!-- Written by `pnpm reference` from packages/cli/src/command-table.ts. Do not edit. -->",
    "",
    "Every command of `phasekit` with its options, as `phasekit help <command>` prints them. The [guide](cli.md) says",
    "what the commands are for.",
    "",
    `\`[run]\` is ${runArgumentText}.`,
    "",
    ...optionTable(globalOptions, "Option of every command"),
    ...groups.flatMap((group) => [
      `## ${group}`,
      "",
      ...commandTable.filter((spec) => spec.group === group).flatMap(commandSection),
    ]),
  ].join("\n");
}

function commandSection(spec: CommandSpec): readonly string[] {
  const { usage, summary, examples = [] } = spec;
  const options = optionsOf(spec);
  return [
    `### \`${usage}\``,
    "",
    `${summary}.`,
    "",
    ...(options.length === 0 ? [] : optionTable(options, "Option")),
    ...(examples.length === 0 ? [] : ["```sh", ...examples, "```", ""]),
  ];
}

/** An address that is an example, and not a page. */
const ADDRESS = /http:\/\/localhost:\d+/;

function optionTable(options: NonNullable<CommandSpec["options"]>, head: string): readonly string[] {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  return [
    `| ${head} | Effect |`,
    "| --- | --- |",
    ...options.map(
      ([flags, text]) => `| \`${cell(flags)}\` | ${cell(text).replaceAll("<", "\\<").replace(ADDRESS, "`$&`")} |`,
    ),
    "",
  ];
}
