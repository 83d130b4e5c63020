import { known } from "./loose-json.ts";
import { createRunWriter, type RunNotes, type RunWriter, type WriterDesk, type WriterListener } from "./run-writer.ts";
import type { TranscriptItem } from "./transcript.ts";
import type { ReportCounter } from "./transcript-report.ts";

/** Where runs are opened while a transcript is read. */
export interface RunDesk {
  /** A new run; without an id it is named after the transcript. */
  readonly open: (notes?: RunNotes) => RunWriter;
  /** Ends what is still open: the transcript is over. */
  readonly closeAll: () => void;
}

const MAX_OPEN = 1000;

/** A desk for one transcript. `name` is what runs without an id are called. */
export function createRunDesk({ format, name, counter, emit }: { readonly format: string; readonly name: string; readonly counter: ReportCounter; readonly emit: (item: TranscriptItem) => void }): RunDesk {
  const uses = new Map<string, number>();
  const open = new Set<RunWriter>();

  /** No two runs of a transcript share an id. */
  function uniqueId(wanted: string): string {
    const times = (uses.get(wanted) ?? 0) + 1;
    uses.set(wanted, times);
    return times === 1 ? wanted : uniqueId(`${wanted}#${String(times)}`);
  }

  function make({ id, finishes, ...notes }: RunNotes, listener: Partial<WriterListener> = {}): RunWriter {
    counter.add("runs");
    const writer = createRunWriter({ id: uniqueId(id === undefined || id === "" ? name : id), format, ...known(notes) }, desk, { ...listener, ...known({ finishes }) });
    open.add(writer);
    if (open.size > MAX_OPEN) open.values().next().value?.end();
    return writer;
  }

  const desk: WriterDesk = {
    emit,
    counter,
    uniqueId,
    closed: (writer) => void open.delete(writer),
    openChild: (parent, { call, ...notes }) => {
      counter.add("childRuns");
      // A parent is known before its children.
      parent.begin();
      const child: RunWriter = make(
        { id: `${parent.id}/agent`, ...notes, parent: { run: parent.id, ...known({ call }) } },
        {
          onTurn: ({ notes: { usage, at }, calls }) =>
            parent.fact({ type: "child.progressed", child: child.id, toolCalls: calls, ...(usage === undefined ? { unknownUsage: 1 } : { usage }), ...known({ at }) }),
          onEnd: ({ reason = "done", at }) => parent.fact({ type: "child.finished", child: child.id, reason, ...known({ at }) }),
        },
      );
      parent.fact({ type: "child.started", child: child.id, ...known({ call, task: notes.task?.text, at: notes.startedAt }) });
      return child;
    },
  };

  return {
    open: (notes = {}) => make(notes),
    closeAll: () => {
      // Children were opened after their parents, and end before them.
      for (const writer of [...open].reverse()) writer.end();
    },
  };
}
