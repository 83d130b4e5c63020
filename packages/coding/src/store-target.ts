import { PhasekitError } from "@phasekit/core";
import type { RunStore } from "@phasekit/ledger";
import type { KeepOptions } from "@phasekit/ledger/keep";

/**
 * Returns where a run is stored: in a store, or in a folder. `true` stands for `.phasekit/runs`, where `phasekit why`
 * looks; only then the closing line leads somewhere. Also checks what plain JavaScript may pass.
 *
 * @throws INVALID_OPTION
 */
export function storeTarget(store: unknown): RunStore | KeepOptions | undefined {
  if (store === undefined || store === false) return undefined;
  if (store === true) return {};
  if (typeof store === "string" && store !== "") return { folder: store, quiet: true };
  if (isStore(store)) return store;
  throw new PhasekitError(
    "INVALID_OPTION",
    'The option "store" is wrong: it must be true, the path of a folder, or a store, such as createFileStore(folder).',
    { hint: 'Import createFileStore from "@phasekit/ledger/node", or pass the path.' },
  );
}

function isStore(value: unknown): value is RunStore {
  return typeof (value as Partial<RunStore> | null | undefined)?.append === "function";
}
