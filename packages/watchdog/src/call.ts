import type { EventOf } from "@phasekit/core";
import { kindOfCommand } from "./command-text.ts";
import { labelOf } from "./fingerprint.ts";
import { hashString } from "./hash-value.ts";
import { normalizeLine } from "./normalize-result.ts";
import { mayPass } from "./passing-error.ts";
import { isNothing, saysDone, saysUnderWay } from "./receipt.ts";
import { errorOf, outputText, unwrapped } from "./result-text.ts";
import { isActionName, isAskingName, isCompaction, isHandover, isMeasuring, isPollCommand, isPollName, isShellName, isSteppingName, isWaitName, type ToolRule, type ToolRules } from "./tool-rules.ts";

/** What the name of a call says about it, worked out once per fingerprint. */
interface CallTraits {
  readonly rule: ToolRule | undefined;
  /** It asks how something is getting on. */
  readonly polls: boolean;
  /** It lets time pass. */
  readonly waits: boolean;
  /** It looks and changes nothing. */
  readonly looks: boolean;
  /** It tries something out: tests, a build, a linter. */
  readonly checks: boolean;
  /** It changes something, as far as anybody can tell. */
  readonly changes: boolean;
  /** It is known to change something, not only taken to: it is no command. */
  readonly acts: boolean;
  /** It is a command that is known to change something. */
  readonly alters: boolean;
  /** It shortens the agent's memory. */
  readonly compacts: boolean;
  /** Nobody knows what it is for; how it answers may tell. */
  readonly unknown: boolean;
}

/** A finished call, as the detectors read it. */
export interface Call extends CallTraits {
  readonly tool: string;
  readonly fingerprint: string;
  readonly failed: boolean;
  /** It waits first and then does something, as a careful retry does. */
  readonly spaced: boolean;
  /** What it answered, as a number, once a repeated call has answered something else: equal for equal answers. */
  readonly answer: number;
  /** The same, of its words alone. */
  readonly words: number;
  /** It failed, and that may well pass by itself. */
  readonly passing: boolean;
  /** Its result differs from that of the last equal call; `undefined` for the first one. */
  readonly moved: boolean | undefined;
  /** Something outside changed: a mutation that went through and was no empty repetition. */
  readonly landed: boolean;
  /** It shows, as before, something that waiting will not mend. */
  readonly dead: boolean;
  /** It polls, or was told that something is not finished yet: asking again may well bring news. */
  readonly underWay: boolean;
  /** All it said is that something was done. */
  readonly acknowledged: boolean;
  /** It was made for the first time, went through, and looked at something or ran something: like most calls. */
  readonly ordinary: boolean;
  readonly turn: number;
  readonly at: number;
}

type Finished = EventOf<"tool.finished">;

/** Whether a call goes on to another revision: then every run is about something else. */
export function isBisecting({ fingerprint }: Call): boolean {
  return BISECTS.test(labelOf(fingerprint));
}

const BISECTS = /\bbisect\b/;
const NO_RULES: ToolRules = {};
let lastEvent: Finished | undefined;
let lastRules: ToolRules | undefined;
let lastCall: Call | undefined;

/**
 * Reads a finished call. `undefined` for what does not count: calls without a fingerprint, calls the host denied, and
 * tools that are to be ignored. Detectors ask for the same event one after the other, so the last answer is kept.
 */
export function readCall(event: Finished, rules: ToolRules = NO_RULES): Call | undefined {
  if (lastEvent !== event || lastRules !== rules) {
    lastCall = describeCall(event, rules);
    lastEvent = event;
    lastRules = rules;
  }
  return lastCall;
}

