import { alert, type EventOf, type Policy } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import type { Call } from "../call.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { type CallInputs, keepInput, takeInput } from "../call-inputs.ts";
import { labelOf } from "../fingerprint.ts";
import { isListed } from "../listed-items.ts";
import { answerSame, withoutTimes } from "../normalize-result.ts";
import { isAcknowledgement, saysBad, saysDone, saysFine, saysNothing } from "../receipt.ts";
import { outputText } from "../result-text.ts";
import { type CallOptions, isCheckName, isMeasuring, isSearchName } from "../tool-rules.ts";

/** Options of `sameAnswer`. */
export interface SameAnswerOptions extends CallOptions {
  /** Equal answers of one tool to different arguments. @default 6 */
  readonly times?: number;
  /**
   * The same where it may well be chance: nothing was found about each of many items, or other calls brought news in
   * between. @default 12
   */
  readonly items?: number;
}

/** The answers of one tool. What the last one said is read from its event when it is needed: most are never compared. */
interface Answers {
  last: EventOf<"tool.finished">;
  count: number;
  /** How many of the calls differed from the one before. */
  different: number;
  /** Before how many of them another tool had brought news. */
  paced: number;
  seen: number;
  /** The tool has answered something else before: it can tell things apart. */
  varied: boolean;
}

interface SameAnswerState extends DetectorState {
  readonly byTool: Map<string, Answers>;
  calls: number;
  tool: string;
  /** The last call that brought something new, by its number and tool. */
  newsAt: number;
  newsFrom: Answers | undefined;
  /** Arguments, kept only while some tool is about to be noticed, and those of the call before. */
  readonly inputs: CallInputs;
  input: unknown;
  hot: boolean;
  /** The last results that were new, in turn: what is looked up one by one may come from one of them. */
  readonly news: EventOf<"tool.finished">[];
}

const MAX_TOOLS = 16;
const FORGET_AFTER = 20;
const SHORT = 400;
const MAX_NEWS = 8;
const LONG_PAGE = 80;

/**
 * Notices a tool that answers the same whatever it is asked: the arguments vary, the world does not.
 *
 * Fires: six searches worded anew, all "no hits"; six elements clicked and the page stays as it was; twelve items, and
 * nothing is known about any of them.
 * Silent: edits and other batches that only acknowledge, the same short value for many items, a list that was read and is
 * gone through, checks of many places, empty answers of anything but a search, failures (`failingTool`'s), work that goes
 * on between the questions.
 * Seen: intercode/bash_react_gpt-3.5_fs_4, runs 13 and 19: ever more options, the same empty answer.
 */
