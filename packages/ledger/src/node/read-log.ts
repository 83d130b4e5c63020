import type { RunEvent } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { damagedStore } from "../errors.ts";
import { decodeEvents } from "./event-lines.ts";
import type { FileSystem } from "./file-system.ts";
import { type LogLayout, type LogSegment, NOT_A_FILE, readLayout } from "./log-layout.ts";
import type { RunFolder } from "./run-folder.ts";
import { openSegment, type ReadingPoint, type SegmentEnd, type SegmentReader } from "./segment-reader.ts";

/** Something that was stored and cannot be read any more. */
export interface Damage {
  readonly segment: string;
  readonly byte: number;
  readonly problem: string;
  /** The events that are gone: first, and last as far as anything tells. */
  readonly from: number;
  readonly to: number | undefined;
}

/** The state of a log's files. */
export interface LogReport {
  /** `torn`: the last flush was cut off by a crash, and nothing known to be on the disk is gone. */
  readonly integrity: "whole" | "torn" | "damaged";
  readonly segments: readonly string[];
  /** The last event that can be read. */
  readonly end: number;
  /** The last event known to be on the disk. */
  readonly durable: number;
  readonly torn?: { readonly segment: string; readonly byte: number; readonly bytes: number };
  readonly damage: readonly Damage[];
  /** Bytes that a process wrote after losing the run. */
  readonly forks: readonly { readonly segment: string; readonly byte: number; readonly bytes: number }[];
  /** Bytes that earlier crashes left and recovery set aside. */
  readonly recovered: readonly { readonly segment: string; readonly from: number; readonly bytes: number }[];
}

/** Where the valid part of the newest segment ends: reading can continue from there. */
export interface LogPosition extends ReadingPoint {
  readonly segment: string;
}

/** A flush of events, or events that are gone. */
export type LogPart =
  { readonly events: readonly RunEvent[] } | { readonly gap: { readonly from: number; readonly to: number } };

export interface ReadLogOptions {
  readonly files: FileSystem;
  readonly folder: RunFolder;
  readonly run: string;
  /** Leave out events up to this one. @default 0 */
  readonly after?: number;
  /** Continue behind damage, with the gaps named, instead of throwing. @default false */
  readonly salvage?: boolean;
  /** Verify without parsing. @default false */
  readonly verifyOnly?: boolean;
}

/**
 * The one reader of logs: resuming, listing, following, inspecting and salvaging all go through it, so that no two of
 * them can disagree about a damaged file. Gives the valid beginning and then throws, unless `salvage` is set.
 * @throws STORE_DAMAGED
 */
export function* readLog({
  files,
  folder,
  run,
  after = 0,
  salvage = false,
  verifyOnly = false,
}: ReadLogOptions): Generator<LogPart, LogReport & { readonly position: LogPosition | undefined }, undefined> {
  const { segments, aside, missing, gone, released } = readLayout(files, folder, run);
  const damage: Damage[] = [];
  const forks: { segment: string; byte: number; bytes: number }[] = [];
  let torn: LogReport["torn"];
  let seq = 0;
  let reached = 0;
  let position: LogPosition | undefined;
  let durable = Math.max(
    released,
    ...segments.map(({ mark }) => mark?.seq ?? 0),
    ...missing.map(({ mark }) => mark.seq),
  );

  function report(found: Damage): void {
    damage.push(found);
    if (!salvage) throw damagedStore(run, found);
  }

  for (const [index, placed] of segments.entries()) {
    const next = segments[index + 1];
    // Everything in here was read before.
    if (next?.header !== undefined && next.header.after <= after && placed.header !== undefined) {
      seq = next.header.after;
      reached = seq;
      continue;
    }
    if (placed.foreign === NOT_A_FILE) {
      report({ segment: placed.name, byte: 0, problem: NOT_A_FILE, from: seq + 1, to: next?.header?.previous?.seq });
      continue;
    }
    const reader = openSegment(files, placed.path, { run, name: placed.name });
    try {
      const header = placed.header;
      if (header !== undefined && header.after > seq) {
        report({
          segment: placed.name,
          byte: 0,
          problem: `the events before ${String(header.after + 1)} are missing`,
          from: seq + 1,
          to: header.after,
        });
        yield { gap: { from: seq + 1, to: header.after } };
      }
      if (header !== undefined) seq = header.after;
      let from: ReadingPoint | undefined;
      for (;;) {
        const end = yield* flushesOf(reader, { from, limit: placed.limit, after, verifyOnly });
        seq = Math.max(seq, end.seq);
        reached = seq;
        durable = Math.max(durable, end.durable);
        position = { segment: placed.name, at: end.end, seq: end.seq, chain: end.chain };
        const found = judge(reader, { placed, end, seq, durable, known: next?.header?.previous?.seq });
        if (found === undefined) break;
        if ("torn" in found) {
          torn = found.torn;
          break;
        }
        from = reader.nextAnchor(end.end + 1);
        report({ ...found.damage, to: from?.seq ?? found.damage.to });
        const to = from?.seq ?? found.damage.to;
        if (to !== undefined && to > seq) yield { gap: { from: seq + 1, to } };
        if (to !== undefined) seq = Math.max(seq, to);
        if (from === undefined) break;
      }
      const fork = next === undefined ? undefined : forkIn(reader, placed, next);
      if (fork !== undefined) forks.push(fork);
    } finally {
      reader.close();
    }
  }
  for (const found of lostAtEnd({ missing, gone, released, last: segments.at(-1)?.name }, { seq, damage }))
    report(found);
  for (const { name, header, path } of aside)
    if (header !== undefined) forks.push({ segment: name, byte: 0, bytes: files.stat(path)?.size ?? 0 });

  return {
    integrity: damage.length > 0 ? "damaged" : torn === undefined ? "whole" : "torn",
    segments: segments.map(({ name }) => name),
    end: reached,
    durable,
    ...defined({ torn }),
    damage,
    forks,
    recovered: segments.flatMap(({ header }) => header?.recovered ?? []),
    position,
  };
}

