import type { RunEvent } from "@phasekit/core";
import { createMemoryStore, summarizeRun } from "@phasekit/ledger";
import { exportArchive } from "@phasekit/ledger/node";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { relative, resolve } from "node:path";
import type { Answer, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { badArgument, fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { eventsToAtif } from "../export/events-to-atif.ts";
import { chooseRun } from "../logs/choose-run.ts";
import { plural } from "../render/numbers.ts";

/** Writes a run in another form: our events, an archive folder, or ATIF. */
export const exportRun: CommandRun = async ({ args: [argument], options }, context) => {
  const { cwd } = context;
  const byRun = new Map<string, RunEvent[]>();
  const { told } = await chooseRun(argument, context, {
    onStep: ({ id }, step) => {
      const events = byRun.get(id);
      if (events === undefined) byRun.set(id, [...step]);
      else events.push(...step);
    },
  });
  const { id } = told.about;
  const events = byRun.get(id) ?? [];
  const folder = textOption(options, "archive");
  if (folder !== undefined) return await writeArchive(resolve(cwd, folder), { id, events, cwd });
  const summary = summarizeRun(events);
  const content = isSet(options, "atif") ? eventsToAtif(events, { about: told.about, withText: isSet(options, "text") }) : { summary, events };
  const out = textOption(options, "out");
  if (out === undefined && !isSet(options, "atif") && !context.json) throw badArgument("Nothing says in which form", "Add `--json`, `--atif` or `--archive <folder>`, and `--out <file>` to write a file.");
  if (out === undefined) return { exitCode: exitCodes.ok, data: content, lines: JSON.stringify(content, undefined, 2).split("\n") };
  const path = resolve(cwd, out);
  if (existsSync(path)) throw fileExists(relative(cwd, path));
  await writeFile(path, `${JSON.stringify(content, undefined, 2)}\n`);
  return { exitCode: exitCodes.ok, data: { path, run: id, events: events.length }, lines: [`Wrote ${relative(cwd, path)}: ${plural(events.length, "event")} of ${id}.`] };
};

async function writeArchive(folder: string, { id, events, cwd }: { readonly id: string; readonly events: readonly RunEvent[]; readonly cwd: string }): Promise<Answer> {
  const store = createMemoryStore();
  await store.append(id, events, { after: 0 });
  const { sidecars } = await exportArchive(store, id, { folder });
  return { exitCode: exitCodes.ok, data: { folder, run: id, files: ["summary.json.gz", ...sidecars.map(({ name }) => name)] }, lines: [`Wrote ${relative(cwd, folder) || "."}: summary.json.gz and ${plural(sidecars.length, "file")} beside it.`] };
}
