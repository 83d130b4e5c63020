import { commandOf, kindOfCommand, viewedFile } from "./command-text.ts";
import { hashString, hashToText, hashValue, isBytes, shortened } from "./hash-value.ts";
import { isHandover } from "./tool-rules.ts";
import { meaningfulWords } from "./words.ts";

const MAX_MEMBERS = 2000;
const MAX_TEXT = 65_536;
const MAX_LABEL = 80;
const MAX_TOOL = 60;

/** Options of a fingerprint. */
export interface FingerprintOptions {
  /** Names of further arguments to leave out: a counter, a remark, a request id. */
  readonly drop?: ReadonlySet<string>;
}

/** What the name of an argument says about it. */
interface Role {
  readonly hash: number;
  /** It does not change what a call does. */
  readonly volatile: boolean;
  /** It says how a call is made, not what it is about. */
  readonly how: boolean;
  readonly query: boolean;
  /** Its place among the names of calls, the best first; 0 for none. */
  readonly label: number;
  /** It names a file: in one line, whatever it is. */
  readonly place: boolean;
  /** It may hold a command line. */
  readonly command: boolean;
  /** It may hold the steps of a plan. */
  readonly steps: boolean;
  /** It holds an address on the web. */
  readonly address: boolean;
}

/** Remarks, limits, and what is made up anew for every call so that it can be told apart or is not answered from a cache. */
const VOLATILE =
  /^timeout|^(?:description|explanation|reason|thought|thinking|encoding|security_risk|justification|task_progress|ts|timestamp|_)$|background$|Sandbox$|nonce|idempotency|cache_?bust|(?:request|trace|correlation|call|invocation)_?(?:id|key)$/i;
/** Flags, and arguments with such names, say how a call is made; the others say what it is about. */
const HOW = /max|min|(?:_ms|time|seconds|tokens)$|count|size|depth|context|timeout|mode|format|encoding|lang|verbos|style|sort|order/i;
const QUERIES = "query q search_query search_term keywords".split(" ");
const LABELS = "command cmd args path file_path filePath file filename pattern query search_term sql statement url code prompt question action".split(" ");
const PLACE = /path$|^file/i;
const COMMANDS = "command cmd script".split(" ");
const STEPS = "plan todos".split(" ");
const UNLABELLED = LABELS.length + 1;
const MAX_ROLES = 1000;

// The same few names come with every call, so what they say is worked out once.
const roles = new Map<string, Role>();

function roleOf(key: string): Role {
  const known = roles.get(key);
  if (known !== undefined) return known;
  const role = {
    hash: hashString(key, 5), volatile: VOLATILE.test(key), how: HOW.test(key), query: QUERIES.includes(key),
    label: LABELS.indexOf(key) + 1, place: PLACE.test(key), command: COMMANDS.includes(key), steps: STEPS.includes(key), address: /ur[li]$/i.test(key),
  };
  if (roles.size < MAX_ROLES) roles.set(key, role);
  return role;
}

/**
 * The identity of a call, as `tool label #about.exact`. Equal for equal calls whatever the order of their arguments,
 * and readable: the label is what a person would call it. Up to the last dot it is the same for calls about the same
 * thing that differ in how they are made.
 *
 * @example
 * fingerprintCall({ tool: "bash", input: { command: "ls" } }) // "bash ls #1k2j3h.9u8v7a"
 */
export function fingerprintCall(call: { readonly tool: string; readonly input: unknown }, options: FingerprintOptions = {}): string {
  return identifyCall(call, options).fingerprint;
}

/** A fingerprint, and the hash at its end as a number. */
export interface CallIdentity {
  readonly fingerprint: string;
  readonly hash: number;
}

/** The same with its hash, for tables. */
export function identifyCall({ tool, input }: { readonly tool: string; readonly input: unknown }, { drop }: FingerprintOptions): CallIdentity {
  const given = typeof input === "string" ? readText(input) : input;
  const name = tool.length > MAX_TOOL ? tool.slice(0, MAX_TOOL) : tool;
  if (typeof given === "object" && given !== null && !Array.isArray(given) && !isBytes(given)) return printArguments(name, given as Arguments, drop);
  const hash = shortened(hashValue(given, { depth: 0, budget: { left: MAX_MEMBERS } }));
  const text = hashToText(hash);
  return { fingerprint: `${name} ${typeof given === "string" ? oneLine(given) : ""} #${text}.${text}`, hash };
}

const SPOKEN = ["thought", "thinking", "reason", "explanation", "description", "justification"] as const;

type Arguments = Readonly<Record<string, unknown>>;

