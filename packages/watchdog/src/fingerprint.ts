import { commandOf, kindOfCommand, viewedFile } from "./command-text.ts";

/** Arguments that do not change what a call does. */
const VOLATILE = new Set(
  "timeout timeout_ms timeoutMs timeout_seconds description explanation reason thought thinking encoding request_id requestId trace_id traceId security_risk is_background run_in_background dangerouslyDisableSandbox justification task_progress".split(" "),
);

/** The arguments that say what a call is about; the others are how. */
const PRIMARY = new Set("path file_path filePath filename file command cmd pattern query url content offset limit start_line end_line view_range old_string new_string old_str new_str old new text action target".split(" "));

const LABELS = ["command", "cmd", "path", "file_path", "filePath", "file", "filename", "pattern", "query", "url", "code", "prompt", "question", "action"];
const MAX_DEPTH = 8;
const MAX_MEMBERS = 2000;
const MAX_TEXT = 65_536;
const MAX_LABEL = 80;

/** Options of a fingerprint. */
export interface FingerprintOptions {
  /** Names of further arguments to leave out: a counter, a remark, a request id. */
  readonly drop?: ReadonlySet<string>;
}

/**
 * The identity of a call, as `tool label #about.exact`. Equal for equal calls whatever the order of their arguments,
 * and readable: the label is what a person would call it. Up to the last dot it is the same for calls about the same
 * thing that differ in how they are made.
 *
 * @example
 * fingerprintCall({ tool: "bash", input: { command: "ls" } }) // "bash ls #1k2j3h.9x8y7z"
 */
