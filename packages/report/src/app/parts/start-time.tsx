import type { JSX } from "preact";

/** When a run started, in the reader's time zone. */
export function StartTime({ at }: { readonly at: number }): JSX.Element {
  // Logs without times start at 0.
  if (at <= 0) return <span class="quiet">time unknown</span>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}
    </time>
  );
}
