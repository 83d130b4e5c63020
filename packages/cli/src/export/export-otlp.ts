import type { RunEvent } from "@phasekit/core";
import { otlpRequests, sendOtlp, type SendOtlpOptions } from "@phasekit/otel";
import { createStory } from "@phasekit/ledger/story";
import type { TranscriptRun } from "@phasekit/transcripts";
import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Answer, CommandContext, CommandInput } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { writePrivateFile } from "../config/private-folder.ts";
import { badArgument, cannotSend, fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { chooseLogs } from "../logs/choose-logs.ts";
import { chooseRun } from "../logs/choose-run.ts";
import { filterLogs } from "../logs/filter-logs.ts";
import { readLogs } from "../logs/read-logs.ts";
import { readRuns } from "../logs/read-log.ts";
import { createProgress } from "../progress.ts";
import { plural } from "../render/numbers.ts";
import { safeJson } from "../render/safe-json.ts";
import { configuredSet } from "../run-presets.ts";

/** A run, and the tool that wrote its log. */
interface ExportedRun {
  readonly about: TranscriptRun;
  readonly events: readonly RunEvent[];
}

/** Characters of one request to a backend; a few of them limit requests to some megabytes. */
const REQUEST_LENGTH = 1_000_000;

/**
 * Exports runs as OpenTelemetry traces: to an endpoint, to a file, or to standard output as the lines a collector
 * writes.
 */
export async function exportOtlp(
  { args: [argument], options }: CommandInput,
  context: CommandContext,
): Promise<Answer> {
  const endpoint = textOption(options, "endpoint");
  const headers = headersIn(options["header"]);
  if (endpoint === undefined && Object.keys(headers).length > 0)
    throw badArgument("--header needs --endpoint", "Add `--endpoint <url>`, such as `http://localhost:4318`.");
  const runs =
    argument === undefined && options["since"] !== undefined
      ? await runsSince(options, context)
      : await oneRun(argument, options, context);
  const making = { text: isSet(options, "text"), asSpans: isSet(options, "asSpans") };
  if (endpoint !== undefined) return await sendRuns(runs, { ...making, endpoint, headers });
  const lines = runs.flatMap(({ about, events }) =>
    [...otlpRequests(events, { ...making, agent: agentOf(about) })].map(({ body }) => safeJson(JSON.parse(body))),
  );
  const out = textOption(options, "out");
  if (out === undefined) return { exitCode: exitCodes.ok, data: { lines }, lines, isCode: true };
  const path = resolve(context.cwd, out);
  if (existsSync(path)) throw fileExists(relative(context.cwd, path));
  writePrivateFile(path, `${lines.join("\n")}\n`, { isPublic: isSet(options, "public") });
  return {
    exitCode: exitCodes.ok,
    data: { path, runs: runs.length, lines: lines.length },
    lines: [`Wrote ${relative(context.cwd, path)}: ${plural(runs.length, "run")} as OpenTelemetry traces.`],
  };
}

/** The run that an argument names, with its sub-agents: one trace. */
async function oneRun(
  argument: string | undefined,
  options: CommandInput["options"],
  context: CommandContext,
): Promise<readonly ExportedRun[]> {
  const { onStep, runs } = createCollector();
  const { reading } = await chooseRun(argument, context, { onStep, filters: options });
  const family = new Set([reading.about.id]);
  const all = runs();
  // Parents come before their sub-agents.
  for (const { about } of all) if (about.parent !== undefined && family.has(about.parent.run)) family.add(about.id);
  return all.filter(({ about }) => family.has(about.id));
}

async function runsSince(options: CommandInput["options"], context: CommandContext): Promise<readonly ExportedRun[]> {
  const { cwd, terminal, signal } = context;
  const { logs: all } = await chooseLogs(undefined, context);
  const logs = filterLogs(all, options, { cwd, now: context.now() });
  const { onStep, runs } = createCollector();
  const set = await configuredSet(await context.config());
  const playing = { story: createStory, runOptions: set.options("observe"), onStep };
  await readLogs(logs, {
    read: (log) => readRuns(log, playing),
    take: () => undefined,
    progress: createProgress(terminal, { total: logs.length }),
    signal,
  });
  return runs();
}

/** Collects the events of runs, in the order in which the runs began. */
function createCollector() {
  const found = new Map<string, { about: TranscriptRun; readonly events: RunEvent[] }>();
  return {
    onStep: (about: TranscriptRun, step: readonly RunEvent[]): void => {
      const run = found.get(about.id) ?? { about, events: [] };
      found.set(about.id, run);
      run.about = about;
      run.events.push(...step);
    },
    runs: (): readonly ExportedRun[] => [...found.values()],
  };
}

async function sendRuns(
  runs: readonly ExportedRun[],
  { endpoint, ...sending }: Pick<SendOtlpOptions, "endpoint" | "headers" | "text" | "asSpans">,
): Promise<Answer> {
  let requests = 0;
  let logsRefused: string | undefined;
  for (const { about, events } of runs) {
    try {
      const sent = await sendOtlp(events, {
        endpoint,
        ...sending,
        agent: agentOf(about),
        maxLength: REQUEST_LENGTH,
        // The command has nothing else to do: a timer may keep it alive.
        wait: (ms) => new Promise((done) => void setTimeout(done, ms)),
      });
      requests += sent.requests;
      logsRefused ??= sent.logsRefused;
    } catch (error) {
      throw cannotSend(endpoint, error instanceof Error ? messageOf(error) : String(error));
    }
  }
  return {
    exitCode: exitCodes.ok,
    data: { endpoint, runs: runs.length, requests, ...(logsRefused !== undefined && { logsRefused }) },
    lines: [
      `Sent ${plural(runs.length, "run")} to ${endpoint} in ${plural(requests, "request")}.`,
      ...(logsRefused === undefined
        ? []
        : [`Its log-based events were refused: ${logsRefused}. Add \`--as-spans\` to send them as spans.`]),
    ],
  };
}

/** `fetch` says only that it failed; the cause says why. */
const messageOf = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message !== "" ? `${message}: ${cause.message}` : message;

/** The tool is the agent; for runs of one's own its name is not known. */
const agentOf = ({ format }: TranscriptRun): string => (format === "phasekit" ? "agent" : format);

/**
 * Reads headers as `name=value`. A value may hold commas and equals signs.
 * @throws BAD_ARGUMENT
 */
function headersIn(given: unknown): Readonly<Record<string, string>> {
  const headers: [string, string][] = [];
  for (const text of [given].flat()) {
    if (text === undefined || text === false) continue;
    const [, name, value] = /^([\w-]+)\s*[=:]\s*(.+)$/s.exec(typeof text === "string" ? text : "") ?? [];
    if (name === undefined || value === undefined)
      throw badArgument("--header needs a name and a value", 'Write `--header "x-api-key=<key>"`.');
    headers.push([name, value]);
  }
  return Object.fromEntries(headers);
}