export function fingerprintCall({ tool, input }: { readonly tool: string; readonly input: unknown }, { drop }: FingerprintOptions = {}): string {
  const given = typeof input === "string" ? readText(input) : input;
  const hashes = { about: 0, exact: 0 };
  if (typeof given === "object" && given !== null && !Array.isArray(given)) hashArguments(given as Arguments, { drop, hashes });
  else hashes.about = hashes.exact = hashValue(given, { depth: 0, budget: { left: MAX_MEMBERS } });
  return `${tool.length > 60 ? tool.slice(0, 60) : tool} ${labelOfInput(given)} #${hashes.about.toString(36)}.${hashes.exact.toString(36)}`;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Hashes all arguments, and those that say what the call is about. Added up, so that their order makes no difference. */
function hashArguments(given: Arguments, { drop, hashes }: { readonly drop: ReadonlySet<string> | undefined; readonly hashes: { about: number; exact: number } }): void {
  const budget = { left: MAX_MEMBERS };
  let exact = 0x811c9dc5;
  let about = 0;
  let primary = false;
  for (const key in given) {
    if ((budget.left -= 1) < 0) break;
    const value = given[key];
    if (value === undefined || VOLATILE.has(key) || drop?.has(key) === true) continue;
    const hash = Math.imul(hashString(key, 5) ^ hashValue(value, { depth: 1, budget }), 0x9e3779b1);
    exact = (exact + hash) | 0;
    if (!PRIMARY.has(key)) continue;
    primary = true;
    about = (about + (key === "query" && typeof value === "string" ? hashString(sortedWords(value), 19) : hash)) | 0;
  }
  hashes.exact = exact >>> 0;
  hashes.about = aboutSpecial(given) ?? (primary ? about >>> 0 : hashes.exact);
}

/** What a person would call the call: its tool and main argument. */
export function labelOf(fingerprint: string): string {
  const end = fingerprint.lastIndexOf(" #");
  return end < 0 ? fingerprint : fingerprint.slice(0, end).trimEnd();
}

/** The part that calls about the same thing share. */
export function aboutPart(fingerprint: string): string {
  const start = fingerprint.lastIndexOf(" #");
  const end = fingerprint.lastIndexOf(".");
  const tool = fingerprint.indexOf(" ");
  return start < 0 || end < start ? fingerprint : fingerprint.slice(0, tool) + fingerprint.slice(start, end);
}

function readText(input: string): unknown {
  if (input.length > MAX_TEXT || !/^\s*[{[]/.test(input)) return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function labelOfInput(given: unknown): string {
  let found: unknown = typeof given === "string" ? given : undefined;
  if (typeof given === "object" && given !== null) {
    for (const key of LABELS) {
      found = (given as Readonly<Record<string, unknown>>)[key];
      if (typeof found === "string" && found !== "") break;
    }
    if (typeof found !== "string") found = commandOf(given);
    // An editor's command says what it does to the file, not to which.
    const { path } = given as { readonly path?: unknown };
    if (typeof found === "string" && typeof path === "string" && found !== path && !found.includes(" ")) found = `${found} ${path}`;
  }
  if (typeof found !== "string") return "";
  const line = found.length > MAX_LABEL ? `${found.slice(0, MAX_LABEL - 1)}…` : found;
  return /\s/.test(line) ? line.replace(/\s+/g, " ").trim() : line;
}

/** Viewers of one file, overviews of one repository and plans at one stage are about the same, however they are worded. */
function aboutSpecial(given: Arguments): number | undefined {
  const steps = given["plan"] ?? given["todos"];
  if (Array.isArray(steps)) return hashString(statesOf(steps), 13);
  const command = commandOf(given);
  if (command === undefined || command.length >= 300) return undefined;
  const file = viewedFile(command);
  if (file !== undefined) return hashString(file, 11);
  return command.includes("git ") && kindOfCommand(command) === "overview" ? 1 : undefined;
}

/** A plan is about how far its steps are, not about how they are worded. */
function statesOf(steps: readonly unknown[]): string {
  return steps
    .slice(0, 100)
    .map((step) => (typeof step === "object" && step !== null ? String((step as { readonly status?: unknown }).status) : ""))
    .join(",");
}

function sortedWords(query: string): string {
  return (query.toLowerCase().slice(0, 400).match(/[\p{L}\p{N}]+/gu) ?? []).toSorted().join(" ");
}

interface Hashing {
  readonly depth: number;
  /** Members still to be looked at; what is beyond does not count. */
  readonly budget: { left: number };
}

/** Hashes any value: member order, -0 and missing members make no difference; depth and size are bounded. */
function hashValue(value: unknown, hashing: Hashing): number {
  switch (typeof value) {
    case "string":
      return hashString(value, 17);
    case "number":
      // -0 is 0; every NaN is one.
      return (value | 0) === value ? Math.imul(value, 0x85ebca6b) >>> 0 : hashString(String(value), 23);
    case "boolean":
      return value ? 0x2545f491 : 0x6c078965;
    case "object":
      return value === null ? 0x41c64e6d : hashMembers(value, hashing);
    case "bigint":
      return hashString(value.toString(), 29);
    default:
      return 0;
  }
}

function hashMembers(value: object, { depth, budget }: Hashing): number {
  if (depth > MAX_DEPTH || budget.left <= 0) return 0x5bd1e995;
  const inner = { depth: depth + 1, budget };
  if (Array.isArray(value)) {
    let hash = 0x1000193;
    for (const item of value as readonly unknown[]) {
      if ((budget.left -= 1) < 0) break;
      hash = (Math.imul(hash, 31) + hashValue(item, inner)) | 0;
    }
    return hash >>> 0;
  }
  let sum = 0x811c9dc5;
  for (const key in value) {
    if ((budget.left -= 1) < 0) break;
    const member = (value as Arguments)[key];
    if (member !== undefined) sum = (sum + Math.imul(hashString(key, 5) ^ hashValue(member, inner), 0x9e3779b1)) | 0;
  }
  return sum >>> 0;
}

const LONG = 16_384;

/** Very long texts are hashed by samples: every few characters, and the whole end. */
function hashString(text: string, seed: number): number {
  const { length } = text;
  let hash = (0x811c9dc5 ^ seed ^ length) | 0;
  const step = length <= LONG ? 1 : Math.ceil(length / LONG);
  for (let index = 0; index < length; index += step) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  if (step > 1) for (let index = length - 64; index < length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
