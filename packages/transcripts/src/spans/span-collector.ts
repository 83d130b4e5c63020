import type { TranslationContext } from "../transcript-format.ts";
import type { Span } from "./span.ts";
import { writeTrace } from "./write-trace.ts";

/** Gathers spans, which come in any order, and writes their traces when they are over. */
export interface SpanCollector {
  readonly add: (span: Span, attributes?: { readonly size?: number }) => void;
  readonly end: () => void;
}

const MAX_SPANS = 200_000;
const MAX_SIZE = 256 * 1024 * 1024;

/**
 * A collector for one transcript. A trace has no end mark, so it is kept until the transcript is over; past the limits
 * the oldest trace is written as it is, and what comes of it later is counted and left out.
 */
export function createSpanCollector({ runs, skip }: TranslationContext): SpanCollector {
  const traces = new Map<string, Span[]>();
  const written = new Set<string>();
  let spans = 0;
  let size = 0;

  function writeOldest(): void {
    const [trace, list] = traces.entries().next().value ?? [];
    if (trace === undefined || list === undefined) return;
    traces.delete(trace);
    written.add(trace);
    writeTrace(runs, list);
    spans -= list.length;
    if (traces.size === 0) size = 0;
  }

  return {
    add: (span, { size: grown = 0 } = {}) => {
      if (written.has(span.trace)) return skip("span of a trace that was written");
      const list = traces.get(span.trace) ?? [];
      traces.set(span.trace, list);
      list.push(span);
      spans += 1;
      size += grown;
      if (spans > MAX_SPANS || size > MAX_SIZE) writeOldest();
    },
    end: () => {
      while (traces.size > 0) writeOldest();
    },
  };
}
