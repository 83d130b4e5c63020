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
  options?: WriterOptions & Partial<WriterListener>,
): RunWriter {
  return new OpenRun(first, context, options);
}

class OpenRun implements RunWriter {
  readonly #context: WriterContext;
  readonly #finishes: "each" | "last";
  readonly #saysTask: boolean;
  readonly #onTurn: ((turn: { readonly notes: AnswerNotes; readonly calls: number }) => void) | undefined;
  readonly #onEnd: ((ending: TranscriptEnding) => void) | undefined;
  readonly #emit: (item: TranscriptItem) => void;
  readonly #counter: ReportCounter;
  readonly #pairs = createCallPairs();
  #header: TranscriptRun;
  #begun = false;
  #ended = false;
  #turn: OpenTurn | undefined;
  /** The last answer, if it had no calls. */
  #handedBack: { readonly text: string; readonly at?: number } | undefined;
  /** The last event, if the agent waits for the user after it: its claim to be done, or a failed model call. */
  #waitsAfter: "finish" | "answer" | "failure" | undefined;
  /** Why a run that ends after its last answer is not done: the answer is empty, cut off or filtered. */
  #trouble: Reason | undefined;
  #taskAt: number | undefined;
  #lastAt: number | undefined;
  readonly #tally: EventTally;

  constructor(
    first: TranscriptRun,
    context: WriterContext,
    { finishes = "each", saysTask = true, onTurn, onEnd }: WriterOptions & Partial<WriterListener> = {},
  ) {
    this.#context = context;
    this.#finishes = finishes;
    this.#saysTask = saysTask;
    this.#onTurn = onTurn;
    this.#onEnd = onEnd;
    const { emit, counter } = context;
    this.#emit = emit;
    this.#counter = counter;
    this.#tally = new EventTally(counter);
    this.#header = first;
    this.#lastAt = this.#header.startedAt;
  }

  get id() {
    return this.#header.id;
  }