/** Finds events that marks and notes say were written, and no file has. Earlier damage counts, so each is said once. */
function* lostAtEnd(
  {
    missing,
    gone,
    released,
    last,
  }: Pick<LogLayout, "missing" | "gone" | "released"> & { readonly last: string | undefined },
  { seq, damage }: { readonly seq: number; readonly damage: readonly Damage[] },
): Generator<Damage, void, undefined> {
  const from = seq + 1;
  for (const { name, mark } of missing)
    if (mark.seq > seq) yield { segment: name, byte: 0, problem: "the file is gone", from, to: mark.seq };
  const isTold = damage.some(({ to }) => to === undefined || to >= released);
  if (gone === undefined && released > seq && !isTold)
    yield { segment: last ?? "log", byte: 0, problem: "the end is gone", from, to: released };
  if (gone !== undefined)
    yield { segment: gone, byte: 0, problem: "the file is gone, and its mark with it", from, to: undefined };
}

function* flushesOf(
  reader: SegmentReader,
  {
    from,
    limit,
    after,
    verifyOnly,
  }: {
    readonly from: ReadingPoint | undefined;
    readonly limit: number | undefined;
    readonly after: number;
    readonly verifyOnly: boolean;
  },
): Generator<LogPart, SegmentEnd, undefined> {
  const flushes = reader.flushes(from, limit);
  for (;;) {
    const next = flushes.next();
    if (next.done === true) return next.value;
    const { seq, count } = next.value;
    if (count === 0 || seq <= after || verifyOnly) continue;
    const events = decodeEvents(next.value.lines);
    yield { events: seq - count >= after ? events : events.filter((event) => event.seq > after) };
  }
}

/** The meaning of the end of a segment's valid part; `undefined` when nothing is missing. */
function judge(
  reader: SegmentReader,
  {
    placed,
    end,
    seq,
    durable,
    known,
  }: {
    readonly placed: LogSegment;
    readonly end: SegmentEnd;
    readonly seq: number;
    readonly durable: number;
    readonly known: number | undefined;
  },
): { readonly torn: NonNullable<LogReport["torn"]> } | { readonly damage: Damage } | undefined {
  const { name, limit, mark, foreign } = placed;
  const lost = (problem: string, to: number | undefined): { readonly damage: Damage } => ({
    damage: { segment: name, byte: end.end, problem, from: seq + 1, to },
  });
  if (foreign !== undefined) return lost(foreign, known);
  if (limit !== undefined)
    return end.end >= limit ? undefined : lost("the part that the next segment continues from does not verify", known);
  // Commit lines that verify behind a hole know what was on the disk when they were written.
  const behind = end.rest > 0 ? durableBehind(reader, end.end) : 0;
  const sure = Math.max(durable, behind, mark?.seq ?? 0);
  if (sure > seq || (mark !== undefined && mark.bytes > end.end))
    return lost(end.rest > 0 ? "the bytes do not verify" : "the end is cut off", Math.max(sure, seq + 1));
  if (end.rest === 0) return undefined;
  return { torn: { segment: name, byte: end.end, bytes: end.rest } };
}

function durableBehind(reader: SegmentReader, from: number): number {
  let durable = 0;
  for (let point = reader.nextAnchor(from); point !== undefined;) {
    const flushes = reader.flushes(point);
    let next = flushes.next();
    while (next.done !== true) next = flushes.next();
    durable = Math.max(durable, next.value.durable);
    point = reader.nextAnchor(Math.max(next.value.end, point.at) + 1);
  }
  return durable;
}

/** Whole flushes behind the end that the next writer saw: a process kept writing after losing the run. */
function forkIn(
  reader: SegmentReader,
  { name, limit = 0, header }: LogSegment,
  next: LogSegment,
): { readonly segment: string; readonly byte: number; readonly bytes: number } | undefined {
  const { previous, recovered, epoch } = next.header ?? {};
  // A writer that moved on to a new file by itself rewrote the bytes behind the limit.
  if (previous === undefined || epoch === header?.epoch || reader.size <= limit + (recovered?.bytes ?? 0))
    return undefined;
  return { segment: name, byte: limit + (recovered?.bytes ?? 0), bytes: reader.size - limit - (recovered?.bytes ?? 0) };
}
