import { createReviewInbox, reviewFolder, serveRuns, type ServeOptions } from "@phasekit/report/node";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { cleanText } from "../clean-text.ts";
import type { CommandContext, CommandInput, CommandRun } from "../command.ts";
import { portOption, isSet, textOption } from "../command-options.ts";
import { folderProblem, writePrivateFile } from "../config/private-folder.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { isStore, openStore, ownRunsFolder } from "../logs/own-runs.ts";
import { loadPrices } from "../money/price-list.ts";
import { openInBrowser } from "../open-in-browser.ts";
import { wrapText } from "../render/wrap-text.ts";
import { safeJson } from "../render/safe-json.ts";

/** Serves the runs of a store as live pages on localhost until Ctrl-C. */
export const ui: CommandRun = async ({ args: [argument], options }, context) => {
  const { folder, ...shown } = await chooseSource(argument, options, context);
  const port = portOption(options);
  const { terminal, json, env, signal } = context;
  // Every user can read command lines; only this user can read the file.
  const opener = join(dirname(reviewFolder(env)), `open-${randomUUID()}.html`);
  const say = (data: object, text: string): void => {
    terminal.out(`${json ? safeJson({ v: 2, ...data }) : text}\n`);
  };
  const served = await serveRuns({
    ...shown,
    prices: loadPrices(textOption(options, "prices"), context.cwd),
    ...(port !== undefined && { port }),
    onOpened: () => {
      void rm(opener, { force: true });
      const url = served.createUrl();
      say({ event: "address", url }, `Opened. Link for another browser: ${url}`);
    },
  });
  say(
    { event: "listening", url: served.url, folder },
    [
      `Serving the runs of ${cleanText(folder)}`,
      served.url,
      ...wrapText(
        "The link works on this machine, for the first browser that opens it. Press Ctrl-C to stop.",
        terminal.columns,
      ),
    ].join("\n"),
  );
  if (isSet(options, "open")) {
    // Users who can write to the folder could exchange the page.
    const problem = folderProblem(dirname(opener));
    if (problem === undefined) {
      writePrivateFile(opener, redirectTo(served.createUrl()));
      openInBrowser(opener);
    } else terminal.error(`The browser was not opened: ${cleanText(dirname(opener))}: ${problem}.\n`);
  }
  if (!signal.aborted) await once(signal, "abort");
  await served.close();
  await rm(opener, { force: true });
  return { exitCode: exitCodes.ok, data: { folder }, lines: [] };
};

/** The url contains no HTML special characters. */
function redirectTo(url: string): string {
  return [
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0;url=${url}"><title>Phasekit</title>\n`,
  ].join("");
}

/** Returns the store to serve, and the inbox for answers to reviews. */
async function chooseSource(
  argument: string | undefined,
  options: CommandInput["options"],
  context: CommandContext,
): Promise<Pick<ServeOptions, "store" | "answerReview"> & { readonly folder: string }> {
  const { database, cwd, env } = context;
  if (database !== undefined) {
    if (argument !== undefined)
      throw badArgument(`ui takes --db or a folder, not both ("${argument}")`, "Remove one of them.");
    return { store: database.runs, answerReview: database.reviews.answerReview, folder: database.place };
  }
  const folder = argument === undefined ? await ownRunsFolder(context) : resolve(cwd, argument);
  if (argument !== undefined && !isStore(folder))
    throw badArgument(
      `"${argument}" is not a folder of Phasekit runs`,
      "Name the folder your runs are stored in. For logs of other tools: `phasekit report <folder>`.",
    );
  const reviews = textOption(options, "reviews");
  return {
    store: await openStore(folder),
    answerReview: createReviewInbox(reviews === undefined ? reviewFolder(env) : resolve(cwd, reviews)).answerReview,
    folder,
  };
}
