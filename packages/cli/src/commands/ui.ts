import { reviewInbox, serveRuns } from "@phasekit/report/node";
import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import type { CommandRun } from "../command.ts";
import { countOption, isSet } from "../command-options.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { isStore, openStore, ownRunsFolder } from "../logs/own-runs.ts";
import { openInBrowser } from "../open-in-browser.ts";

/** Serves the runs of a store as live pages on this machine, until the person wants out. */
export const ui: CommandRun = async ({ args: [argument], options }, context) => {
  const folder = argument === undefined ? await ownRunsFolder(context) : resolve(context.cwd, argument);
  if (argument !== undefined && !isStore(folder)) throw badArgument(`${argument} holds no runs of a file store`, "Name the folder your runs are stored in; logs of other tools are shown by `phasekit report`.");
  const inbox = reviewInbox(join(dirname(folder), "reviews"));
  const port = countOption(options, "port");
  const served = await serveRuns({ store: openStore(folder), answerReview: inbox.answerReview, ...(port !== undefined && { port }) });
  if (context.json) context.terminal.out(`${JSON.stringify({ v: 1, event: "listening", url: served.url, folder })}\n`);
  else context.terminal.out(`Runs of ${folder}\n${served.url}\nOnly this machine, and only with that address. Ctrl-C ends it.\n`);
  if (isSet(options, "open")) openInBrowser(served.url);
  if (!context.signal.aborted) await once(context.signal, "abort");
  await served.close();
  return { exitCode: exitCodes.ok, data: { folder }, lines: [] };
};
