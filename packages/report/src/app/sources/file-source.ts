import type { RunEvent } from "@phasekit/core";
import type { Overview } from "../../views/overview.ts";
import { type PageIndex, pause, type Source } from "./source.ts";

const SLICE = 250;

/** Loads runs from the page itself; they are compressed in parts, so that no step blocks the page. */
export function fileSource(index: PageIndex): Source {
  const numberOf = (run: string): number => index.runs.findIndex(({ line }) => line.run === run);
  return {
    index,
    overview: async (run) => JSON.parse(await unpack(`run-${String(numberOf(run))}-overview`)) as Overview,
    events: async (run, { onBatch, signal }) => {
      const number = numberOf(run);
      for (let part = 0; ; part += 1) {
        const id = `run-${String(number)}-events-${String(part)}`;
        if (document.getElementById(id) === null || isOver(signal)) return;
        const lines = (await unpack(id)).split("\n");
        for (let from = 0; from < lines.length; from += SLICE) {
          if (isOver(signal)) return;
          onBatch(lines.slice(from, from + SLICE).map((line) => JSON.parse(line) as RunEvent));
          await pause();
        }
      }
    },
  };
}

/** A function, because the signal may change after every pause. */
const isOver = ({ aborted }: AbortSignal): boolean => aborted;

async function unpack(id: string): Promise<string> {
  const packed = atob((document.getElementById(id)?.textContent ?? "").trim());
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