/** Reads all arguments once. Their hashes are added up, so that their order makes no difference. */
function printArguments(tool: string, given: Arguments, drop: ReadonlySet<string> | undefined): CallIdentity {
  const budget = { left: MAX_MEMBERS };
  const hashing = { depth: 1, budget };
  let exact = 0x811c9dc5;
  let about = 0x811c9dc5;
  let primary = false;
  let counted = false;
  let best = UNLABELLED;
  let label = "";
  let place = false;
  let command: string | undefined;
  let special: number | undefined;
  for (const key in given) {
    if ((budget.left -= 1) < 0) break;
    const value = given[key];
    const role = roleOf(key);
    if (typeof value === "string" && role.label > 0 && role.label < best && value !== "") {
      best = role.label;
      label = value;
      place = role.place;
    }
    if (role.command) command ??= commandOf(given);
    if (role.steps && Array.isArray(value)) special = hashString(statesOf(value), 13);
    if (value === undefined || role.volatile || drop?.has(key) === true) continue;
    const hash = Math.imul(role.hash ^ hashValue(typeof value === "string" ? essential(value, role) : value, hashing), 0x9e3779b1);
    exact = (exact + hash) | 0;
    counted = true;
    if (role.how || typeof value === "boolean") continue;
    primary = true;
    about = (about + (role.query && typeof value === "string" ? hashString(sortedWords(value), 19) : hash)) | 0;
  }
  // A call that is nothing but a thought or a reason is about just that.
  if (!counted && !isHandover(tool)) for (const key of SPOKEN) if (typeof given[key] === "string" && drop?.has(key) !== true) exact = (exact + hashValue(given[key], hashing)) | 0;
  if (command !== undefined) {
    place = false;
    if (best === UNLABELLED) label = command;
    // An editor's command says what it does to the file, not to which.
    const { path } = given;
    if (typeof path === "string" && label !== path && !label.includes(" ")) label = `${label} ${path}`;
    special ??= aboutCommand(command);
  }
  const hash = shortened(exact);
  lastAbout = shortened(special ?? (primary ? about : exact));
  const text = hashToText(hash);
  if (label.startsWith("sleep ")) label = label.replace(/^sleep [\d.]+[smh]?(?= *(?:;|&&))/, "sleep …");
  lastPrinted = `${tool} ${place ? clipped(label) : oneLine(label)} #${lastAbout === hash ? text : hashToText(lastAbout)}.${text}`;
  return { fingerprint: lastPrinted, hash };
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

// `#about.exact` at the end has a fixed length.
const ABOUT_FROM = 13;
const ABOUT_TO = 7;

let lastPrinted = "";
let lastAbout = 0;

/** What a call is about, as a number: equal for calls of one tool about the same thing. That of the newest call is known. */
export function aboutHash(fingerprint: string): number {
  return fingerprint === lastPrinted ? lastAbout : Number.parseInt(fingerprint.slice(-ABOUT_FROM, -ABOUT_TO), 32) | 0;
}

function readText(input: string): unknown {
  if (input.length > MAX_TEXT || !/^\s*[{[]/.test(input)) return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** An argument without what does not change what is asked for: how long a command waits first, what gets past a cache. */
function essential(value: string, { address, command }: Role): string {
  if (address) return withoutCacheBusters(value);
  return command && value.startsWith("sleep ") ? value.replace(/^sleep [\d.]+[smh]? *(?:;|&&) *(?=\S)/, "") : value;
}

/** An address without what was only added to get past a cache. */
function withoutCacheBusters(url: string): string {
  return url.includes("?") ? url.replace(/[?&](?:_|t|ts|cb|nocache|timestamp|rand(?:om)?)=[\w.-]*/g, "") : url;
}

function clipped(text: string): string {
  return text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text;
}

function oneLine(text: string): string {
  const line = clipped(text);
  return /\s/.test(line) ? line.replace(/\s+/g, " ").trim() : line;
}

const OVERVIEW = 1;

/** Whether a call is a command for an overview of the repository or folder: all of them are about the same. */
export function isOverview(fingerprint: string): boolean {
  return aboutHash(fingerprint) === OVERVIEW;
}

/** Viewers of one file and overviews of one repository or folder are about the same, however they are worded. */
function aboutCommand(command: string): number | undefined {
  if (command.length >= 300) return undefined;
  const file = viewedFile(command);
  if (file !== undefined) return hashString(file, 11);
  if (!/^(?:ls|dir|tree|pwd|find)\b|git /.test(command) || kindOfCommand(command) !== "overview") return undefined;
  return OVERVIEW;
}

/** A plan is about how far its steps are, not about how they are worded. */
function statesOf(steps: readonly unknown[]): string {
  return steps
    .slice(0, 100)
    .map((step) => (typeof step === "object" && step !== null ? String((step as { readonly status?: unknown }).status) : ""))
    .join(",");
}

function sortedWords(query: string): string {
  const words = meaningfulWords(query);
  return words.length === 0 ? query : words.toSorted().join(" ");
}
