import type { JSX } from "preact";
import type { VerdictAnswer } from "../views/verdict.ts";

/** The answers a reader wants first. */
export function VerdictCards({ verdict }: { readonly verdict: readonly VerdictAnswer[] }): JSX.Element {
  return (
    <dl class="verdict">
      {verdict.map(({ question, answer, tone, text }) => (
        <div key={question} class={`tone-${tone}`}>
          <dt>{question}</dt>
          <dd>
            <strong>{answer}</strong>
            <span>{text}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
