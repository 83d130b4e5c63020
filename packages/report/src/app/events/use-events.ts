import type { RunEvent } from "@phasekit/core";
import { useEffect, useRef, useState } from "preact/hooks";
import { createEventRows, type EventRow } from "../../views/event-rows.ts";
import { searchText } from "../../views/filter-rows.ts";
import type { Source } from "../sources/source.ts";

/** The events of a run so far. The lists grow in place; `version` changes when they do. */
export interface LoadedEvents {
  readonly events: readonly RunEvent[];
  readonly rows: readonly EventRow[];
  readonly texts: readonly string[];
  readonly version: number;
  readonly complete: boolean;
  readonly error?: string;
}

interface Lists {
  readonly events: RunEvent[];
  readonly rows: EventRow[];
  readonly texts: string[];
}

const emptyLists = (): Lists => ({ events: [], rows: [], texts: [] });

/** Loads the events of a run without blocking the page. */
export function useEvents(source: Source, run: string): LoadedEvents {
  const lists = useRef<Lists>(emptyLists());
  const [state, setState] = useState<{ version: number; complete: boolean; error?: string }>({
    version: 0,
    complete: false,
  });
  useEffect(() => {
    const stop = new AbortController();
    const { events, rows, texts } = emptyLists();
    lists.current = { events, rows, texts };
    const toRow = createEventRows();
    const onBatch = (batch: readonly RunEvent[]): void => {
      for (const event of batch) {
        const row = toRow(event);
        events.push(event);
        rows.push(row);
        texts.push(searchText(row));
      }
      setState((before) => ({ ...before, version: before.version + 1 }));
    };
    setState({ version: 0, complete: false });
    source.events(run, { onBatch, signal: stop.signal }).then(
      () => setState((before) => ({ ...before, complete: true })),
      (error: unknown) => {
        if (!stop.signal.aborted) setState((before) => ({ ...before, complete: true, error: String(error) }));
      },
    );
    return () => stop.abort();
  }, [source, run]);
  return { ...lists.current, ...state };
}
