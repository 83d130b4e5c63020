import type { JSX } from "preact";
import type { SpendRow } from "../../views/overview.ts";
import type { VerdictAnswer } from "../../views/verdict.ts";
import { Icon } from "../parts/icon.tsx";
import { InlineCode } from "../parts/inline-code.tsx";
import { SpendBars } from "../parts/spend-bars.tsx";

/** The answers a reader wants first. The last one, about spending, has bars by phase. */
export function VerdictCards({
  verdict,
  spend,
}: {
  readonly verdict: readonly VerdictAnswer[];
  readonly spend: readonly SpendRow[];
}): JSX.Element {
  return (
    <dl class="verdict">
      {verdict.map(({ question, answer, tone, text }, index) => {
        const isLast = index === verdict.length - 1;
        return (
          <div key={question} class={`card tone-${tone}`}>
            <dt>{question}</dt>
            <dd>
              <strong>
                {isLast ? null : (
                  <span class="tone-mark">
                    <Icon name={tone} />
                  </span>
                )}
                <span>{answer}</span>
              </strong>
              {isLast ? <SpendBars rows={spend} /> : null}
              <p>
                <InlineCode text={text} />
              </p>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
