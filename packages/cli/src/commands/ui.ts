import { reviewInbox, serveRuns, type ServeOptions } from "@phasekit/report/node";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import type { CommandContext, CommandRun } from "../command.ts";
import { countOption, isSet } from "../command-options.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { isStore, openStore, ownRunsFolder } from "../logs/own-runs.ts";
import { openInBrowser } from "../open-in-browser.ts";

/** Serves the runs of a store as live pages on this machine, until the person wants out. */
export const ui: CommandRun = async ({ args: [argument], options }, context) => {
  const { folder, ...shown } = await whatToShow(argument, context);
  const port = countOption(options, "port");
  const served = await serveRuns({ ...shown, ...(port !== undefined && { port }) });
  if (context.json) context.terminal.out(`${JSON.stringify({ v: 1, event: "listening", url: served.url, folder })}\n`);
  else context.terminal.out(`Runs of ${folder}\n${served.url}\nOnly this machine, and only with that address. Ctrl-C ends it.\n`);
  if (isSet(options, "open")) openInBrowser(served.url);
  if (!context.signal.aborted) await once(context.signal, "abort");
  await served.close();
  return { exitCode: exitCodes.ok, data: { folder }, lines: [] };
};

/** What there is to see, and where an answer to a review is put: beside the runs, for whoever waits for it there. */
async function whatToShow(argument: string | undefined, context: CommandContext): Promise<Pick<ServeOptions, "store" | "answerReview"> & { readonly folder: string }> {
  const { database } = context;
  if (database !== undefined) {
    if (argument !== undefined) throw badArgument(`Both a database and ${argument} were named`, "Name one of them.");
    return { store: database.runs, answerReview: database.reviews.answerReview, folder: database.place };
  }
  const folder = argument === undefined ? await ownRunsFolder(context) : resolve(context.cwd, argument);
  if (argument !== undefined && !isStore(folder)) throw badArgument(`${argument} holds no runs of a file store`, "Name the folder your runs are stored in; logs of other tools are shown by `phasekit report`.");
  return { store: await openStore(folder), answerReview: reviewInbox(join(dirname(folder), "reviews")).answerReview, folder };
}
