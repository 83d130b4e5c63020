/**
 * What changes from one look to the next without anything having happened: colours, times, durations, process ids,
 * hashes, addresses, temporary paths, ids and receipts. Plain numbers stay: "step 3 of 40" is news.
 */
const TIMES = [
  String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?\b`,
  String.raw`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .{0,12}?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?(?: [A-Z]{2,5})?(?: \d{4})?`,
  String.raw`\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* +\d{1,2}(?:,? +\d{4})?(?: \d{1,2}:\d{2}(?::\d{2})?)?\b`,
  String.raw`\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M)?\b`,
  String.raw`\bduration(?:_ms)?:? \d+(?:\.\d+)?`,
  // Seconds as curl and its like print them.
  String.raw`(?<=^|\s)\d{1,3}\.\d{6}(?=\s|$)`,
  String.raw`\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|msecs?|s|secs?|seconds?|mins?|minutes?|hours?|hrs?)\b(?:,? ?\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?|m|mins?)\b)*|\b(?:\d+(?:\.\d+)?[dhms])+\b`,
  // Seconds since 1970 stand where times stand; alone or in a column of numbers they are sizes or counts.
  String.raw`(?<=[[({=:@"'#,][ ]?|\b(?:at|time|since|until|epoch|stamp) )1[0-9]{9}(?:\.\d+)?\b`,
  String.raw`^1[0-9]{9}(?:\.\d+|(?=[:,\]]| [A-Z[]))`,
  String.raw`\b1[0-9]{12}(?:[0-9]{3}|[0-9]{6})?(?:\.\d+)?\b`,
];
const IDS = [
  String.raw`\u001b\[[0-9;?]*[A-Za-z]`,
  String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){1,3}(?:-[0-9a-f]{12})?\b`,
  String.raw`\b0x[0-9a-fA-F]{4,}\b`,
  String.raw`(?<=[a-z\d]-)[0-9a-f]{8,10}-[0-9a-z]{5}\b`,
  String.raw`\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b`,
  // Letters and digits that take turns are the end of a made-up name, such as a pod's.
  String.raw`(?<=[a-z]-)(?=[a-z\d]*\d)(?=\d*[a-z])[a-z\d]{5,10}\b`,
  String.raw`(?:/private)?/(?:tmp|var/folders|var/tmp|dev/shm)/[^\s"':,)]+`,
  String.raw`\b(?:pid|process|thread|tid|port)[ :=#(]{1,3}\d+`,
  String.raw`\b[A-Za-z_]*(?:id|ID|Id|uuid|nonce|etag|ETag|receipt|ts|timestamp|digest|seed|counter|seq|run|attempt|tool_calls_made|execution_count)["']? ?[:=#] ?["']?[\w.:-]+`,
  String.raw`\b(?:In|Out) ?\[\d+\]|^\[\d+\](?: \d{3,7}$)?`,
  // A pod that cannot start says so in turns.
  String.raw`\b(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull)\b *`,
  // How often a pod was started again, and the process that crashed.
  String.raw`\b\d+ \(\d+[smhd]\w* ago\)|\(x\d+ over [\dsmhd]+\)|\b\d+ (?=Segmentation fault|Aborted|Killed|Bus error|Trace\/breakpoint)`,
  String.raw`\[[#=>.\- ]{4,}\]`,
  String.raw`\bseed \d+|\[ref=\w+\]`,
];
const TIME = new RegExp(TIMES.join("|"), "g");
const VOLATILE = new RegExp([...TIMES, ...IDS].join("|"), "g");

const REQUEST = /\b(?:request|trace|correlation|ray)[ _-]?id["']?[:=# ]{1,3}["']?[\w.:-]+|\b(?:score|similarity|relevance|distance|confidence)[:= ]{1,2}\d*\.\d+/gi;

const ESCAPE = 0x1b;

/** Where in a file an error was seen: it moves with every edit above it. */
const PLACES = /(?<=[\w)\]"'])(?::\d+){1,2}\b|\(\d+,\d+\)|\b(?:line|row|col|column|offset|position|char(?:acter)?) \d+(?:[ ,:-]+(?:col|column|char(?:acter)?)? ?\d+)?/gi;

/** A line without what always changes. */
export function normalizeLine(line: string): string {
  // Colours are nothing; everything else leaves a mark, so that its place still counts.
  return line.replace(VOLATILE, (found) => (found.charCodeAt(0) === ESCAPE ? "" : "¤")).trimEnd();
}

/** A text without clocks, durations and the number of the request. */
export function withoutTimes(text: string): string {
  return text.replace(TIME, "¤").replace(REQUEST, "¤");
}

/** A text without places: what is said, wherever it is. */
export function withoutPlaces(text: string): string {
  return normalizeLine(text.slice(0, MAX_ERROR)).replace(PLACES, "¤");
}

/** The words of an error without places and numbers: what went wrong, not where. */
export function normalizeError(text: string): string {
  return normalizeLine(text.slice(0, MAX_ERROR).replace(OWN_WORDS, "")).replace(PLACES, "¤").replace(/\d+/g, "0").replace(/\s+/g, " ").trim();
}

const MAX_ERROR = 1200;

/** Whatever Phasekit itself said inside a result is no part of the result. */
const OWN_WORDS = /<phasekit>[\s\S]*?<\/phasekit>/g;

/** A result without our own words. */
export function withoutOwnWords(text: string): string {
  return text.includes("<phasekit>") ? text.replace(OWN_WORDS, "").trimEnd() : text;
}

const TIME_KEY =
  /^(?:ts|at|ms|times?|timestamp|date|datetime|now|when|pid|ppid|cwd|heartbeats?|counter|seq|sequence|attempt|execution_?[cC]ount|tool_calls?(?:_made)?|(?:date_|duration|elapsed|took|latency|uptime).*|.*(?:_at|[a-z]At|_time|[a-z]Time|Timestamp|_ts|_date|[a-z]Date|_duration|Duration|_ms|[a-z]Ms|_seconds|Seconds|_secs))$/;
const ID_KEY = /^(?:id|ids|sid|uuid|guid|nonce|etag|receipt.*|reference|confirmation|.*(?:_id|Id|ID|_uuid|Uuid)|hash|sha\d*|digest|checksum)$/;

const REQUEST_KEY = /^(?:(?:request|trace|correlation|span|session|call|ray|job|query)_?-?id|score|_score|relevance|similarity|distance|confidence|rank)$/i;

function isNoise(key: string): boolean {
  return TIME_KEY.test(key) || REQUEST_KEY.test(key);
}

/** Whether two answers to different questions say the same: clocks, scores and the numbers of requests aside, not ids. */
export function answerSame(before: string, after: string): boolean {
  const length = Math.min(before.length, after.length);
  let at = 0;
  while (at < length && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  // Where they differ first mostly decides; only then they are worth a parser.
  const key = KEY_BEFORE.exec(before.slice(Math.max(0, at - 60), at))?.[1];
  if (key === undefined || !isNoise(key)) return before.length <= MAX_ERROR && withoutTimes(before) === withoutTimes(after);
  try {
    return saySame(JSON.parse(before), JSON.parse(after), { depth: 0, isNoise });
  } catch {
    return false;
  }
}

const KEY_BEFORE = /"([\w-]+)"\s*:\s*"?[\w.:-]*$/;

interface Comparing {
  readonly depth: number;
  /** Which members never count; ids and clocks when there is no saying. */
  readonly isNoise?: (key: string) => boolean;
}

/** Whether two JSON values say the same, once what always changes is put aside. Stops at the first difference. */
export function saySame(before: unknown, after: unknown, comparing: Comparing = { depth: 0 }): boolean {
  if (Object.is(before, after)) return true;
  const { depth, isNoise: isAside } = comparing;
  if (typeof before === "string" && typeof after === "string") return isAside === undefined ? normalizeLine(before) === normalizeLine(after) : withoutTimes(before) === withoutTimes(after);
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null || depth > 8) return false;
  const deeper = { ...comparing, depth: depth + 1 };
  if (Array.isArray(before) || Array.isArray(after)) return Array.isArray(before) && Array.isArray(after) && sayListsSame(before, after, deeper);
  const first = before as Readonly<Record<string, unknown>>;
  const second = after as Readonly<Record<string, unknown>>;
  const keys = Object.keys(second);
  if (keys.length !== Object.keys(first).length) return false;
  // An object of ids alone is a page of results: there the ids are the news.
  const onlyIds = keys.every((key) => ID_KEY.test(key));
  return keys.every((key) => {
    if (!(key in first)) return false;
    if (Object.is(first[key], second[key])) return true;
    if (isAside === undefined ? TIME_KEY.test(key) || (!onlyIds && ID_KEY.test(key) && isMadeUp(first[key]) && isMadeUp(second[key])) || isContext(key, second[key]) : isAside(key)) return true;
    return saySame(first[key], second[key], deeper);
  });
}

/** Ids are made up; a name under "id" is a name. */
function isMadeUp(value: unknown): boolean {
  return typeof value === "string" ? value === "" || /\d/.test(value) : typeof value !== "object";
}

/** What a server says about its own request. */
function isContext(key: string, value: unknown): boolean {
  return CONTEXT_KEY.test(key) && typeof value === "object" && value !== null && Object.keys(value).every((member) => ID_KEY.test(member) || TIME_KEY.test(member));
}

const CONTEXT_KEY = /^(?:context|meta(?:data)?|trace|request)$/i;

/** Lists that only grew by repeating their last item say nothing new. */
function sayListsSame(before: readonly unknown[], after: readonly unknown[], comparing: Comparing): boolean {
  const shared = Math.min(before.length, after.length);
  for (let index = 0; index < shared; index += 1) if (!saySame(before[index], after[index], comparing)) return false;
  if (before.length === after.length) return true;
  if (shared === 0) return false;
  const longer = before.length > after.length ? before : after;
  for (let index = shared; index < longer.length; index += 1) if (!saySame(longer[index - 1], longer[index], comparing)) return false;
  return true;
}
