import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** Copies a text. If the browser forbids it, as some do for pages from disk, shows the text to copy by hand. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }): JSX.Element {
  const [shown, setShown] = useState<string>();
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setDone(true);
    } catch {
      setShown(text());
    }
  };
  return (
    <div class="copy">
      <button type="button" onClick={() => void copy()}>
        {done ? "Copied" : label}
      </button>
      {shown === undefined ? null : (
        <textarea
          aria-label={label}
          rows={10}
          readOnly
          value={shown}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
      )}
    </div>
  );
}
