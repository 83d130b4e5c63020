import type { NewEvent, Reason } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import { createCallPairs } from "./call-pairs.ts";
import { endOfAnswer } from "./finish-reason.ts";
import { isNudge, withoutNudge } from "./nudges.ts";
import { type AnswerNotes, createOpenTurn, type OpenTurn } from "./open-turn.ts";
import type { TranscriptEnding, TranscriptItem, TranscriptRun } from "../transcript.ts";
import type { ReportCounter } from "../transcript-report.ts";

/** A call in a transcript. */
interface CallNotes {
  /** Absent in formats without ids: a result then belongs to the oldest open call. */
  readonly call?: string;
  readonly tool: string;
  readonly input?: unknown;
  readonly at?: number;
  readonly agent?: string;
}

/** A result in a transcript. */
export interface ResultNotes {
  readonly call?: string;
  readonly output?: unknown;
  /** @default by the exit code, else "ok" */
  readonly outcome?: "ok" | "error" | "denied";
  readonly exitCode?: number;
  readonly durationMs?: number;
  readonly at?: number;
  /** The tool of a result without a call. */
  readonly tool?: string;
}

/** A user message in a transcript. */
interface UserNotes {
  readonly at?: number;
  readonly from?: string;
  /** A hook that vetoed a finish wrote the message, or a person. @default "person" */
  readonly by?: "person" | "hook";
}

/** A new run or sub-agent. */
export interface RunNotes extends Partial<Omit<TranscriptRun, "format">> {
  /**
   * When an answer without calls counts as a finish: each time, or only the last one, for agents that talk with the
   * user while they work. @default "each"
   */
  readonly finishes?: "each" | "last";
  /** The task is a message of the user; false for logs that have that message as an event. @default true */
  readonly saysTask?: boolean;
}

type WriterOptions = Pick<RunNotes, "finishes" | "saysTask">;

/** Writes one run. It buffers at most one turn and pairs calls with results. */
export interface RunWriter {
  readonly id: string;
  /** Sets the id the tool uses for the run. No effect after the first event. */
  readonly rename: (id: string) => void;
  /** Adds details to the header of the run. No effect after the first event. */
  readonly describe: (notes: Partial<Omit<TranscriptRun, "id" | "format">>) => void;
  /** Emits the header of the run, unless an event has done so. */
  readonly begin: () => void;
  /**
   * A user message. The first one is the task. A message after a finish suspends the run and resumes it. Nudges and
   * vetoes are not user messages: those of Phasekit are recognized, those of other hooks are named by `by`.
   */
  readonly user: (text: string, notes?: UserNotes) => void;
  /** An answer of the model: a new turn, or more of the same answer if the id is the same. */
  readonly answer: (notes?: AnswerNotes) => void;
  /** Adds details to the current answer, such as its usage. False if there is none, or another one. */
  readonly amend: (notes: AnswerNotes) => boolean;
  /** Text of the current answer. */
  readonly text: (text: string) => void;
  /** Reasoning of the current answer; empty if the log only says that there was some. */
  readonly reasoning: (text: string) => void;
  readonly call: (notes: CallNotes) => void;
  readonly result: (notes: ResultNotes) => void;
  /** True if a call has no result yet. */
  readonly isOpen: (call: string) => boolean;
  /** The oldest call of a tool without a result. */
  readonly openCall: (tool: string) => string | undefined;
  /** Any other event. */
  readonly record: (event: NewEvent) => void;
  /** The agent claims to be done. */
  readonly finish: (text: string, notes?: { readonly at?: number }) => void;
  /** A sub-agent starts: a child run in the log of this one. */
  readonly child: (notes: RunNotes & { readonly call?: string }) => RunWriter;
  /** Ends the run. Without a reason it is interrupted, unless the agent claimed to be done. */
  readonly end: (ending?: TranscriptEnding) => void;
}

/** Inputs of a run writer. */
export interface WriterContext {
  readonly emit: (item: TranscriptItem) => void;
  readonly counter: ReportCounter;
  /** Returns the id, or a similar one if another run has it. */
  readonly uniqueId: (id: string) => string;
  readonly openChild: (parent: RunWriter, notes: RunNotes & { readonly call?: string }) => RunWriter;
  readonly closed: (writer: RunWriter) => void;
}

