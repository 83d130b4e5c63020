import { type RunStory, verificationOf, words } from "@phasekit/ledger/story";
import { diffArrays } from "diff";
import { cleanText, fitText } from "../clean-text.ts";
import type { CommandContext, CommandRun } from "../command.ts";
import { isSet } from "../command-options.ts";
import { exitCodes } from "../exit-code.ts";
import { createCallList } from "../story/call-list.ts";
import { count, duration, percent, plural } from "../render/numbers.ts";
import { table } from "../render/table.ts";
import { runToData } from "../render/run-to-data.ts";
import { shortId } from "../render/short-id.ts";
import { chooseRun } from "../logs/choose-run.ts";

interface Side {
  readonly reading: Awaited<ReturnType<typeof chooseRun>>["reading"];
  readonly calls: readonly string[];
}

/** Compares two runs. */
export const diff: CommandRun = async ({ args: [a = "", b = ""], options }, context) => {
  const { colors, columns } = context.terminal;
  const [left, right] = [await sideOf(a, context), await sideOf(b, context)];
  const changes = diffArrays([...left.calls], [...right.calls]);
  const same = changes
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.length, 0);
  const rows = compare(left.reading.story, right.reading.story);
  const listed = changes.flatMap(({ value, added, removed }) => {
    if (!added && !removed) return [colors.dim(`    … ${count(value.length)} identical`)];
    return value.map((call) =>
      added ? colors.green(`  + ${fitText(call, columns - 4)}`) : colors.red(`  - ${fitText(call, columns - 4)}`),
    );
  });
  return {
    exitCode: exitCodes.ok,
    data: {
      a: runToData(left.reading),
      b: runToData(right.reading),
      calls: { same, onlyA: left.calls.length - same, onlyB: right.calls.length - same },
      rows,
    },
    lines: [
      ...table(
        [
          { head: "" },
          { head: `A ${shortId(cleanText(left.reading.about.id))}`, alone: (cell) => `A: ${cell}` },
          { head: `B ${shortId(cleanText(right.reading.about.id))}`, alone: (cell) => `B: ${cell}` },
        ],
        rows.map(({ what, a: one, b: other }) => [what, one, one === other ? colors.dim(other) : colors.bold(other)]),
        { width: columns, head: colors.bold },
      ),
      "",
      [
        `Calls: ${count(same)} in both`,
        `${count(left.calls.length - same)} only in A`,
        `${count(right.calls.length - same)} only in B.`,
      ].join(", "),
      ...(isSet(options, "calls") ? listed : []),
    ],
  };
};

async function sideOf(argument: string, context: CommandContext): Promise<Side> {
  const list = createCallList();
  const { reading } = await chooseRun(argument, context, { onStep: list.add });
  return { reading, calls: list.of(reading.about.id) };
}

function compare(
  a: RunStory,
  b: RunStory,
): readonly { readonly what: string; readonly a: string; readonly b: string }[] {
  const row = (what: string, show: (story: RunStory) => string) => ({
    what,
    a: cleanText(show(a)),
    b: cleanText(show(b)),
  });
  const phases = [...new Set([...a.phases, ...b.phases].map(({ phase }) => phase))];
  return [
    row("end", (story) => `${words.endingOf(story).word} in ${story.phase}`),
    row("verified", (story) => words.verdictText(verificationOf(story))),
    row("turns", ({ turns }) => count(turns)),
    row("calls", ({ calls }) => count(calls)),
    row("failed calls", ({ failedCalls }) => count(failedCalls)),
    row("wasted calls", ({ wasted }) => count(wasted.calls)),
    row("tokens", (story) => words.tokenText(story) ?? "unknown"),
    row("time", ({ elapsedMs }) => (elapsedMs === 0 ? "unknown" : duration(elapsedMs))),
    row(
      "loops",
      ({ loops }) =>
        loops
          .map(({ kind, count: times }) => `${kind} ×${String(times)}`)
          .slice(0, 2)
          .join(", ") || "none",
    ),
    ...phases.map((phase) =>
      row(phase, ({ phases: own }) => {
        const found = own.find((share) => share.phase === phase);
        return found === undefined ? "–" : `${percent(found.share)}, ${plural(found.calls, "call")}`;
      }),
    ),
  ];
}