export function sameAnswer({ times = 6, items = 12, tools }: SameAnswerOptions = {}): Policy {
  return callDetector<SameAnswerState>({
    name: "same-answer",
    tools,
    sees: "all",
    initial: () => ({ idle: true, byTool: new Map(), calls: 0, tool: "", newsAt: 0, newsFrom: undefined, inputs: [], input: undefined, hot: false, news: [] }),
    onRequest: (state, event) => {
      if (state.hot) keepInput(state.inputs, event);
    },
    onCall: (state, call, { event, asked }) => {
      const earlier = state.input;
      const input = state.hot ? takeInput(state.inputs, event) : undefined;
      state.input = input;
      state.tool = "";
      state.idle = true;
      state.calls += 1;
      if (call.failed || (call.waits && !isParting(outputText(event.output))) || call.polls || call.checks || call.rule === "batch") return;
      if (event.meaning.mutates === true || call.alters) {
        state.byTool.clear();
        coolDown(state);
        return;
      }
      const before = state.byTool.get(call.tool);
      if (before === undefined) {
        const fresh = { last: event, count: 1, different: 0, paced: 0, seen: state.calls, varied: false };
        setBounded(state.byTool, [call.tool, fresh], MAX_TOOLS);
        sawNews(state, fresh);
        return;
      }
      const { last } = before;
      if (last.turn === event.turn) return;
      before.last = event;
      if (state.calls - before.seen <= FORGET_AFTER && answersSame(last, event)) {
        before.count += 1;
        if (last.meaning.fingerprint !== call.fingerprint) before.different += 1;
        if (state.newsAt > before.seen && state.newsFrom !== before) before.paced += 1;
      } else {
        if (before.count >= times - 2) coolDown(state);
        before.varied = true;
        before.count = 1;
        before.different = 0;
        before.paced = 0;
        sawNews(state, before);
      }
      before.seen = state.calls;
      if (before.count < times - 2) return;
      state.hot = true;
      if (before.count < times) return;
      const text = outputText(event.output);
      const paging = text.length > LONG_PAGE && turnsPages(input, earlier);
      if (!paging && (!isDeadEnd(call, event) || isListed(state.news.map(({ output }) => outputText(output)), { input, earlier }))) return;
      const chance = before.paced * 2 > before.count;
      const many = before.varied ? items * 3 : items;
      const limit = paging ? times : asked.each ? items * 3 : areNames(input, earlier) ? items * 2 : input !== undefined && isItem(call, input, earlier) ? limitOfItems(text, many) : chance ? items : times;
      if (before.count < limit) return;
      state.tool = call.tool;
      state.idle = false;
    },
    report: ({ byTool, tool }) => {
      const found = tool === "" ? undefined : byTool.get(tool);
      if (found === undefined || found.different < times / 2) return undefined;
      const result = outputText(found.last.output).slice(0, 160);
      return alert({ kind: "same-answer", signature: tool, count: found.count, severity: found.count < times + 3 ? "notice" : "warning", evidence: { tool, result } });
    },
  });
}

function coolDown(state: SameAnswerState): void {
  state.hot = false;
  state.inputs.length = 0;
}

function sawNews(state: SameAnswerState, from: Answers): void {
  state.newsAt = state.calls;
  state.newsFrom = from;
  state.news[state.calls % MAX_NEWS] = from.last;
}

/** Whether only the page differs between two calls: then the same again is no next page. */
function turnsPages(input: unknown, earlier: unknown): boolean {
  if (!isArguments(input) || !isArguments(earlier)) return false;
  const others = Object.keys(input).filter((key) => input[key] !== earlier[key]);
  return others.length > 0 && others.every((key) => PAGE.test(key));
}

const PAGE = /^(?:page(?:_?(?:no|num|number|index|token))?|offset|start|skip|cursor|after)$/i;

/** Whether two searches each look for one whole word, and the two have no part in common: names that are gone through. */
function areNames(input: unknown, earlier: unknown): boolean {
  const now = soughtName(input);
  const then = soughtName(earlier);
  return now.length > 0 && then.length > 0 && !now.some((part) => then.includes(part));
}

/** The parts of the one name a search looks for as a whole word. */
function soughtName(input: unknown): readonly string[] {
  if (!isArguments(input)) return [];
  const text = Object.values(input).find((value) => typeof value === "string" && value.includes("\\b"));
  const name = typeof text === "string" ? WHOLE_WORD.exec(text)?.[1] : undefined;
  return name === undefined ? [] : (name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []).map((part) => part.toLowerCase());
}

const WHOLE_WORD = /\\b(\w{3,})\\b/;

