import { useEffect, useRef, useState } from "preact/hooks";
import type { Overview } from "../../views/overview.ts";
import type { Source } from "./source.ts";

const REFRESH_MS = 700;

/**
 * Loads the overview of a run. With a server, loads it again while events arrive: one request at a time, and the next
 * one a moment after the last answer, so that a busy run is shown and not asked for without end.
 */
export function useOverview(
  source: Source,
  run: string,
  version: number,
): { readonly overview?: Overview; readonly error?: string } {
  const [state, setState] = useState<{ overview?: Overview; error?: string }>({});
  const request = useRef<() => void>(() => undefined);
  useEffect(() => {
    let gone = false;
    let busy = false;
    let wanted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (): void => {
      timer = setTimeout(() => {
        busy = false;
        if (wanted) ask();
      }, REFRESH_MS);
    };
    const ask = (): void => {
      if (gone) return;
      wanted = busy;
      if (busy) return;
      busy = true;
      source
        .overview(run)
        .then(
          (overview) => {
            if (!gone) setState({ overview });
          },
          (error: unknown) => {
            if (!gone) setState((before) => ({ ...before, error: `Cannot show this run. ${String(error)}` }));
          },
        )
        .finally(finish);
    };
    request.current = ask;
    ask();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [source, run]);
  useEffect(() => {
    if (source.index.live && version > 0) request.current();
  }, [version]);
  return state;
}