function describeCall(event: Finished, rules: ToolRules): Call | undefined {
  const { tool, outcome, meaning, turn = 0, at } = event;
  const { fingerprint, moved } = meaning;
  if (fingerprint === undefined || outcome === "denied") return undefined;
  const traits = traitsOf({ tool, fingerprint, activity: meaning.activity, mutates: meaning.mutates, rule: rules === NO_RULES ? undefined : ownRule(rules, tool) });
  if (traits.rule === "ignore") return undefined;
  const failed = isFailure(event, traits);
  const acknowledged = !failed && (traits.changes || traits.unknown) && saysDone(labelOf(fingerprint), event.output);
  // Only who asks again is polling, so the first answer need not be read.
  const underWay = traits.polls || (moved === false && !failed && !acknowledged && !traits.changes && !traits.checks && !isReading(meaning.activity) && saysUnderWay(event.output));
  const landed = acknowledged || (!failed && traits.changes && moved !== false);
  return {
    rule: traits.rule, polls: traits.polls, waits: traits.waits, looks: traits.looks,
    checks: traits.checks, changes: traits.changes, compacts: traits.compacts, acts: traits.acts, alters: traits.alters, unknown: traits.unknown,
    dead: moved === false && traits.polls && !failed && showsDead(event.output),
    tool, fingerprint, failed, moved, landed, acknowledged, underWay,
    spaced: (failed || (moved === false && !showsDead(event.output))) && !traits.waits && SLEEPS.test(labelOf(fingerprint).slice(tool.length + 1)),
    passing: failed && mayPass(errorOf(event)),
    turn, at, answer: 0, words: 0,
    ordinary: moved === undefined && !failed && !landed && !traits.polls && !traits.waits && !traits.checks && !traits.compacts,
  };
}

/** The same call with what it answered, for those whose answers are compared with earlier ones. */
export function withAnswer(call: Call, { tool, output }: Finished): Call {
  const text = outputText(output).slice(0, MAX_STATE);
  const counts = isSteppingName(tool) || isMeasuring(labelOf(call.fingerprint));
  return { ...call, answer: hashString(counts ? text : normalizeLine(text), 7), words: hashString(text.replace(/\d+/g, ""), 7) };
}

const SLEEPS = /^sleep [\d…]/;
const DEAD = /crashloop|backoff|errimage|\b(?:failed|unhealthy|exited|errored)\b/i;

/** Whether a short answer shows something that waiting will not mend. */
function showsDead(output: unknown): boolean {
  const text = outputText(output);
  return text.length <= MAX_STATE && DEAD.test(text);
}

const MAX_STATE = 1000;

function isReading(activity: string | undefined): boolean {
  return activity === "read" || activity === "search";
}

function ownRule(rules: ToolRules, tool: string): ToolRule | undefined {
  return Object.hasOwn(rules, tool) ? rules[tool] : undefined;
}

const LOOKING = new Set(["read", "search", "vcs-read"]);
const CHECKING = new Set(["test", "build", "lint"]);
const CHANGING = new Set(["edit", "vcs-write", "install"]);

interface TraitsOf {
  readonly tool: string;
  readonly fingerprint: string;
  readonly activity: string | undefined;
  readonly mutates: boolean | undefined;
  readonly rule: ToolRule | undefined;
}

const MAX_TRAITS = 256;
const traits = new Map<string, CallTraits>();

const LOOKS: CallTraits = { rule: undefined, polls: false, waits: false, looks: true, checks: false, changes: false, acts: false, alters: false, compacts: false, unknown: false };
const EDITS: CallTraits = { ...LOOKS, looks: false, changes: true, acts: true };

/** Traits follow from the call alone, so they are worked out once for each of the last few hundred calls. */
function traitsOf(wanted: TraitsOf): CallTraits {
  const { activity, mutates, rule } = wanted;
  if (rule === undefined && (activity === "read" || activity === "search") && mutates !== true && !fetches(wanted)) return LOOKS;
  if (rule === undefined && activity === "edit" && mutates !== false) return EDITS;
  const key = `${wanted.fingerprint}|${wanted.activity ?? ""}|${String(wanted.mutates)}|${wanted.rule ?? ""}`;
  const known = traits.get(key);
  if (known !== undefined) return known;
  if (traits.size >= MAX_TRAITS) traits.clear();
  const fresh = workOutTraits(wanted);
  traits.set(key, fresh);
  return fresh;
}

/** A command that reads from a server may ask whether it is up. */
function fetches({ tool, fingerprint }: TraitsOf): boolean {
  return fingerprint.startsWith("curl ", tool.length + 1);
}