function isArguments(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

/** Names of arguments that hold what somebody is looking for, in words of their own. */
const WORDED = /query|^q$|search|pattern|regex|keyword|term|text|question|prompt|thought|message|command|cmd|code|sql|path|file|ur[li]$/i;

/** Whether a call asks about one of many things (an id, a host, a name) and not in words that could be chosen otherwise. */
function isItem({ acts }: Call, input: unknown, earlier: unknown): boolean {
  if (acts || !isArguments(input)) return false;
  // What stays the same is what is asked; what differs is of whom.
  const all = Object.entries(input);
  const others = isArguments(earlier) ? all.filter(([key, value]) => earlier[key] !== value) : [];
  if (others.length === 1 && isOneWordApart(others[0]?.[1], (earlier as Readonly<Record<string, unknown>>)[others[0]?.[0] ?? ""])) return true;
  const entries = others.length > 0 && others.every(([, value]) => typeof value === "string") ? others : all;
  return entries.length > 0 && entries.length <= FEW_ARGUMENTS && entries.every(([key, value]) => !WORDED.test(key) && isName(value));
}

const FEW_ARGUMENTS = 4;

function isName(value: unknown): boolean {
  return typeof value === "string" ? value.length <= 80 && !/\s/.test(value.trim()) : typeof value === "number" || typeof value === "boolean";
}

/** Whether two commands differ in one word, and that is a host, a file or the like: the same is asked of one after the other. */
function isOneWordApart(command: unknown, earlier: unknown): boolean {
  if (typeof command !== "string" || typeof earlier !== "string") return false;
  const now = command.split(/\s+/);
  const then = earlier.split(/\s+/);
  const others = now.filter((word, index) => word !== then[index]);
  return now.length > 2 && now.length === then.length && others.length === 1 && /^[\w@][\w.:/@-]*[./:][\w.:/@-]*$/.test(others[0] ?? "");
}

/** How many items may get one answer: a value as many as there are, nothing found many; trouble and pages are about the tool. */
function limitOfItems(text: string, items: number): number {
  if (text === "") return 0;
  // A number is a value, also when it is zero.
  if (/^\s*-?\d+(?:[.,]\d+)?\s*$/.test(text)) return Infinity;
  if (saysNothing(text)) return items;
  return saysBad(text) || text.length > SHORT_ANSWER || text.includes("\n") ? 0 : Infinity;
}

const SHORT_ANSWER = 160;

/**
 * Whether one answer to many questions says that this leads nowhere: a search that finds the same whatever it looks for,
 * something that is not as it should be, or a page that stays as it was. What a batch gets for each of its items does
 * not: that it is done or in order, or a word or two.
 */
function isDeadEnd({ tool, fingerprint, looks }: Call, { output, meaning }: EventOf<"tool.finished">): boolean {
  const { activity } = meaning;
  // Silence is how a search says that there is nothing.
  if (outputText(output) === "" && (activity === "search" || SEARCHING.test(labelOf(fingerprint)))) return true;
  if (isAcknowledgement(output) || isCheckName(tool) || isMeasuring(labelOf(fingerprint)) || TESTING.test(labelOf(fingerprint))) return false;
  if (activity === "search" || isSearchName(tool) || (looks && activity !== "read")) return true;
  const text = outputText(output);
  if (isParting(text)) return true;
  // How many there are is an answer, also when there are none.
  if (/\bcount ?\(/i.test(labelOf(fingerprint)) && /^\D*\d+\D*$/.test(text)) return false;
  if (/^(?:(?:HTTP\/\S+ |status(?: code)?:? )?2\d\d\b|INSERT )/i.test(text) || saysFine(text)) return false;
  return saysBad(text) || (!saysDone(labelOf(fingerprint), output) && describes(text));
}

const SEARCHING = /^\S+ (?:cd \S+ && )?(?:(?:git )?(?:grep|egrep|rg|ag)|find|fd|locate|git ls-files|ls -\w*R)\b(?!.*(?:\bxargs|\bsed -i|-exec\b|-delete\b))/;
/** A command that answers yes or no about one file or program. */
const TESTING = /^\S+ (?:test|\[|command -v) /;

/** Words people part with. */
const PARTING =
  /\b(?:thanks?(?: (?:you|again|so much|once more))*|you're (?:very )?(?:welcome|kind)|welcome|(?:good)?bye(?: for now)?|take care|all the best|have a (?:great|nice|good|lovely|wonderful) \w+|talk (?:to you )?soon|see you|cheers|likewise|my pleasure|much appreciated|same to you|no problem|anytime|glad to help|happy to help|you too|let me know if you need anything(?: else)?|anything else|(?:do )?reach out any ?time)\b/gi;

/** Whether an answer is nothing but a kind word, so that the talk is over. */
function isParting(text: string): boolean {
  if (text.length > SHORT_ANSWER || text === "") return false;
  const said = text.replace(/"\w+" ?:/g, "");
  const rest = said.replace(PARTING, "");
  return rest.length < said.length && (rest.match(/\p{L}{3,}/gu) ?? []).length <= 4;
}

/** Who works on their own: two answers that there is nothing are one, in whatever words. */
const SOMEBODY = /^(?:task|agent|delegate|dispatch|spawn|run)?_?(?:sub_?)?(?:task|agent|delegate|dispatch|explore)/i;

/** Whether two short answers are the same once what was asked for is taken out of each. */
function echoSame(before: EventOf<"tool.finished">, after: EventOf<"tool.finished">): boolean {
  const second = outputText(after.output);
  const asked = wordsAsked(after);
  if (second.length > SHORT || asked.length < SHORT_WORD || !second.includes(asked) || !(isSearchName(after.tool) || NOT_THERE.test(second))) return false;
  return equal(outputText(before.output).replaceAll(wordsAsked(before) || "¤", "¤"), second.replaceAll(asked, "¤"));
}

const SHORT_WORD = 3;
const NOT_THERE = /\b(?:no (?:match|result|file|hit|entr|record)|not found|nothing|none)/i;

/** The main argument of a call. */
function wordsAsked({ tool, meaning: { fingerprint = tool } }: EventOf<"tool.finished">): string {
  return labelOf(fingerprint).slice(tool.length + 1);
}

/** What nobody answers. */
const SILENT = new Set(["read", "search", "edit", "run"]);

/** Whether a tool answered the same twice. Files may well be equal: only the same one read in other ways counts. */
function answersSame(before: EventOf<"tool.finished">, after: EventOf<"tool.finished">): boolean {
  const first = outputText(before.output);
  const second = outputText(after.output);
  if (!isOther(fileOf(after), fileOf(before)) && (equal(first, second) || echoSame(before, after))) return true;
  if (SILENT.has(after.meaning.activity ?? "") || first.length > 2 * SHORT_ANSWER || second.length > 2 * SHORT_ANSWER) return false;
  return (isParting(second) && isParting(first)) || (SOMEBODY.test(after.tool) && saysBad(first) && saysBad(second));
}

function fileOf({ meaning: { activity, targets } }: EventOf<"tool.finished">): string | undefined {
  const [target] = activity === "read" ? (targets ?? []) : [];
  // Two addresses with one page are a wall.
  return target?.startsWith("http") === true ? undefined : target;
}

/** Whether these are two files, however their paths are written: neither path is the end of the other. */
function isOther(file: string | undefined, before: string | undefined): boolean {
  if (file === undefined || before === undefined) return false;
  const length = Math.min(file.length, before.length);
  for (let back = 1; back <= length; back += 1) if (file.charCodeAt(file.length - back) !== before.charCodeAt(before.length - back)) return true;
  return false;
}

const FEW_WORDS = 4;
const FEW_MEMBERS = 120;

/** More than a few words, or words with a structure, show something; a few members of an object are a value. */
function describes(text: string): boolean {
  if (/^(?:\{.*\}|\[.*\])$/s.test(text)) return text.length > FEW_MEMBERS;
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).length > FEW_WORDS || /[:;[|\n]/.test(text);
}

const LONG_ANSWER = 4000;

function isStructured(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x7b || first === 0x5b;
}

/** Only clocks and the like are put aside: the answer to another question may well be another id. */
function equal(before: string, after: string): boolean {
  if (before === after) return true;
  if (before.length > LONG_ANSWER || after.length > LONG_ANSWER || Math.abs(before.length - after.length) > 24) return false;
  if (isStructured(after)) return answerSame(before, after);
  return after.length <= SHORT && /\d/.test(after) && withoutTimes(before) === withoutTimes(after);
}
