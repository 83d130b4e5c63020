import type { RunPort } from "@phasekit/core";
import type { StoredRun } from "./store-run.ts";
import { invalidStoreOption } from "./errors.ts";
import type { KeepOptions } from "./keep-options.ts";

/** `keepRun` of a runtime without files: bundlers take it where Node's modules do not exist. */
export function keepRun(_run: RunPort, _options: KeepOptions = {}): StoredRun {
  throw invalidStoreOption("store", "this runtime has no files; pass a store instead of a folder");
}