  readonly rename: RunWriter["rename"] = (id) => {
    if (!this.#begun && id !== "" && id !== this.#header.id)
      this.#header = { ...this.#header, id: this.#context.uniqueId(id) };
  };

  readonly describe: RunWriter["describe"] = (notes) => {
    if (!this.#begun)
      this.#header = {
        ...this.#header,
        ...defined(notes),
        ...((this.#header.task ?? notes.task) !== undefined && { task: { ...this.#header.task, ...notes.task } }),
      };
  };

  readonly begin: RunWriter["begin"] = () => this.#begin();

  readonly user: RunWriter["user"] = (text, { at, from, by = "person" } = {}) => {
    if (this.#ended || text === "") return;
    const isOurs = by === "hook" || isNudge(text);
    this.#flush();
    // Some formats have the task next to the messages and again as the first message.
    if (!this.#begun && this.#header.task?.text?.trim() === text.trim()) {
      this.#taskAt = at;
      return;
    }
    if (!this.#begun && this.#header.task?.text === undefined && !isOurs) {
      this.#header = {
        ...this.#header,
        task: { ...this.#header.task, text },
        ...defined({ startedAt: this.#header.startedAt ?? at }),
      };
      this.#taskAt = at;
      this.#lastAt = at ?? this.#lastAt;
      return;
    }
    if (this.#handedBack !== undefined && (isOurs || this.#finishes === "each"))
      this.finish(this.#handedBack.text, this.#handedBack);
    if (isOurs) return;
    this.#suspendUntil(at);
    this.#write({
      type: "message.received",
      text,
      ...defined({ at, from: from ?? (this.#header.parent === undefined ? "user" : undefined) }),
    });
  };

  readonly answer: RunWriter["answer"] = (notes = {}) => {
    if (this.#ended) return;
    if (this.#turn !== undefined && notes.id !== undefined && this.#turn.id === notes.id) {
      this.#turn.note(notes);
      return;
    }
    this.#flush();
    this.#handedBack = undefined;
    this.#turn = createOpenTurn(notes, this.#lastAt);
    this.#lastAt = notes.at ?? this.#lastAt;
  };

  readonly amend: RunWriter["amend"] = (notes) => {
    if (this.#turn === undefined || (notes.id !== undefined && this.#turn.id !== notes.id)) return false;
    this.#turn.note(notes);
    return true;
  };

  readonly text: RunWriter["text"] = (text) => this.#turn?.addText(text);

  readonly reasoning: RunWriter["reasoning"] = (text) => this.#turn?.addReasoning(text);

  readonly call: RunWriter["call"] = ({ call: given, tool, input, at, agent }) => {
    if (this.#ended) return;
    const call = this.#pairs.open(given === "" ? undefined : given, tool, this.#turn?.callIds);
    const event: NewEvent<"tool.requested"> = {
      type: "tool.requested",
      call,
      tool: tool === "" ? "unknown" : tool,
      input,
      ...defined({ at, agent }),
    };
    this.#handedBack = undefined;
    if (this.#turn === undefined) this.#write(event);
    else this.#turn.addCall(event);
    if (this.#turn?.isFull() === true) this.#flush();
  };

  readonly result: RunWriter["result"] = ({
    call: given,
    output,
    exitCode,
    outcome = outcomeOf(exitCode),
    durationMs,
    at,
    tool,
  }) => {
    if (this.#ended) return;
    const id = given === "" ? undefined : given;
    const found = this.#pairs.close(id);
    if (found === "repeated") {
      this.#counter.skip("result given twice");
      return;
    }
    if (found === undefined) {
      this.#counter.add("orphans");
      this.call({ tool: tool ?? "unknown", input: {}, ...defined({ call: id, at }) });
    }
    const pair = found ?? this.#pairs.close(id);
    if (pair === undefined || pair === "repeated") return;
    this.record({
      type: "tool.finished",
      call: pair.call,
      tool: pair.tool === "" ? "unknown" : pair.tool,
      outcome,
      output: typeof output === "string" ? withoutNudge(output) : output,
      ...defined({ exitCode, at, durationMs: durationIn(durationMs) }),
    });
    this.#lastAt = at ?? this.#lastAt;
  };

  readonly isOpen: RunWriter["isOpen"] = this.#pairs.isOpen;

  readonly openCall: RunWriter["openCall"] = this.#pairs.openCall;

  readonly record = (event: NewEvent): void => {
    if (this.#ended) return;
    if (this.#turn === undefined) {
      this.#write(event);
      return;
    }
    this.#turn.addLater(event);
    if (this.#turn.isFull()) this.#flush();
  };

  readonly finish = (text: string, { at }: { readonly at?: number } = {}): void => {
    this.#flush();
    this.#handedBack = undefined;
    if (!this.#ended) this.#write({ type: "finish.requested", text, ...defined({ at }) });
  };

  readonly child: RunWriter["child"] = (notes) => this.#context.openChild(this, notes);

  readonly end: RunWriter["end"] = (given) => {
    if (this.#ended) return;
    this.#flush();
    if (this.#handedBack !== undefined && (given?.reason === undefined || given.reason === "done"))
      this.finish(this.#handedBack.text, this.#handedBack);
    const ending: TranscriptEnding =
      given?.reason !== undefined || this.#waitsAfter === "finish"
        ? (given ?? {})
        : { ...given, reason: this.#trouble ?? "interrupted", ...(this.#trouble === undefined && { open: true }) };
    this.#begin();
    this.#ended = true;
    this.#tally.end();
    if (given?.reason !== undefined || ending.status !== undefined) this.#counter.add("endings");
    if (ending.judged !== undefined) this.#counter.add("judged");
    const timed = { ...ending, ...defined({ at: ending.at ?? this.#lastAt }) };
    this.#emit({ type: "end", run: this.#header.id, ending: timed });
    this.#onEnd?.(timed);
    this.#context.closed(this);
  };

  #begin(at?: number): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#emit({
      type: "run",
      run: {
        ...this.#header,
        ...defined({ model: this.#header.model ?? this.#turn?.notes().model, startedAt: this.#header.startedAt ?? at }),
      },
    });
    // The first message of the user. A sub-agent has its task from another agent.
    if (this.#header.task?.text !== undefined && this.#header.parent === undefined && this.#saysTask)
      this.#write({
        type: "message.received",
        text: this.#header.task.text,
        from: "user",
        ...defined({ at: this.#taskAt ?? this.#header.startedAt ?? at }),
      });
  }

  #write(event: NewEvent): void {
    this.#begin(event.at);
    this.#emit({ type: "event", run: this.#header.id, event });
    this.#tally.count(event);
    if (event.type === "finish.requested") this.#waitsAfter = "finish";
    else if (event.type === "model.failed") this.#waitsAfter = event.code === "aborted" ? undefined : "failure";
    else if (WORK.has(event.type)) {
      this.#waitsAfter = undefined;
      this.#trouble = undefined;
    }
    if (event.at !== undefined) this.#lastAt = event.at;
  }

  #flush(): void {
    if (this.#turn === undefined) return;
    const closing = this.#turn;
    this.#turn = undefined;
    this.#handedBack = undefined;
    const notes = closing.notes();
    if (!this.#begun && this.#header.model === undefined && notes.model !== undefined)
      this.#header = { ...this.#header, model: notes.model };
    for (const event of closing.events()) this.#write(event);
    this.#onTurn?.({ notes, calls: closing.calls() });
    if (closing.calls() > 0) return;
    const end = endOfAnswer({
      text: closing.text(),
      hasReasoned: closing.hasReasoned(),
      finishReason: notes.finishReason,
      isTextUnknown: notes.isTextUnknown ?? false,
    });
    if (end.isWhole) this.#handedBack = { text: closing.text(), ...defined({ at: notes.at }) };
    else if (end.trouble !== undefined && this.#finishes === "each") this.#waitsAfter ??= "answer";
    this.#trouble = end.trouble;
  }

  /** A session is many prompts: the run waits from an accepted finish, or a failed turn, to the next one. */
  #suspendUntil(at: number | undefined): void {
    if (this.#waitsAfter === undefined) return;
    const why = this.#waitsAfter === "failure" ? "The agent's turn failed." : "The agent finished its turn.";
    this.#write({ type: "move.requested", do: "suspend", by: "host", why, ...defined({ at: this.#lastAt }) });
    this.#write({ type: "move.requested", do: "resume", by: "user", ...defined({ at }) });
  }
}

/** Counts the events of a run for the report. */
class EventTally {
  readonly #counter: ReportCounter;
  /** Calls without a result so far. */
  #waiting = 0;

  constructor(counter: ReportCounter) {
    this.#counter = counter;
  }

  count(event: NewEvent): void {
    if (event.type === "model.answered") {
      this.#counter.add("answers");
      if (event.usage !== undefined) this.#counter.add("answersWithUsage");
    } else if (event.type === "tool.requested") {
      this.#counter.add("calls");
      this.#waiting += 1;
    } else if (event.type === "tool.finished") {
      this.#counter.add("results");
      if (this.#waiting > 0) this.#waiting -= 1;
      else {
        // Our own logs can have results without calls: such a result counts as a call as well.
        this.#counter.add("calls");
        this.#counter.add("orphans");
      }
    }
  }

  end(): void {
    this.#counter.add("unanswered", this.#waiting);
  }
}

/** Some tools write -1 for a command that still runs. */
function outcomeOf(exitCode = 0): "ok" | "error" {
  return exitCode === 0 || exitCode === -1 ? "ok" : "error";
}

/** A duration from a damaged log may be negative or infinite: then it is unknown. */
function durationIn(durationMs: number | undefined): number | undefined {
  return durationMs !== undefined && durationMs >= 0 && Number.isFinite(durationMs) ? durationMs : undefined;
}
