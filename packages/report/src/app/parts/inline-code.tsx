import type { JSX } from "preact";

/** Draws the parts of a sentence in backticks as code. */
export function InlineCode({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
