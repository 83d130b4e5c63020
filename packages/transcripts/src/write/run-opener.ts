import { defined } from "@phasekit/core/adapter";
import {
  createRunWriter,
  type RunNotes,
  type RunWriter,
  type WriterContext,
  type WriterListener,
} from "./run-writer.ts";
import type { TranscriptItem } from "../transcript.ts";
import type { ReportCounter } from "../transcript-report.ts";

/** Opens the runs of a transcript. */
export interface RunOpener {
  /** Opens a run. Without an id it is named after the transcript. */
  readonly open: (notes?: RunNotes) => RunWriter;
  /** Ends all open runs at the end of the transcript. */
  readonly closeAll: () => void;
}

const MAX_OPEN = 1000;

/** Returns the opener for one transcript. `name` is the id of runs without one. */
export function createRunOpener({
  format,
  name,
  counter,
  emit,
}: {
  readonly format: string;
  readonly name: string;
  readonly counter: ReportCounter;
  readonly emit: (item: TranscriptItem) => void;
}): RunOpener {
  const uses = new Map<string, number>();
  const open = new Set<RunWriter>();

  /** Returns an id that no other run of the transcript has. */
  function uniqueId(wanted: string): string {
    const times = (uses.get(wanted) ?? 0) + 1;
    uses.set(wanted, times);
    return times === 1 ? wanted : uniqueId(`${wanted}#${String(times)}`);
  }

  function make({ id, finishes, saysTask, ...notes }: RunNotes, listener: Partial<WriterListener> = {}): RunWriter {
    counter.add("runs");
    const writer = createRunWriter(
      { id: uniqueId(id === undefined || id === "" ? name : id), format, ...defined(notes) },
      context,
      { ...listener, ...defined({ finishes, saysTask }) },
    );
    open.add(writer);
    if (open.size > MAX_OPEN) open.values().next().value?.end();
    return writer;
  }

  const context: WriterContext = {
    emit,
    counter,
    uniqueId,
    closed: (writer) => void open.delete(writer),
    openChild: (parent, { call, ...notes }) => {
      counter.add("childRuns");
      // Emit the parent before its children.
      parent.begin();
      const child: RunWriter = make(
        { id: `${parent.id}/agent`, ...notes, parent: { run: parent.id, ...defined({ call }) } },
        {
          onTurn: ({ notes: { usage, at }, calls }) =>
            parent.record({
              type: "child.progressed",
              child: child.id,
              toolCalls: calls,
              ...(usage === undefined ? { unknownUsage: 1 } : { usage }),
              ...defined({ at }),
            }),
          onEnd: ({ reason = "done", at }) =>
            parent.record({ type: "child.finished", child: child.id, reason, ...defined({ at }) }),
        },
      );
      parent.record({
        type: "child.started",
        child: child.id,
        ...defined({ call, task: notes.task?.text, at: notes.startedAt }),
      });
      return child;
    },
  };

  return {
    open: (notes = {}) => make(notes),
    closeAll: () => {
      // Children were opened after their parents and end before them.
      for (const writer of [...open].reverse()) writer.end();
    },
  };
}
