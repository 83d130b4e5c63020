import { tableOf } from "@phasekit/core/adapter";
import type { JSX } from "preact";
import { plural } from "../../views/number-text.ts";
import type { Overview } from "../../views/overview.ts";
import { overviewToMarkdown } from "../../views/overview-to-markdown.ts";
import { aboutText } from "../../views/run-line.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { OutcomePill } from "../parts/outcome-pill.tsx";
import { StartTime } from "../parts/start-time.tsx";
import { hrefOf } from "../route.ts";
import type { KnownRun } from "../sources/source.ts";
import { VerdictCards } from "./verdict-cards.tsx";

const MODES: Readonly<Record<string, string>> = tableOf({
  observe: "Phasekit only watched (mode observe)",
  nudge: "Phasekit could nudge (mode nudge)",
  gate: "Phasekit could nudge, refuse and veto (mode gate)",
});

/** The first screen of a run: its name, its outcome and three answers. */
export function RunHead({
  overview,
  parent,
}: {
  readonly overview: Overview;
  /** The run that started this one, if the report has it. */
  readonly parent: KnownRun | undefined;
}): JSX.Element {
  const { line, spend, attempt, mode, prices } = overview;
  const about = aboutText(line);
  return (
    <header class="head">
      <p class="head-about">
        <OutcomePill line={line} />
        {about === "" ? null : <span class="quiet">{about}</span>}
      </p>
      {parent === undefined ? null : (
        <p class="quiet">
          Sub-agent of <a href={parent.href ?? hrefOf({ page: "run", run: parent.line.run })}>{parent.line.title}</a>
        </p>
      )}
      <h1>{line.title}</h1>
      <div class="head-meta quiet">
        <span>
          <StartTime at={line.startedAt} />
          {[
            "",
            plural(spend.total.turns, "turn"),
            plural(line.calls, "call"),
            ...(attempt > 1 ? [`attempt ${String(attempt)}`] : []),
            MODES[mode] ?? `mode ${mode}`,
            ...(prices === undefined ? [] : [`cost at ${prices}`]),
          ].join(" · ")}
        </span>
        <CopyButton label="Copy as Markdown" text={() => overviewToMarkdown(overview)} />
      </div>
      <VerdictCards verdict={overview.verdict} spend={spend.rows} />
      {overview.error === undefined ? null : <p class="error">{overview.error}</p>}
    </header>
  );
}
