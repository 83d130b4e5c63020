import { type EventOf, isHostEvent, type Redactor, type RunEvent } from "@phasekit/core";
import { upgradeEvent } from "@phasekit/core/adapter";
import { redactSecrets } from "@phasekit/ledger";
import { createStory, hideTexts, type RunStory } from "@phasekit/ledger/story";
import { kinds, names, own } from "../conventions.ts";
import { chatSpan, type OpenChat } from "./chat-span.ts";
import { eventRecord, eventSpan } from "./event-record.ts";
import { attributesFrom, type OtlpAttribute, type OtlpLogRecord, type OtlpSpan } from "./otlp.ts";
import { type OpenPhase, phaseSpan } from "./phase-span.ts";
import { redacted } from "./redacted.ts";
import { attemptSpanId, runSpan } from "./run-span.ts";
import { toolSpan, toolSpanId } from "./tool-span.ts";
import type { TraceContext } from "./trace-context.ts";
import { traceIds } from "./trace-ids.ts";

/** Options for `eventsToOtlp()` and for the exporters. All optional. */
export interface TraceOptions {
  /** The name of the agent, for events that name none. @default "agent" */
  readonly agent?: string;
  /** The model's provider in the words of the conventions, such as "anthropic". @default left out */
  readonly provider?: string;
  /** Include texts: task, messages, inputs and outputs of tools, names of files. They are redacted. @default false */
  readonly text?: boolean;
  /** Takes secrets out of texts; `false` trusts the run's own redaction. @default redactSecrets() */
  readonly redact?: Redactor | false;
  /** Send events as spans without length instead of log records, for backends that show no logs. @default false */
  readonly asSpans?: boolean;
  /**
   * Mixed into the hashes that stand for names of files and calls while text is off. If it is secret, no reader can
   * find a name by trying names. Runs can only be compared if they have the same one. @default none
   */
  readonly salt?: string;
  /** The span of another trace that the run is a part of. @default a trace of its own, or that of its parent run */
  readonly parent?: { readonly traceId: string; readonly spanId: string };
}

/** Spans and log records of a fold. */
interface FoldOutput {
  spans: OtlpSpan[];
  logs: OtlpLogRecord[];
}

/** Where a call comes from. */
interface AddOptions {
  /** Another instrumentation has a span for this call: there is none of ours. @default false */
  readonly isTraced?: boolean;
}

/** Calls without a result that are kept open; the oldest of more is written as it is. */
const MAX_PENDING = 1000;

/**
 * Folds the events of one run into spans and log records, event by event. The same events always give the same ones;
 * an event that was added before changes nothing. Its memory does not grow with the run, if what it made is taken.
 */
export class TraceFold {
  readonly #options: TraceOptions;
  readonly #redact: Redactor | undefined;
  readonly #story = createStory();
  readonly #pending = new Map<string, EventOf<"tool.requested">>();
  #made: FoldOutput = { spans: [], logs: [] };
  #context: TraceContext | undefined;
  #started: EventOf<"run.started"> | undefined;
  #finished: EventOf<"run.finished"> | undefined;
  #attempt = 0;
  #attemptFrom = 0;
  #phase: OpenPhase | undefined;
  #entries = 0;
  #turn: EventOf<"turn.started"> | undefined;
  #chat: OpenChat | undefined;
  /** The type of the host event that the step is about. */
  #cause = "";
  #seq = 0;
  #at = 0;

  constructor(options: TraceOptions = {}) {
    this.#options = options;
    const { redact = redactSecrets() } = options;
    this.#redact = options.text === true && redact !== false ? redact : undefined;
  }