function workOutTraits({ tool, fingerprint, activity = "other", mutates, rule }: TraitsOf): CallTraits {
  const label = labelOf(fingerprint).slice(tool.length + 1);
  const shell = activity === "run" || (activity === "other" && isShellName(tool));
  // An interpreter that reads shells calls a sleep a wait, as it does a look at a running job: the command tells them apart.
  const kind = label === "" ? undefined : shell || activity === "vcs-read" || (activity === "wait" && isShellName(tool)) ? kindOfCommand(label) : undefined;
  const waits = isWaitName(tool) || kind === "wait";
  const asks = (activity === "wait" && kind !== "wait") || (shell || ((activity === "vcs-read" || activity === "read") && isShellName(tool)) ? isPollCommand(label) : activity === "other" && (isPollName(tool, label) || isPollCommand(`${tool} ${label}`)));
  const polls = rule === "poll" || (rule === undefined && !waits && asks);
  const checks = CHECKING.has(activity) || kind === "check";
  // A command that neither looks nor checks is taken for a change: then the next run is a new experiment.
  const seems = CHANGING.has(activity) || kind === "change" || kind === "run" || (activity === "other" && isActionName(tool, label));
  const changes = !checks && !polls && !isHandover(tool) && (mutates ?? seems);
  const looks = !changes && (LOOKING.has(activity) || kind === "look" || kind === "overview");
  // Thinking and asking change nothing, whatever they answer.
  const unknown = activity === "other" && !/think|thought|reflect/i.test(tool) && !isAskingName(tool) && mutates === undefined && kind === undefined && !changes && !polls && !waits && !checks;
  return { rule, polls, waits, looks, checks, changes, acts: changes && kind === undefined && !isShellName(tool), alters: changes && kind === "change", compacts: isCompaction(tool), unknown };
}

/** Whether a finished call failed, also when its shell reports that as plain data. Red tests are a result, not a failure. */
export function callFailed(event: Finished): boolean {
  const { tool, meaning } = event;
  const { fingerprint = tool, activity, mutates } = meaning;
  return isFailure(event, traitsOf({ tool, fingerprint, activity, mutates, rule: undefined }));
}

/** Whether a call failed, also when a shell reports its exit code as plain data. */
function isFailure({ outcome, exitCode, output, meaning }: Finished, { looks }: CallTraits): boolean {
  // A search without a hit ends with 1 and without a word; some hosts call that an error.
  if (outcome === "error") return !(looks && ((exitCode ?? exitCodeOf(output)) === 1 || (exitCode === undefined && output === "")));
  // Red tests are a result, not a failure of the tool; and what is read may well speak of exit codes.
  if (meaning.tests !== undefined || isReading(meaning.activity)) return false;
  const code = exitCode ?? exitCodeOf(output);
  if (code !== undefined) return code !== 0 && !(code === 1 && looks);
  return saysFailure(output);
}

const EXIT = /\bexit(?:ed)?[ _-]?(?:with )?(?:code|status)?["' :=]{1,4}(-?\d+)/i;

/** The exit code in a result: a member of an object, or a line at its beginning or end. */
function exitCodeOf(given: unknown): number | undefined {
  const output = unwrapped(given);
  if (typeof output === "string") {
    if (output.length === 0) return undefined;
    const found = EXIT.exec(output.length <= 240 ? output : `${output.slice(0, 120)}\n${output.slice(-120)}`);
    return found === null ? undefined : Number(found[1]);
  }
  if (typeof output !== "object" || output === null) return undefined;
  const { exitCode, exit_code, returncode, return_code } = output as Readonly<Record<string, unknown>>;
  const code = exitCode ?? exit_code ?? returncode ?? return_code;
  return typeof code === "number" ? code : undefined;
}

/** A body that says by itself that it failed. */
function saysFailure(given: unknown): boolean {
  const output = unwrapped(given);
  if (typeof output === "string") return /^\s*error:/i.test(output) || (FAILED_BODY.test(output.slice(0, LONG_BODY)) && saysFailure(readBody(output)));
  if (typeof output !== "object" || output === null) return false;
  const { success, ok, isError, is_error, type, status, error } = output as Readonly<Record<string, unknown>>;
  return success === false || ok === false || isError === true || is_error === true || type === "error" || status === "error" || isProblem(error);
}

const LONG_BODY = 2000;
const FAILED_BODY = /^\s*\{[^]*"(?:success|ok|is_?error|error|type|status)"\s*:\s*(?:false|true|"[^"]|\{)/i;

function readBody(text: string): unknown {
  try {
    return text.length <= LONG_BODY ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** What stands under "error": that there is none, or that nothing was found, is no failure. */
function isProblem(error: unknown): boolean {
  if (typeof error === "string") return error !== "" && !isNothing(error);
  return typeof error === "object" && error !== null && Object.values(error).some((part) => typeof part === "string" && part !== "" && !isNothing(part));
}
