import { ownValue } from "@phasekit/core/adapter";
import { useLayoutEffect } from "preact/hooks";

/** Handles single keys, except in text fields. Uses a layout effect, so that the next key sees the current page. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.closest("input, select, textarea") !== null;
      if (event.key === "Escape" && typing && event.target instanceof HTMLElement) event.target.blur();
      const act = typing || event.ctrlKey || event.metaKey || event.altKey ? undefined : ownValue(keys, event.key);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}