  /** Adds the next event. */
  add(stored: RunEvent, options: AddOptions = {}): void {
    if (stored.seq <= this.#seq) return;
    if (this.#started === undefined && stored.type !== "run.started") return;
    const upgraded = upgradeEvent(stored);
    // Only texts can hold a secret, and only they need the search.
    const event = this.#redact === undefined ? upgraded : redacted(upgraded, this.#redact);
    this.#story.add(event);
    this.#seq = event.seq;
    this.#at = event.at;
    this.#take(event, options);
  }

  /** The story of the run so far. */
  story(): RunStory | undefined {
    return this.#started === undefined ? undefined : this.#story.get();
  }

  /** The phase the run is in. */
  get phase(): string | undefined {
    return this.#phase?.phase;
  }

  /** Closes what is open, as if the log ended here. */
  end(): void {
    if (this.#attempt > 0) this.#closeAttempt(undefined);
  }

  /** Returns what was made since it was last asked. */
  take(): { readonly spans: readonly OtlpSpan[]; readonly logs: readonly OtlpLogRecord[] } {
    const made = this.#made;
    this.#made = { spans: [], logs: [] };
    return made;
  }

  #take(event: RunEvent, { isTraced = false }: AddOptions): void {
    if (this.#chat !== undefined && isHostEvent(event) && !PART_OF_CHAT.has(event.type)) this.#closeChat();
    if (isHostEvent(event)) this.#cause = event.type;
    switch (event.type) {
      case "run.started":
        this.#begin(event);
        return;
      case "run.resumed":
        if (this.#attempt > 0) this.#closeAttempt(undefined);
        this.#openAttempt(event.attempt, event.at);
        this.#note(event);
        return;
      case "run.finished":
        this.#finished = event;
        this.#closeAttempt(event);
        return;
      case "phase.transition":
      case "phase.rolled-back":
        this.#leavePhase(event);
        this.#enterPhase(event.to, event.at);
        return;
      case "turn.started":
        this.#noteTurn();
        this.#turn = event;
        return;
      case "model.answered":
      case "model.failed":
        if (isTraced) return this.#note(event);
        this.#chat = { answer: event, started: this.#turn, said: [], asked: [] };
        this.#turn = undefined;
        return;
      case "message.sent":
      case "model.reasoned":
        if (this.#chat === undefined) this.#note(event);
        else this.#chat.said.push(event);
        return;
      case "tool.requested":
        this.#chat?.asked.push(event);
        this.#request(event);
        return;
      case "tool.refused":
        this.#refuse(event, isTraced);
        return;
      case "tool.finished":
        this.#result(event, isTraced);
        return;
      case "finish.vetoed":
      case "finish.vouched":
        this.#note(event, this.#context && attemptSpanId(this.#context, this.#attempt));
        return;
      // Ticks of the clock and texts that were dropped explain nothing in a trace.
      case "clock.ticked":
        return;
      default:
        this.#note(event);
    }
  }

  #begin(event: EventOf<"run.started">): void {
    const { text = false, salt, provider, agent = event.agent ?? "agent", parent } = this.#options;
    this.#started = event;
    const own = traceIds(event.run, event.parent?.run ?? event.run);
    this.#context = {
      ids: parent === undefined ? own : { ...own, trace: parent.traceId },
      agent,
      provider,
      run: event.run,
      text,
      hide: hideTexts({ ...(salt !== undefined && { salt }) }),
      phaseSpan: "",
      common: [],
      kinds: KINDS,
      shared: new Map(),
      addSpan: (span) => void this.#made.spans.push(span),
      addLog: (record) => void this.#made.logs.push(record),
    };
    this.#openAttempt(event.attempt, event.at, event.phase);
  }

  #openAttempt(attempt: number, at: number, phase = this.#phase?.phase ?? ""): void {
    this.#attempt = attempt;
    this.#attemptFrom = at;
    this.#finished = undefined;
    this.#enterPhase(phase, at);
  }

  #enterPhase(phase: string, at: number): void {
    if (this.#context === undefined) return;
    this.#entries += 1;
    const spanId = this.#context.ids.span(`phase/${String(this.#entries)}`);
    this.#phase = { phase, entry: this.#entries, from: at, spanId };
    this.#context = { ...this.#context, phaseSpan: spanId, common: commonOf(this.#context.run, phase) };
  }

  #leavePhase(left: RunEvent | undefined): void {
    if (this.#phase === undefined || this.#context === undefined) return;
    const parentSpanId = attemptSpanId(this.#context, this.#attempt);
    const isByText = this.#options.text !== true && MOVED_BY_TEXT.has(this.#cause);
    this.#context.addSpan(phaseSpan(this.#phase, { left, at: this.#at, parentSpanId, isByText }, this.#context));
  }

  #closeAttempt(finished: EventOf<"run.finished"> | undefined): void {
    if (this.#context === undefined) return;
    this.#closeChat();
    this.#noteTurn();
    for (const requested of this.#pending.values()) this.#addTool({ requested });
    this.#pending.clear();
    this.#leavePhase(finished);
    this.#context.addSpan(
      runSpan(
        {
          number: this.#attempt,
          from: this.#attemptFrom,
          to: this.#at,
          parentSpanId: this.#options.parent?.spanId ?? parentRunSpan(this.#started),
          started: this.#started,
          finished: this.#finished,
        },
        this.#story.get(),
        this.#context,
      ),
    );
    this.#attempt = 0;
  }

  #closeChat(): void {
    if (this.#chat !== undefined && this.#context !== undefined)
      this.#context.addSpan(chatSpan(this.#chat, this.#context));
    this.#chat = undefined;
  }

  /** A turn without an answer of the model is an event of its own. */
  #noteTurn(): void {
    if (this.#turn !== undefined) this.#note(this.#turn);
    this.#turn = undefined;
  }

  #request(event: EventOf<"tool.requested">): void {
    const key = event.call ?? String(event.seq);
    const [oldest, before] = this.#pending.get(key) === undefined ? (firstOf(this.#pending) ?? []) : [key];
    const given = this.#pending.get(key) ?? (this.#pending.size >= MAX_PENDING ? before : undefined);
    if (given !== undefined && oldest !== undefined) {
      this.#pending.delete(oldest);
      this.#addTool({ requested: given });
    }
    this.#pending.set(key, event);
  }

  #refuse(event: EventOf<"tool.refused">, isTraced: boolean): void {
    const requested = event.call === undefined ? undefined : this.#pending.get(event.call);
    if (requested === undefined || !event.applied || event.call === undefined) return this.#note(event);
    this.#pending.delete(event.call);
    if (isTraced) {
      this.#note(requested);
      return this.#note(event);
    }
    this.#addTool({ requested, refused: true });
    if (this.#context !== undefined) this.#note(event, toolSpanId({ requested }, this.#context));
  }

  #result(finished: EventOf<"tool.finished">, isTraced: boolean): void {
    const requested = finished.call === undefined ? undefined : this.#pending.get(finished.call);
    if (finished.call !== undefined) this.#pending.delete(finished.call);
    if (!isTraced) return this.#addTool({ requested, finished });
    if (requested !== undefined) this.#note(requested);
    this.#note(finished);
  }

  #addTool(call: Parameters<typeof toolSpan>[0]): void {
    const span = this.#context && toolSpan(call, this.#context);
    if (span !== undefined) this.#context?.addSpan(span);
  }

