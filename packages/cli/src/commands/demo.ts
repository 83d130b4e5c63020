import { createStory } from "@phasekit/ledger/story";
import { ownValue } from "@phasekit/core/adapter";
import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, CommandContext, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { createLiveView, createScreen } from "../demo/live-view.ts";
import { playDemo, type DemoResult } from "../demo/play-demo.ts";
import { type DemoStory, demoStories } from "../demo/stories.ts";
import { badArgument, fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { readLog } from "../logs/read-log.ts";
import { eventLine } from "../render/event-line.ts";
import { runToData } from "../render/run-to-data.ts";
import { renderWhy } from "../render/why.ts";

const PAUSE_MS = 450;
/** Fixed clock for `--fast`, so that the output is always the same. */
const FAST_START = Date.UTC(2026, 0, 1);
const FAST_TICK = 250;

/** Plays a story live, stores it in a ledger and explains its end. */
export const demo: CommandRun = async ({ args: [name = "good"], options }, context) => {
  const story = ownValue(demoStories, name);
  if (story === undefined)
    throw badArgument(`Unknown story "${name}"`, `Use one of: ${Object.keys(demoStories).join(", ")}.`);
  const kept = textOption(options, "store");
  const runs = kept === undefined ? undefined : resolve(context.cwd, kept);
  if (runs !== undefined && existsSync(runs) && !statSync(runs).isDirectory())
    throw badArgument(`--store must be a folder, and "${kept ?? ""}" is a file`, "Write `--store .phasekit/runs`.");
  if (runs !== undefined && existsSync(join(runs, `demo-${name}`))) throw fileExists(join(kept ?? "", `demo-${name}`));
  const folder = await mkdtemp(join(tmpdir(), "phasekit-demo-"));
  try {
    return await play(
      story,
      { name, folder, runs: runs ?? join(folder, "runs"), isKept: runs !== undefined, isFast: isSet(options, "fast") },
      context,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

interface DemoContext {
  readonly name: string;
  readonly folder: string;
  readonly runs: string;
  readonly isKept: boolean;
  readonly isFast: boolean;
}

async function play(
  story: DemoStory,
  { name, folder, runs, isKept, isFast }: DemoContext,
  context: CommandContext,
): Promise<Answer> {
  const { terminal, json, signal } = context;
  const isLive = terminal.isTty && !json && !terminal.isAgent;
  const screen = createScreen({ title: story.title, colors: terminal.colors });
  const view = createLiveView(screen, { terminal, rows: process.stdout.rows });
  const show = (step: Parameters<typeof screen.add>[0]): void => {
    screen.add(step);
    if (isLive) view.draw();
    else if (!json && !terminal.isAgent) for (const event of step) printLine(event, context);
  };
  let made = FAST_START;
  const project = join(folder, "project");
  await mkdir(project);
  const id = `demo-${name}`;
  const played = await playDemo(story, {
    project,
    runs,
    id,
    onStep: show,
    pause: async () => {
      signal.throwIfAborted();
      if (isLive && !isFast) await sleep(PAUSE_MS, undefined, { signal });
    },
    clock: isFast ? () => (made += FAST_TICK) : context.now,
  });
  const log = {
    tool: "phasekit",
    title: "Phasekit",
    path: runs,
    name: id,
    run: id,
    updatedAt: context.now(),
    bytes: 0,
  };
  const {
    runs: [reading],
  } = await readLog(log, { story: () => createStory({ count: "applied" }), runOptions: {} });
  const wrong = surprises(story, played);
  if (reading === undefined) throw new Error("The ledger of the demo is empty.");
  const frame = { log, title: "Phasekit", now: isFast ? made : context.now(), lost: 0, others: 0, showTask: false };
  return {
    exitCode: wrong.length === 0 ? exitCodes.ok : exitCodes.findings,
    data: {
      demo: name,
      asPromised: wrong.length === 0,
      surprises: wrong,
      testsPass: played.testsPass,
      ...runToData(reading),
      ...(isKept && { path: runs }),
    },
    lines: [
      ...(terminal.isAgent ? [] : ["", "$ phasekit why", ""]),
      ...renderWhy(reading, frame, terminal),
      ...(isKept ? [`  Stored in ${runs}.`] : []),
      ...wrong.map((text) => terminal.colors.red(`Unexpected demo result: ${text}`)),
    ],
  };
}

function printLine(event: Parameters<typeof eventLine>[0], { terminal }: CommandContext): void {
  const line = eventLine(event, { colors: terminal.colors, width: terminal.columns, all: true });
  if (line !== undefined) terminal.out(`${line}\n`);
}

/** Compares the result with the expected end of the story. */
function surprises({ ends }: DemoStory, { run, testsPass, complaints }: DemoResult): readonly string[] {
  const { reason, verified } = run.outcome ?? {};
  return [
    ...(reason === ends.reason ? [] : [`the run ended with "${reason ?? "nothing"}", not "${ends.reason}"`]),
    ...(verified === ends.verified ? [] : [`verified is ${String(verified)}`]),
    ...(testsPass === ends.testsPass ? [] : [`the tests of the project ${testsPass ? "pass" : "fail"}`]),
    ...complaints,
  ];
}
