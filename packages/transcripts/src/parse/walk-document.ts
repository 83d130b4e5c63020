import type { TranscriptRecord } from "../transcript-format.ts";

type Path = readonly (string | number)[];

/** Which parts of a document come one by one: a step is a member's name, or `*`. */
export type SplitPaths = readonly (readonly string[])[];

/** `messages.*` as steps. */
export function splitPaths(paths: readonly string[]): SplitPaths {
  return paths.map((path) => path.split("."));
}

/** True if a path leads further into the value at this place. */
export function leadsInto(paths: SplitPaths, place: Path): boolean {
  return paths.some(
    (path) =>
      path.length > place.length && place.every((step, index) => path[index] === "*" || path[index] === String(step)),
  );
}

/** Gives a document's pieces in order: what a path leads into is taken apart, the rest comes whole. */
export function walkDocument(
  value: unknown,
  paths: SplitPaths,
  { from = [], give }: { readonly from?: Path; readonly give: (piece: TranscriptRecord) => void },
): void {
  if (typeof value !== "object" || value === null || !leadsInto(paths, from)) {
    give({ path: from, value });
    return;
  }
  const members: Iterable<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [step, member] of members) walkDocument(member, paths, { from: [...from, step], give });
}

/** A document whose named members come first. Only the order of an object's members changes. */
export function membersFirst(value: unknown, first: readonly string[]): unknown {
  if (first.length === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  const place = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);
  return Object.fromEntries(members.sort(([one], [other]) => place(one) - place(other)));
}
