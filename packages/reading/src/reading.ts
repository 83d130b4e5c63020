import type { InterpreterSource, Meaning, RunEvent, ToolCall, ToolResult, ToolTable } from "@phasekit/core";
import { notesOf, callOf } from "@phasekit/core/account";
import { answerText, questionText } from "./answers/answer-text.ts";
import { classifyAnswer } from "./answers/classify-answer.ts";
import { englishLexicon, type Lexicon } from "./answers/lexicon.ts";
import { textOf } from "./answers/exit-code.ts";
import { readError } from "./answers/read-error.ts";
import { saysFailed } from "./answers/read-failure.ts";
import { effectOf } from "./calls/effect-of-call.ts";
import { identifyCall } from "./calls/identify-call.ts";
import { NoveltyMemory, type SavedNovelty } from "./calls/novelty.ts";
import { createCallReader } from "./calls/read-call.ts";
import { commandOf, editedFiles, readInput, type ToolInput } from "./calls/tool-input.ts";
import { WrittenLines } from "./edits/written-lines.ts";
import { deliveryOfTool, readDeliveries } from "./delivery/read-deliveries.ts";
import { assertNames, defined } from "@phasekit/core/adapter";

const MAX_LINE = 65_536;

/** Adds the steps towards delivery that a command line or a tool takes. */
function withDeliveries(
  meaning: Meaning,
  { tool, given }: { readonly tool: string; readonly given: ToolInput },
): Meaning {
  const delivers =
    notesOf(meaning).shell === true
      ? readDeliveries((commandOf(given) ?? "").slice(0, MAX_LINE))
      : deliveryOfTool(tool);
  return delivers.length === 0 ? meaning : { ...meaning, delivers };
}

/** Options for `reading()`. All optional. */
export interface ReadingOptions {
  /** Tools of your own. They come before the known ones. A "run" tool with a command is read as a shell. */
  readonly tools?: ToolTable;
  /** Words by which answers say what they are. @default englishLexicon */
  readonly lexicon?: Lexicon;
  /** Lines of answers to remember. @default 4096 */
  readonly memory?: number;
  /** Command lines whose reading is kept; repeated commands then cost next to nothing. @default 512 */
  readonly cacheSize?: number;
}

/**
 * Reads calls and their answers, and fills the whole `Meaning`. The activity, the files and the result of tests come
 * from the tool's name, its command line or code, and its output. The question (`about`), the `effect`, the kind of
 * `answer` and how much of it is new (`gain`, `moved`) are for policies that look for stalls. An interpreter before
 * this one may know better: its fields win.
 *
 * @example
 * createRun({ graph: codingPhases, interpret: reading({ tools: { deploy: "run" } }), policies: [phaseTracker()] })
 * @throws INVALID_OPTION when a tool has no activity, or there is no such option
 */
export function reading({
  tools,
  lexicon = englishLexicon,
  memory = 4096,
  cacheSize,
  ...others
}: ReadingOptions = {}): InterpreterSource {
  assertNames(others);
  // Checks the table now, and not when the first run starts.
  createCallReader(defined({ tools }));
  return () => {
    const readCall = createCallReader(defined({ tools, cacheSize }));
    const novelty = new NoveltyMemory(memory);
    const written = new WrittenLines();
    let lastAsked = "";
    /** True once an answer was there: this host shows them. */
    let shows = false;

    function readAnswer(call: ToolCall & { readonly given: ToolInput }, result: ToolResult, known: Meaning): Meaning {
      const { about: own = identifyCall(call), effect = effectOf(call, known) } = known;
      const question = questionText(call.given);
      const text = answerText(result);
      const failed = callOf({ ...result, meaning: known }).failed;
      // A log without answers says nothing about them: what is missing is not "nothing new".
      shows ||= text !== "" || result.exitCode !== undefined;
      if (!shows && !failed) return { effect, about: own };
      const answer = classifyAnswer(result, { text, question, effect, lexicon, failed });
      if (!failed && (effect === "change" || (effect === "act" && own !== lastAsked))) novelty.noteChange();
      lastAsked = own;
      const { about, gain, moved } = novelty.measure({
        about: own,
        question: () => question,
        answer: text,
        values: answer !== "failure",
        named: effect === "look" && (answer === "value" || answer === "content"),
        content: effect === "look" && answer === "content",
      });
      const error = failed || answer === "failure" ? readError(textOf(result), question) : undefined;
      return {
        effect,
        answer,
        about,
        gain: Math.round(gain * 100) / 100,
        ...(moved !== undefined && { moved }),
        ...(error !== undefined && { notes: { ...notesOf(known), error } }),
      };
    }

    return {
      name: "reading",
      version: "8",
      interpret: (call, result, before = {}) => {
        const read = { ...call, given: readInput(call.input) };
        const meaning = withDeliveries(withFailure(readCall(read, result), result), read);
        if (result === undefined) return { ...meaning, about: identifyCall(read) };
        // A call the host denied never ran, so it has no answer.
        if (result.outcome === "denied") return meaning;
        const known = withLostChange(meaning, { given: read.given, result, written });
        return {
          ...known,
          ...readAnswer(read, result, {
            ...before,
            ...known,
            ...(before.activity !== undefined && { activity: before.activity }),
          }),
        };
      },
      save: () => novelty.save(),
      // Only a snapshot of this interpreter gets here: its name and version were compared.
      load: (memory) => novelty.load(memory as SavedNovelty),
      recall: (event: RunEvent) => {
        if (event.type !== "tool.finished" || event.outcome === "denied") return;
        const { about = event.tool, answer } = event.meaning;
        const text = answerText({ output: event.output });
        novelty.measure({ about, question: () => "", answer: text, values: answer !== "failure" });
      },
    };
  };
}

/** Notes what an edit writes, and a file that is read and has lost it. */
function withLostChange(
  meaning: Meaning,
  {
    given,
    result,
    written,
  }: { readonly given: ToolInput; readonly result: ToolResult; readonly written: WrittenLines },
): Meaning {
  const [path] = meaning.targets ?? [];
  const { landed, failed } = callOf({ ...result, meaning });
  if (landed) for (const file of editedFiles(given, meaning.targets)) written.note(file);
  else if (meaning.activity === "read" && path !== undefined && !failed)
    if (written.isGone(path, () => answerText(result), { whole: isWhole(given) }))
      return { ...meaning, notes: { ...notesOf(meaning), restores: [path] } };
  return meaning;
}

/** True if a reader of files gets nothing but its path: it shows all of it. */
function isWhole(given: ToolInput): boolean {
  return typeof given === "object" && Object.keys(given).length === 1;
}

/** Notes a failure that only the answer tells. Readers of shells and edits have noted it already. */
function withFailure(meaning: Meaning, result: ToolResult | undefined): Meaning {
  const { failed, shell } = notesOf(meaning);
  if (result?.outcome !== "ok" || failed !== undefined || shell === true || meaning.activity === "edit") return meaning;
  if (meaning.tests !== undefined || !saysFailed(result)) return meaning;
  return { ...meaning, notes: { ...notesOf(meaning), failed: true } };
}
