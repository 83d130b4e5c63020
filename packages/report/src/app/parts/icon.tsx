import type { JSX } from "preact";

/** Drawn, not typed: a font may lack the letters. */
const PATHS = {
  theme: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 0 0 0-13ZM8 1.5v13a6.5 6.5 0 0 0 0-13Z",
  keys: "M1.5 4h13v8h-13ZM4 6.7h.01M6.7 6.7h.01M9.3 6.7h.01M12 6.7h.01M5 9.5h6",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  good: "M3 8.5l3.5 3.5L13 4.5",
  bad: "M4 4l8 8M12 4l-8 8",
  fair: "M8 3v6M8 12.4v.1",
  plain: "M3.5 8h9",
  plus: "M8 3.5v9M3.5 8h9",
  minus: "M3.5 8h9",
  earlier: "M9.5 4L5.5 8l4 4",
  later: "M6.5 4l4 4l-4 4",
  open: "M4 6.5l4 4l4-4",
} as const;

/** A sign of the page. It is never the only label: buttons have a name of their own. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }): JSX.Element {
  return (
    <svg class="sign" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The mark of the product: three phases, one after the other. */
export function Brand(): JSX.Element {
  return (
    <svg class="brand-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <rect x="1" y="3" width="9" height="4" rx="1.5" />
      <rect x="6" y="8" width="9" height="4" rx="1.5" />
      <rect x="11" y="13" width="8" height="4" rx="1.5" />
    </svg>
  );
}