  #note(event: RunEvent, spanId?: string): void {
    if (this.#context === undefined) return;
    if (this.#options.asSpans === true) this.#context.addSpan(eventSpan(event, this.#context, spanId));
    else this.#context.addLog(eventRecord(event, this.#context, spanId));
  }
}

/** Host events that follow an answer and belong to it. */
const PART_OF_CHAT: ReadonlySet<string> = new Set(["message.sent", "model.reasoned", "tool.requested"]);

/** Causes of moves that policies decide by what was said, or by a message before it. */
const MOVED_BY_TEXT: ReadonlySet<string> = new Set([
  "turn.started",
  "message.sent",
  "message.received",
  "model.answered",
  "model.reasoned",
]);

const KINDS: TraceContext["kinds"] = {
  agent: attributesFrom(kinds.agent),
  phase: attributesFrom(kinds.phase),
  model: attributesFrom(kinds.model),
  tool: attributesFrom(kinds.tool),
  gate: attributesFrom(kinds.gate),
  event: attributesFrom(kinds.event),
};

function commonOf(run: string, phase: string): readonly OtlpAttribute[] {
  return attributesFrom({ [own.run]: run, [names.conversation]: run, [names.session]: run, [own.phase]: phase });
}

/** A sub-agent is a part of its parent's first attempt. */
function parentRunSpan(started: EventOf<"run.started"> | undefined): string | undefined {
  const parent = started?.parent?.run;
  return parent === undefined ? undefined : attemptSpanId({ ids: traceIds(parent) }, 1);
}

function firstOf<K, V>(map: ReadonlyMap<K, V>): readonly [K, V] | undefined {
  return map.entries().next().value;
}
