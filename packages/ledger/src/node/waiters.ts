/** When an append is acknowledged: when it is queued, when the kernel has it, or when it is on the disk. */
export type Level = "memory" | "kernel" | "disk";

/** Those who wait for their events to reach a level. */
export interface Waiters {
  /** Whoever waits for the same level of the same flush waits for one promise. */
  readonly wait: (seq: number, options: { readonly level: "kernel" | "disk"; readonly flush: number }) => Promise<void>;
  /** Answers everybody whose level is reached. */
  readonly settle: (reached: { readonly written: number; readonly durable: number }) => void;
  /** Tells everybody that it cannot be done. */
  readonly fail: (error: Error) => void;
  /** True if a caller waits, and if one waits for the disk. */
  readonly any: () => boolean;
  readonly anyForDisk: (written: number) => boolean;
}

interface Group {
  readonly level: "kernel" | "disk";
  readonly flush: number;
  /** The last event a caller waits for. */
  seq: number;
  readonly promise: Promise<void>;
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

export function createWaiters(): Waiters {
  let groups: Group[] = [];
  /** The group of each level that was opened last. */
  const open: { kernel: Group | undefined; disk: Group | undefined } = { kernel: undefined, disk: undefined };

  function openGroup(
    seq: number,
    { level, flush }: { readonly level: "kernel" | "disk"; readonly flush: number },
  ): Group {
    let done!: Group["done"];
    let failed!: Group["failed"];
    const promise = new Promise<void>((resolve, reject) => {
      done = resolve;
      failed = reject;
    });
    const group = { level, flush, seq, promise, done, failed };
    groups.push(group);
    open[level] = group;
    return group;
  }

  return {
    wait: (seq, options) => {
      const last = open[options.level];
      if (last?.flush !== options.flush) return openGroup(seq, options).promise;
      last.seq = Math.max(last.seq, seq);
      return last.promise;
    },
    settle: ({ written, durable }) => {
      if (groups.length === 0) return;
      const all = groups;
      groups = [];
      // A promise that is resolved runs nothing yet: its continuation comes later.
      for (const group of all) {
        if (group.seq <= (group.level === "disk" ? durable : written)) {
          if (open[group.level] === group) open[group.level] = undefined;
          group.done();
        } else groups.push(group);
      }
    },
    fail: (error) => {
      const all = groups;
      groups = [];
      open.kernel = undefined;
      open.disk = undefined;
      for (const group of all) group.failed(error);
    },
    any: () => groups.length > 0,
    anyForDisk: (written) => groups.some(({ level, seq }) => level === "disk" && seq <= written),
  };
}