/** Called after each turn and at the end of the run. */
export interface WriterListener {
  readonly onTurn: (turn: { readonly notes: AnswerNotes; readonly calls: number }) => void;
  readonly onEnd: (ending: TranscriptEnding) => void;
}

/** Events after which the agent works again. */
const WORK: ReadonlySet<string> = new Set(["turn.started", "tool.requested", "message.received"]);

/** Returns a writer for one run. `first` can be extended until the first event. */
export function createRunWriter(
  first: TranscriptRun,
  context: WriterContext,
  { finishes = "each", saysTask = true, onTurn, onEnd }: WriterOptions & Partial<WriterListener> = {},
): RunWriter {
  const { emit, counter } = context;
  const pairs = createCallPairs();
  let header = first;
  let begun = false;
  let ended = false;
  let turn: OpenTurn | undefined;
  /** The last answer, if it had no calls. */
  let handedBack: { readonly text: string; readonly at?: number } | undefined;
  /** The last event, if the agent waits for the user after it: its claim to be done, or a failed model call. */
  let waitsAfter: "finish" | "answer" | "failure" | undefined;
  /** Why a run that ends after its last answer is not done: the answer is empty, cut off or filtered. */
  let trouble: Reason | undefined;
  let taskAt: number | undefined;
  let lastAt = header.startedAt;
  let waiting = 0;

  function begin(at?: number): void {
    if (begun) return;
    begun = true;
    emit({
      type: "run",
      run: { ...header, ...defined({ model: header.model ?? turn?.notes().model, startedAt: header.startedAt ?? at }) },
    });
    // The first message of the user. A sub-agent has its task from another agent.
    if (header.task?.text !== undefined && header.parent === undefined && saysTask)
      write({
        type: "message.received",
        text: header.task.text,
        from: "user",
        ...defined({ at: taskAt ?? header.startedAt ?? at }),
      });
  }

  function write(event: NewEvent): void {
    begin(event.at);
    emit({ type: "event", run: header.id, event });
    count(event);
    if (event.type === "finish.requested") waitsAfter = "finish";
    else if (event.type === "model.failed") waitsAfter = event.code === "aborted" ? undefined : "failure";
    else if (WORK.has(event.type)) {
      waitsAfter = undefined;
      trouble = undefined;
    }
    if (event.at !== undefined) lastAt = event.at;
  }

  function count(event: NewEvent): void {
    if (event.type === "model.answered") {
      counter.add("answers");
      if (event.usage !== undefined) counter.add("answersWithUsage");
    } else if (event.type === "tool.requested") {
      counter.add("calls");
      waiting += 1;
    } else if (event.type === "tool.finished") {
      counter.add("results");
      if (waiting > 0) waiting -= 1;
      else {
        // Our own logs can have results without calls: such a result counts as a call as well.
        counter.add("calls");
        counter.add("orphans");
      }
    }
  }

  function flush(): void {
    if (turn === undefined) return;
    const closing = turn;
    turn = undefined;
    handedBack = undefined;
    const notes = closing.notes();
    if (!begun && header.model === undefined && notes.model !== undefined) header = { ...header, model: notes.model };
    for (const event of closing.events()) write(event);
    onTurn?.({ notes, calls: closing.calls() });
    if (closing.calls() > 0) return;
    const end = endOfAnswer({
      text: closing.text(),
      hasReasoned: closing.hasReasoned(),
      finishReason: notes.finishReason,
      isTextUnknown: notes.isTextUnknown ?? false,
    });
    if (end.isWhole) handedBack = { text: closing.text(), ...defined({ at: notes.at }) };
    else if (end.trouble !== undefined && finishes === "each") waitsAfter ??= "answer";
    trouble = end.trouble;
  }

  function record(event: NewEvent): void {
    if (ended) return;
    if (turn === undefined) {
      write(event);
      return;
    }
    turn.addLater(event);
    if (turn.isFull()) flush();
  }

  function finish(text: string, { at }: { readonly at?: number } = {}): void {
    flush();
    handedBack = undefined;
    if (!ended) write({ type: "finish.requested", text, ...defined({ at }) });
  }

  /** A session is many prompts: the run waits from an accepted finish, or a failed turn, to the next one. */
  function suspendUntil(at: number | undefined): void {
    if (waitsAfter === undefined) return;
    const why = waitsAfter === "failure" ? "The agent's turn failed." : "The agent finished its turn.";
    write({ type: "move.requested", do: "suspend", by: "host", why, ...defined({ at: lastAt }) });
    write({ type: "move.requested", do: "resume", by: "user", ...defined({ at }) });
  }

  const writer: RunWriter = {
    get id() {
      return header.id;
    },
    rename: (id) => {
      if (!begun && id !== "" && id !== header.id) header = { ...header, id: context.uniqueId(id) };
    },
    describe: (notes) => {
      if (!begun)
        header = {
          ...header,
          ...defined(notes),
          ...((header.task ?? notes.task) !== undefined && { task: { ...header.task, ...notes.task } }),
        };
    },
    begin: () => begin(),
    user: (text, { at, from, by = "person" } = {}) => {
      if (ended || text === "") return;
      const isOurs = by === "hook" || isNudge(text);
      flush();
      // Some formats have the task next to the messages and again as the first message.
      if (!begun && header.task?.text?.trim() === text.trim()) {
        taskAt = at;
        return;
      }
      if (!begun && header.task?.text === undefined && !isOurs) {
        header = { ...header, task: { ...header.task, text }, ...defined({ startedAt: header.startedAt ?? at }) };
        taskAt = at;
        lastAt = at ?? lastAt;
        return;
      }
      if (handedBack !== undefined && (isOurs || finishes === "each")) finish(handedBack.text, handedBack);
      if (isOurs) return;
      suspendUntil(at);
      write({
        type: "message.received",
        text,
        ...defined({ at, from: from ?? (header.parent === undefined ? "user" : undefined) }),
      });
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
    reasoning: (text) => turn?.addReasoning(text),
    call: ({ call: given, tool, input, at, agent }) => {
      if (ended) return;
      const call = pairs.open(given === "" ? undefined : given, tool, turn?.callIds);
      const event: NewEvent<"tool.requested"> = {
        type: "tool.requested",
        call,
        tool: tool === "" ? "unknown" : tool,
        input,
        ...defined({ at, agent }),
      };
      handedBack = undefined;
      if (turn === undefined) write(event);
      else turn.addCall(event);
      if (turn?.isFull() === true) flush();
    },
    result: ({ call: given, output, exitCode, outcome = outcomeOf(exitCode), durationMs, at, tool }) => {
      if (ended) return;
      const id = given === "" ? undefined : given;
      const found = pairs.close(id);
      if (found === "repeated") {
        counter.skip("result given twice");
        return;
      }
      if (found === undefined) {
        counter.add("orphans");
        writer.call({ tool: tool ?? "unknown", input: {}, ...defined({ call: id, at }) });
      }
      const pair = found ?? pairs.close(id);
      if (pair === undefined || pair === "repeated") return;
      record({
        type: "tool.finished",
        call: pair.call,
        tool: pair.tool === "" ? "unknown" : pair.tool,
        outcome,
        output: typeof output === "string" ? withoutNudge(output) : output,
        ...defined({ exitCode, at, durationMs: durationIn(durationMs) }),
      });
      lastAt = at ?? lastAt;
    },
    isOpen: pairs.isOpen,
    openCall: pairs.openCall,
    record,
    finish,
    child: (notes) => context.openChild(writer, notes),
    end: (given) => {
      if (ended) return;
      flush();
      if (handedBack !== undefined && (given?.reason === undefined || given.reason === "done"))
        finish(handedBack.text, handedBack);
      const ending: TranscriptEnding =
        given?.reason !== undefined || waitsAfter === "finish"
          ? (given ?? {})
          : { ...given, reason: trouble ?? "interrupted", ...(trouble === undefined && { open: true }) };
      begin();
      ended = true;
      counter.add("unanswered", waiting);
      if (given?.reason !== undefined || ending.status !== undefined) counter.add("endings");
      if (ending.judged !== undefined) counter.add("judged");
      const timed = { ...ending, ...defined({ at: ending.at ?? lastAt }) };
      emit({ type: "end", run: header.id, ending: timed });
      onEnd?.(timed);
      context.closed(writer);
    },
  };
  return writer;
}

/** Some tools write -1 for a command that still runs. */
function outcomeOf(exitCode = 0): "ok" | "error" {
  return exitCode === 0 || exitCode === -1 ? "ok" : "error";
}

/** A duration from a damaged log may be negative or infinite: then it is unknown. */
function durationIn(durationMs: number | undefined): number | undefined {
  return durationMs !== undefined && durationMs >= 0 && Number.isFinite(durationMs) ? durationMs : undefined;
}
