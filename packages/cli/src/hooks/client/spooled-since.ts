// Imported by the hook command for the status line: no imports but these.
import { numberIn } from "@phasekit/core/adapter";
import { closeSync, openSync, readSync } from "node:fs";
import type { HookPaths } from "./hook-paths.ts";

const HEAD = 400;

/** Since when events wait for a server; undefined if none does. */
export function spooledSince({ spool }: Pick<HookPaths, "spool">): number | undefined {
  try {
    const file = openSync(spool, "r");
    try {
      const buffer = Buffer.alloc(HEAD);
      const text = buffer.toString("utf8", 0, readSync(file, buffer, 0, HEAD, 0));
      // The head of an event comes before its payload, which may be long.
      return numberIn(Number(/"at":(\d+)/.exec(text.split('"payload"', 1)[0] ?? "")?.[1]));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
