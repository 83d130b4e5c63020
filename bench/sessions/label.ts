import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "@phasekit/tooling/workspace";

/** The findings of a reader in one session; README.md explains every member. */
export interface Label {
  readonly file: string;
  readonly task: string;
  /** One letter per call. */
  readonly calls: string;
  readonly workKind: string;
  readonly lastWork: { readonly call: number; readonly file: string } | null;
  readonly checks: readonly { readonly call: number; readonly kind: string; readonly result: string }[];
  readonly after: string;
  readonly end: string;
  readonly endedIn: string;
  readonly loops: readonly { readonly from: number; readonly to?: number; readonly why?: string }[];
  readonly veto: string;
}

/** The folder of the logs: given, else below `PHASEKIT_DATA`, else beside the repository. `undefined` if there is none. */
export function findSessions(given: string | undefined): string | undefined {
  const data = process.env["PHASEKIT_DATA"];
  const places = [
    ...(given === undefined ? [] : [given]),
    ...(data === undefined ? [] : [join(data, "sessions"), data]),
    join(root, "../shared/data/sessions"),
  ];
  return places.find((folder) => existsSync(folder) && labelFiles(folder).length > 0);
}

/** The label files of a folder. */
export function labelFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => /^labels.*\.json$/.test(name))
    .map((name) => join(folder, name));
}

/** Reads the labels of some files. */
export function readLabels(files: readonly string[]): readonly Label[] {
  return files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")) as readonly Label[]);
}
