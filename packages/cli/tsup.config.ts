import { mkdirSync, writeFileSync } from "node:fs";
import { library } from "@phasekit/tooling/tsup";
import type { Options } from "tsup";
import { bundleStandalone, standaloneNames } from "./standalone-programs.ts";

export default {
  ...(library({ entries: ["index", "live", "bin", "read-worker"] }) as Options),
  onSuccess: () => {
    mkdirSync("dist/standalone", { recursive: true });
    for (const name of standaloneNames) writeFileSync(`dist/standalone/${name}`, bundleStandalone(name));
    return Promise.resolve();
  },
} satisfies Options;
