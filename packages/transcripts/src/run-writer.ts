import { type NewFact, NUDGE_TAG } from "@phasekit/core";
import { createCallPairs } from "./call-pairs.ts";
import { known } from "./loose-json.ts";
import { type AnswerNotes, createOpenTurn, type OpenTurn } from "./open-turn.ts";
import type { TranscriptEnding, TranscriptItem, TranscriptRun } from "./transcript.ts";
import type { ReportCounter } from "./transcript-report.ts";

/** A call as a transcript has it. */
export interface CallNotes {
  /** Left out by formats without ids: results then belong to the oldest open call. */
  readonly call?: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly at?: number;
  readonly agent?: string;
}

/** A result as a transcript has it. */
export interface ResultNotes {
  readonly call?: string;
  readonly output?: unknown;
  /** @default "ok" */
  readonly outcome?: "ok" | "error" | "denied";
  readonly exitCode?: number;
  readonly durationMs?: number;
  readonly at?: number;
  /** For a result nobody asked for: the tool it is said to come from. */
  readonly tool?: string;
}

/** A new run or sub-agent. */
export interface RunNotes extends Partial<Omit<TranscriptRun, "format">> {
  /**
   * When an answer without calls counts as the agent saying it is done: whenever it hands back to the user, or only at
   * the end, for agents that talk with somebody while they work. @default "each"
   */
  readonly finishes?: "each" | "last";
}

/** Writes one run. It buffers at most one turn, and keeps calls and results in pairs. */
export interface RunWriter {
  readonly id: string;
  /** Gives the run the id its tool knows it by; counts until its first fact. */
  readonly rename: (id: string) => void;
  /** Adds to what is known about the run; counts until its first fact. */
  readonly describe: (notes: Partial<Omit<TranscriptRun, "id" | "format">>) => void;
  /** Makes the run known with what is known of it so far, if its first fact has not done so. */
  readonly begin: () => void;
  /** Somebody tells the agent something. The first such text is the task; what Phasekit itself said is left out. */
  readonly user: (text: string, notes?: { readonly at?: number; readonly from?: string }) => void;
  /** The model answers: a new turn, or more of the same answer when it has the same id. */
  readonly answer: (notes?: AnswerNotes) => void;
  /** More about the answer at hand, such as its usage; false when there is none, or another one. */
  readonly amend: (notes: AnswerNotes) => boolean;
  /** Text of the answer at hand. */
  readonly text: (text: string) => void;
  readonly call: (notes: CallNotes) => void;
  readonly result: (notes: ResultNotes) => void;
  /** Whether a call waits for its result. */
  readonly isOpen: (call: string) => boolean;
  /** The oldest call of a tool that waits for its result. */
  readonly openCall: (tool: string) => string | undefined;
  /** Any other fact. */
  readonly fact: (fact: NewFact) => void;
  /** The agent says it is done. */
  readonly finish: (text: string, notes?: { readonly at?: number }) => void;
  /** A sub-agent begins: a run of its own that this one's log tells about. */
  readonly child: (notes: RunNotes & { readonly call?: string }) => RunWriter;
  /** The run is over; what comes later is not taken. Without a reason: interrupted, unless the agent said it is done. */
  readonly end: (ending?: TranscriptEnding) => void;
}

/** What a writer needs from where runs are opened. */
export interface WriterDesk {
  readonly emit: (item: TranscriptItem) => void;
  readonly counter: ReportCounter;
  /** The id, or one like it when another run has it. */
  readonly uniqueId: (id: string) => string;
  readonly openChild: (parent: RunWriter, notes: RunNotes & { readonly call?: string }) => RunWriter;
  readonly closed: (writer: RunWriter) => void;
}

/** Told after each turn what it cost, and how the run ended. */
export interface WriterListener {
  readonly onTurn: (turn: { readonly notes: AnswerNotes; readonly calls: number }) => void;
  readonly onEnd: (ending: TranscriptEnding) => void;
}

const UNFINISHED: ReadonlySet<string> = new Set(["length", "content-filter", "error", "tool-calls", "aborted"]);

