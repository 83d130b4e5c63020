import { plainText } from "../tests/plain-text.ts";
import { anyOf } from "../patterns.ts";

/** The state of CI as a forge shows it: still running, over, or a list that says neither. */
export type CiState = "pending" | "pass" | "fail" | "unknown";

const EDGE = 8192;

const PENDING = anyOf(
  "im",
  /\t(?:pending|queued|in_progress|waiting)\t/,
  /"status": ?"(?:in_progress|queued|pending|waiting|requested)"/,
  /^(?:\* |in_progress\b|queued\b)/,
  /\bsome checks (?:are|haven't)\b.{0,40}(?:pending|completed)/,
);
const FAILED = anyOf(
  "im",
  /\tfail\t/,
  /^(?:X|✗|✘) /,
  /"conclusion": ?"(?:failure|timed_out|startup_failure|cancelled)"/,
  /\bcompleted with '?failure'?/,
  /\bsome checks were not successful\b/,
);
const PASSED = anyOf(
  "im",
  /\tpass\t/,
  /"conclusion": ?"success"/,
  /\bcompleted with '?success'?/,
  /^✓ /,
  /\ball checks were successful\b/,
);

/** Reads how CI went. While something waits, a program that watches has not come to an end. */
export function readCi(output: string, exitCode: number | undefined): CiState {
  const plain = plainText(output);
  // What was watched last stands at the end.
  const text = plain.length > EDGE ? plain.slice(-EDGE) : plain;
  if (exitCode === 0) return PENDING.test(lastScreen(text)) && !PASSED.test(text) ? "pending" : passed(text);
  if (FAILED.test(text)) return "fail";
  return PENDING.test(text) ? "pending" : exitCode === undefined ? passed(text) : "unknown";
}

function passed(text: string): CiState {
  return FAILED.test(lastScreen(text)) ? "fail" : PASSED.test(text) ? "pass" : "unknown";
}

/** The last time a watching program printed the state. */
function lastScreen(text: string): string {
  const at = Math.max(text.lastIndexOf("Refreshing "), text.lastIndexOf("\n\n\n"));
  return at === -1 ? text : text.slice(at);
}

/** True if the newest run of a list is not over, or there is none yet. */
export function isPendingList(output: string): boolean {
  const text = output.trim();
  if (text === "" || text === "[]") return true;
  const [first = ""] = text.startsWith("[") ? text.split("},") : text.split("\n");
  return PENDING.test(first);
}
