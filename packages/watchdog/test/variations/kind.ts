import type { CaseEvent } from "../case-driver.ts";

/** A kind of run as users report them, in several independent variations. */
export interface Kind {
  readonly kind: string;
  readonly verdict: "fire" | "silent";
  /** Each is one run of this kind: other tools, arguments, error texts, noise and lengths. */
  readonly variations: readonly (readonly CaseEvent[])[];
}

/** A kind that must raise an alert. */
export function fires(kind: string, ...variations: readonly (readonly CaseEvent[])[]): Kind {
  return { kind, verdict: "fire", variations };
}

/** A kind that must raise none. */
export function staysSilent(kind: string, ...variations: readonly (readonly CaseEvent[])[]): Kind {
  return { kind, verdict: "silent", variations };
}

/** A word that differs for every number, without a digit in it. */
export function wordOf(n: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  return `${letters[(n * 7) % 26] ?? ""}${letters[Math.floor(n / 26) % 26] ?? ""}${letters[(n * 11 + 3) % 26] ?? ""}o${letters[n % 26] ?? ""}`;
}

/** A clock that moves: 10:00:00 and n times 17 seconds. */
export function clockOf(n: number): string {
  const seconds = n * 17;
  const two = (value: number): string => String(value).padStart(2, "0");
  return `1${String(Math.floor(seconds / 3600) % 10)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** An id that looks random and differs for every number. */
export function idOf(n: number): string {
  const hex = (value: number, length: number): string => (Math.imul(value + 11, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0").slice(0, length);
  return `${hex(n, 8)}-${hex(n * 3, 4)}-4${hex(n * 5, 3)}-a${hex(n * 7, 3)}-${hex(n * 9, 8)}${hex(n * 13, 4)}`;
}
