import { useLayoutEffect } from "preact/hooks";

/** Listens for single keys, except while somebody types. What a key does is always what the page shows: an effect after painting would come late for the next key. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.closest("input, select, textarea") !== null;
      if (event.key === "Escape" && typing && event.target instanceof HTMLElement) event.target.blur();
      const act = typing || event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}