/** A writer for a run. `header` may still grow until the first fact. */
export function createRunWriter(first: TranscriptRun, desk: WriterDesk, { finishes = "each", onTurn, onEnd }: Pick<RunNotes, "finishes"> & Partial<WriterListener> = {}): RunWriter {
  const { emit, counter } = desk;
  const pairs = createCallPairs();
  let header = first;
  let begun = false;
  let ended = false;
  let turn: OpenTurn | undefined;
  /** The last answer, when it had no calls: the agent handed back. */
  let handedBack: { readonly text: string; readonly at?: number } | undefined;
  /** The last thing that happened is that the agent said it is done. */
  let finished = false;
  let lastAt = header.startedAt;
  let waiting = 0;

  function begin(at?: number): void {
    if (begun) return;
    begun = true;
    emit({ type: "run", run: { ...header, ...known({ model: header.model ?? turn?.notes().model, startedAt: header.startedAt ?? at }) } });
  }

  function write(fact: NewFact): void {
    begin(fact.at);
    emit({ type: "fact", run: header.id, fact });
    count(fact);
    finished = fact.type === "finish.requested" || (finished && fact.type !== "turn.started" && fact.type !== "tool.requested" && fact.type !== "message.received");
    if (fact.at !== undefined) lastAt = fact.at;
  }

  function count(fact: NewFact): void {
    if (fact.type === "model.answered") {
      counter.add("answers");
      if (fact.usage !== undefined) counter.add("answersWithUsage");
    } else if (fact.type === "tool.requested") {
      counter.add("calls");
      waiting += 1;
    } else if (fact.type === "tool.finished") {
      counter.add("results");
      if (waiting > 0) waiting -= 1;
      else {
        // Our own logs may have results alone: such a result is a call as well.
        counter.add("calls");
        counter.add("orphans");
      }
    }
  }

  function flush(): void {
    if (turn === undefined) return;
    const closing = turn;
    turn = undefined;
    const notes = closing.notes();
    if (!begun && header.model === undefined && notes.model !== undefined) header = { ...header, model: notes.model };
    for (const fact of closing.facts()) write(fact);
    onTurn?.({ notes, calls: closing.calls() });
    const isWhole = closing.calls() === 0 && closing.text() !== "" && !UNFINISHED.has(notes.finishReason ?? "");
    handedBack = isWhole ? { text: closing.text(), ...known({ at: notes.at }) } : undefined;
  }

  function fact(told: NewFact): void {
    if (ended) return;
    if (turn === undefined) {
      write(told);
      return;
    }
    turn.addLater(told);
    if (turn.isFull()) flush();
  }

  function finish(text: string, { at }: { readonly at?: number } = {}): void {
    flush();
    handedBack = undefined;
    if (!ended) write({ type: "finish.requested", text, ...known({ at }) });
  }

  const writer: RunWriter = {
    get id() {
      return header.id;
    },
    rename: (id) => {
      if (!begun && id !== "" && id !== header.id) header = { ...header, id: desk.uniqueId(id) };
    },
    describe: (notes) => {
      if (!begun) header = { ...header, ...known(notes), ...((header.task ?? notes.task) !== undefined && { task: { ...header.task, ...notes.task } }) };
    },
    begin: () => begin(),
    user: (text, { at, from } = {}) => {
      if (ended || text === "") return;
      const isOurs = text.trimStart().startsWith(`<${NUDGE_TAG}>`);
      flush();
      // Some formats give the task beside the messages, and again as the first of them.
      if (!begun && header.task?.text?.trim() === text.trim()) return;
      if (!begun && header.task?.text === undefined && !isOurs) {
        header = { ...header, task: { ...header.task, text }, ...known({ startedAt: header.startedAt ?? at }) };
        lastAt = at ?? lastAt;
        return;
      }
      if (handedBack !== undefined && (isOurs || finishes === "each")) finish(handedBack.text, handedBack);
      if (!isOurs) write({ type: "message.received", text, ...known({ at, from }) });
    },
    answer: (notes = {}) => {
      if (ended) return;
      if (turn !== undefined && notes.id !== undefined && turn.id === notes.id) {
        turn.note(notes);
        return;
      }
      flush();
      handedBack = undefined;
      turn = createOpenTurn(notes, lastAt);
      lastAt = notes.at ?? lastAt;
    },
    amend: (notes) => {
      if (turn === undefined || (notes.id !== undefined && turn.id !== notes.id)) return false;
      turn.note(notes);
      return true;
    },
    text: (text) => turn?.addText(text),
    call: ({ call: given, tool, input, at, agent }) => {
      if (ended) return;
      const call = pairs.open(given === "" ? undefined : given, tool, turn?.callIds);
      const told: NewFact<"tool.requested"> = { type: "tool.requested", call, tool: tool === "" ? "unknown" : tool, input, ...known({ at, agent }) };
      handedBack = undefined;
      if (turn === undefined) write(told);
      else turn.addCall(told);
      if (turn?.isFull() === true) flush();
    },
    result: ({ call: given, output, outcome = "ok", exitCode, durationMs, at, tool }) => {
      if (ended) return;
      const id = given === "" ? undefined : given;
      const found = pairs.close(id);
      if (found === "repeated") {
        counter.skip("result given twice");
        return;
      }
      if (found === undefined) {
        counter.add("orphans");
        writer.call({ tool: tool ?? "unknown", input: {}, ...known({ call: id, at }) });
      }
      const pair = found ?? pairs.close(id);
      if (pair === undefined || pair === "repeated") return;
      fact({ type: "tool.finished", call: pair.call, tool: pair.tool === "" ? "unknown" : pair.tool, outcome, output, ...known({ exitCode, at, durationMs: durationIn(durationMs) }) });
      lastAt = at ?? lastAt;
    },
    isOpen: pairs.isOpen,
    openCall: pairs.openCall,
    fact,
    finish,
    child: (notes) => desk.openChild(writer, notes),
    end: (given) => {
      if (ended) return;
      flush();
      if (handedBack !== undefined && (given?.reason === undefined || given.reason === "done")) finish(handedBack.text, handedBack);
      const ending: TranscriptEnding = given?.reason !== undefined || finished ? (given ?? {}) : { ...given, reason: "interrupted" };
      begin();
      ended = true;
      counter.add("unanswered", waiting);
      if (given?.reason !== undefined || ending.status !== undefined) counter.add("endings");
      if (ending.judged !== undefined) counter.add("judged");
      const timed = { ...ending, ...known({ at: ending.at ?? lastAt }) };
      emit({ type: "end", run: header.id, ending: timed });
      onEnd?.(timed);
      desk.closed(writer);
    },
  };
  return writer;
}

/** A duration worked out of a damaged log may be negative or without end: then it is not known. */
function durationIn(durationMs: number | undefined): number | undefined {
  return durationMs !== undefined && durationMs >= 0 && Number.isFinite(durationMs) ? durationMs : undefined;
}
