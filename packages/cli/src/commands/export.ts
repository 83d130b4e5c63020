import type { RunEvent } from "@phasekit/core";
import { createMemoryStore, summarizeRun } from "@phasekit/ledger";
import { exportRun as exportFolder } from "@phasekit/ledger/node";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { Answer, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { writePrivateFile } from "../config/private-folder.ts";
import { badArgument, fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { eventsToAtif } from "../export/events-to-atif.ts";
import { chooseRun } from "../logs/choose-run.ts";
import { plural } from "../render/numbers.ts";
import { safeJson } from "../render/safe-json.ts";

/** Exports a run as events, as an archive folder, as ATIF or as an OpenTelemetry trace. */
export const exportRun: CommandRun = async (input, context) => {
  const {
    args: [argument],
    options,
  } = input;
  if (isSet(options, "otlp") || options["endpoint"] !== undefined)
    return (await import("../export/export-otlp.ts")).exportOtlp(input, context);
  const { cwd } = context;
  const byRun = new Map<string, RunEvent[]>();
  const { reading } = await chooseRun(argument, context, {
    onStep: ({ id }, step) => {
      const events = byRun.get(id);
      if (events === undefined) byRun.set(id, [...step]);
      else events.push(...step);
    },
  });
  const { id } = reading.about;
  const events = byRun.get(id) ?? [];
  const folder = textOption(options, "archive");
  const isPublic = isSet(options, "public");
  if (folder !== undefined) return await writeArchive(resolve(cwd, folder), { id, events, cwd, isPublic });
  const summary = summarizeRun(events);
  const content = isSet(options, "atif")
    ? eventsToAtif(events, { about: reading.about, withText: isSet(options, "text") })
    : { summary, events };
  const out = textOption(options, "out");
  if (out === undefined && !isSet(options, "atif") && !context.json)
    throw badArgument(
      "export needs a format",
      "Add `--json`, `--atif`, `--otlp` or `--archive <folder>`. To write a file, also add `--out <file>`.",
    );
  if (out === undefined)
    return { exitCode: exitCodes.ok, data: content, lines: safeJson(content, 2).split("\n"), isCode: true };
  const path = resolve(cwd, out);
  if (existsSync(path)) throw fileExists(relative(cwd, path));
  writePrivateFile(path, `${safeJson(content, 2)}\n`, { isPublic });
  return {
    exitCode: exitCodes.ok,
    data: { path, run: id, events: events.length },
    lines: [`Wrote ${relative(cwd, path)}: ${plural(events.length, "event")} of run ${id}.`],
  };
};

async function writeArchive(
  folder: string,
  {
    id,
    events,
    cwd,
    isPublic,
  }: {
    readonly id: string;
    readonly events: readonly RunEvent[];
    readonly cwd: string;
    readonly isPublic: boolean;
  },
): Promise<Answer> {
  const store = createMemoryStore();
  await store.append(id, events, { after: 0 });
  const { sidecars } = await exportFolder(store, id, { folder });
  const files = ["summary.json.gz", ...sidecars.map(({ name }) => name)];
  if (isPublic) {
    await chmod(folder, 0o755);
    for (const name of files) await chmod(join(folder, name), 0o644);
  }
  return {
    exitCode: exitCodes.ok,
    data: { folder, run: id, files },
    lines: [`Wrote ${relative(cwd, folder) || "."}: summary.json.gz and ${plural(sidecars.length, "file")} beside it.`],
  };
}
