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
export function* readLog(options: ReadLogOptions): Generator<LogPart, LogEnd, undefined> {
  return yield* new LogReading(options).parts();
}

type LogEnd = LogReport & { readonly position: LogPosition | undefined };

class LogReading {
  readonly #files: FileSystem;
  readonly #run: string;
  readonly #after: number;
  readonly #salvage: boolean;
  readonly #verifyOnly: boolean;
  readonly #layout: LogLayout;
  readonly #damage: Damage[] = [];
  readonly #forks: LogReport["forks"][number][] = [];
  #torn: LogReport["torn"];
  #seq = 0;
  #reached = 0;
  #position: LogPosition | undefined;
  #durable: number;

  constructor({ files, folder, run, after = 0, salvage = false, verifyOnly = false }: ReadLogOptions) {
    this.#files = files;
    this.#run = run;
    this.#after = after;
    this.#salvage = salvage;
    this.#verifyOnly = verifyOnly;
    this.#layout = readLayout(files, folder, run);
    const { segments, missing, released } = this.#layout;
    const marks = [...segments.map(({ mark }) => mark?.seq ?? 0), ...missing.map(({ mark }) => mark.seq)];
    this.#durable = Math.max(released, ...marks);
  }

  *parts(): Generator<LogPart, LogEnd, undefined> {
    const { segments, aside } = this.#layout;
    for (const [index, placed] of segments.entries()) yield* this.#segment(placed, segments[index + 1]);
    const end = { seq: this.#seq, damage: this.#damage };
    for (const found of lostAtEnd({ ...this.#layout, last: segments.at(-1)?.name }, end)) this.#report(found);
    for (const { name, header, path } of aside)
      if (header !== undefined) this.#forks.push({ segment: name, byte: 0, bytes: this.#files.stat(path)?.size ?? 0 });
    return {
      integrity: this.#damage.length > 0 ? "damaged" : this.#torn === undefined ? "whole" : "torn",
      segments: segments.map(({ name }) => name),
      end: this.#reached,
      durable: this.#durable,
      ...defined({ torn: this.#torn }),
      damage: this.#damage,
      forks: this.#forks,
      recovered: segments.flatMap(({ header }) => header?.recovered ?? []),
      position: this.#position,
    };
  }

  *#segment(placed: LogSegment, next: LogSegment | undefined): Generator<LogPart, void, undefined> {
    const { header, name } = placed;
    // Everything in here was read before.
    if (next?.header !== undefined && next.header.after <= this.#after && header !== undefined) {
      this.#seq = next.header.after;
      this.#reached = this.#seq;
      return;
    }
    const from = this.#seq + 1;
    if (placed.foreign === NOT_A_FILE) {
      this.#report({ segment: name, byte: 0, problem: NOT_A_FILE, from, to: next?.header?.previous?.seq });
      return;
    }
    const reader = openSegment(this.#files, placed.path, { run: this.#run, name });
    try {
      if (header !== undefined && header.after > this.#seq) {
        const problem = `the events before ${String(header.after + 1)} are missing`;
        this.#report({ segment: name, byte: 0, problem, from, to: header.after });
        yield { gap: { from, to: header.after } };
      }
      if (header !== undefined) this.#seq = header.after;
      yield* this.#flushes(reader, placed, next);
      const fork = next === undefined ? undefined : forkIn(reader, placed, next);
      if (fork !== undefined) this.#forks.push(fork);
    } finally {
      reader.close();
    }
  }

  /** Reads the flushes of a segment, and after damage those from the next place where reading can begin. */
  *#flushes(
    reader: SegmentReader,
    placed: LogSegment,
    next: LogSegment | undefined,
  ): Generator<LogPart, void, undefined> {
    const known = next?.header?.previous?.seq;
    let from: ReadingPoint | undefined;
    do {
      const end = yield* flushesOf(reader, {
        from,
        limit: placed.limit,
        after: this.#after,
        verifyOnly: this.#verifyOnly,
      });
      this.#seq = Math.max(this.#seq, end.seq);
      this.#reached = this.#seq;
      this.#durable = Math.max(this.#durable, end.durable);
      this.#position = { segment: placed.name, at: end.end, seq: end.seq, chain: end.chain };
      const found = judge(reader, { placed, end, seq: this.#seq, durable: this.#durable, known });
      if (found === undefined) return;
      if ("torn" in found) {
        this.#torn = found.torn;
        return;
      }
      from = reader.nextAnchor(end.end + 1);
      const to = from?.seq ?? found.damage.to;
      this.#report({ ...found.damage, to });
      if (to !== undefined && to > this.#seq) {
        yield { gap: { from: this.#seq + 1, to } };
        this.#seq = to;
      }
    } while (from !== undefined);
  }

  #report(found: Damage): void {
    this.#damage.push(found);
    if (!this.#salvage) throw damagedStore(this.#run, found);
  }
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
