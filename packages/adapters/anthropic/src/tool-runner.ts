import type { RunPort } from "@phasekit/core";
import {
  answerReview,
  failureToEvent,
  resultToEvent,
  type Reviewer,
  type ShieldedRun,
  shieldRun,
  systemClock,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { blocksOf } from "./content-blocks.ts";
import { isCompaction, messageToAnswer } from "./message-answer.ts";
import { recordFailure, recordResponse } from "./record-response.ts";
import { outputOf, recordToolResults } from "./tool-results.ts";

interface UserMessage {
  readonly role: "user";
  readonly content: object[];
}

/** The members of the library's tool runner that we use. */
export interface ToolRunner extends AsyncIterable<object> {
  readonly params: { readonly messages: readonly object[] };
  readonly setMessagesParams: (params: unknown) => void;
  readonly pushMessages: (...messages: object[]) => void;
  readonly addTools?: (...tools: unknown[]) => void;
  readonly compactBeforeNextTurn?: (compaction?: unknown) => void;
  readonly generateToolResponse: () => Promise<UserMessage | null>;
}

/** A turn of a streaming runner. */
interface MessageStream {
  readonly on: (event: "text" | "thinking", listener: (delta: string) => void) => unknown;
  readonly abort: () => void;
  readonly finalMessage: () => Promise<object>;
}

interface RunnerOptions {
  /** Calls that a tool of the runner has begun. */
  readonly begun: Set<string>;
  readonly reviewer?: Reviewer;
  readonly clock?: () => number;
  /** Called when the loop is over, with the error that ended it. */
  readonly end?: (error: unknown) => void;
}

type RunTool = (input: unknown, context?: { readonly toolUse?: unknown }) => unknown;

/** Returns a runner's parameters with tools that ask the run before they run, and record their results. */
export function guardTools(run: RunPort, body: object, options: RunnerOptions): object {
  const { tools } = toObject(body);
  return Array.isArray(tools) ? { ...body, tools: tools.map((tool: unknown) => guardTool(run, tool, options)) } : body;
}

function guardTool(run: RunPort, tool: unknown, { begun, clock = systemClock }: RunnerOptions): unknown {
  const { name, run: original } = toObject(tool);
  if (typeof original !== "function" || typeof name !== "string") return tool;
  const { beforeTool, record, attempt } = shieldRun(run);
  const guarded: RunTool = async (args, context) => {
    const { id, input } = toObject(context?.toolUse);
    const { allow, call, text } = beforeTool({ call: textIn(id), tool: name, input: input ?? args });
    begun.add(call);
    // The runner sends what a tool throws as an error result.
    if (!allow) throw new Error(text);
    const subject = { call, tool: name };
    const started = clock();
    try {
      const output: unknown = await (original as RunTool).call(tool, args, context);
      attempt("resultToEvent", () => record(resultToEvent(subject, outputOf(output), clock() - started)), false);
      return output;
    } catch (error) {
      attempt("failureToEvent", () => record(failureToEvent(subject, error, clock() - started)), false);
      throw error;
    }
  };
  return { ...(tool as object), run: guarded };
}

/**
 * Lets a run see and steer the turns of a tool runner: nudges become part of the runner's own history, a vetoed finish
 * goes back to the model, and a stopped run ends the loop with all calls answered. Returns the same runner.
 */
export function watchRunner(run: RunPort, runner: ToolRunner, options: RunnerOptions): ToolRunner {
  const methods = createMethods(run, runner, options);
  Object.defineProperties(runner, {
    [Symbol.asyncIterator]: { value: methods.iterate, configurable: true },
    setMessagesParams: { value: methods.setMessagesParams, configurable: true },
    compactBeforeNextTurn: { value: methods.compactBeforeNextTurn, configurable: true },
    addTools: { value: methods.addTools, configurable: true },
  });
  return runner;
}

/** The methods of a runner that is watched. */
interface WatchedMethods {
  readonly iterate: () => AsyncGenerator<object, void>;
  readonly setMessagesParams: (params: unknown) => void;
  readonly compactBeforeNextTurn: (compaction?: unknown) => void;
  readonly addTools: (...tools: unknown[]) => void;
}

function createMethods(run: RunPort, runner: ToolRunner, options: RunnerOptions): WatchedMethods {
  return new RunnerWatch(run, runner, options);
}

class RunnerWatch implements WatchedMethods {
  readonly #shielded: ShieldedRun;
  readonly #run: RunPort;
  readonly #runner: ToolRunner;
  readonly #options: RunnerOptions;
  readonly #original: () => AsyncIterator<object>;
  readonly #setParams: (params: unknown) => void;
  readonly #addTools: ((...tools: unknown[]) => void) | undefined;
  readonly #compact: ((compaction?: unknown) => void) | undefined;
  /** How often the caller has replaced the history in the body of its loop: the rest of that turn is the caller's. */
  #takeovers = 0;
  /** The next request is for a summary: a nudge would disappear in it. */
  #compacting = false;

  constructor(run: RunPort, runner: ToolRunner, options: RunnerOptions) {
    this.#run = run;
    this.#runner = runner;
    this.#options = options;
    this.#shielded = shieldRun(run);
    this.#original = runner[Symbol.asyncIterator].bind(runner);
    this.#setParams = runner.setMessagesParams.bind(runner);
    this.#addTools = runner.addTools?.bind(runner);
    this.#compact = runner.compactBeforeNextTurn?.bind(runner);
  }

  readonly iterate: WatchedMethods["iterate"] = () => this.#iterate();

  readonly setMessagesParams: WatchedMethods["setMessagesParams"] = (params) => {
    this.#takeovers += 1;
    this.#setParams(params);
  };

  readonly compactBeforeNextTurn: WatchedMethods["compactBeforeNextTurn"] = (compaction) => {
    this.#compact?.(compaction);
    this.#compacting = true;
  };

  readonly addTools: WatchedMethods["addTools"] = (...tools) =>
    this.#addTools?.(...tools.map((tool) => guardTool(this.#run, tool, this.#options)));

  async *#iterate(): AsyncGenerator<object, void> {
    let failure: unknown;
    try {
      yield* this.#watchTurns();
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.#options.end?.(failure);
    }
  }

  async *#watchTurns(): AsyncGenerator<object, void> {
    const turns: AsyncIterable<object> = { [Symbol.asyncIterator]: this.#original };
    for await (const turn of turns) {
      const before = this.#takeovers;
      const stream = isStream(turn) ? turn : undefined;
      stream?.on("text", (delta) => {
        if (this.#shielded.text(delta).stop) stream.abort();
      });
      stream?.on("thinking", (delta) => {
        if (this.#shielded.text(delta, { stream: "reasoning" }).stop) stream.abort();
      });
      yield turn;
      const message = stream === undefined ? turn : await this.#finalMessage(stream);
      if (message !== undefined && this.#takeovers === before) await this.#settle(message);
    }
  }

  /** The message of a streamed turn. The runner throws the error of a failed one itself. */
  async #finalMessage(stream: MessageStream): Promise<object | undefined> {
    try {
      return recordResponse(this.#run, await stream.finalMessage(), { over: this.#options.begun });
    } catch (error) {
      recordFailure(this.#run, error);
      return undefined;
    }
  }

  async #settle(message: object): Promise<void> {
    const { stop_reason: stop, content } = toObject(message);
    const reply = { role: "assistant", content };
    if (stop === "tool_use") {
      // The runner keeps the results it has, and their errors.
      const results = await this.#runner.generateToolResponse().catch(() => null);
      if (results === null) return;
      recordToolResults(this.#run, [results]);
      if (this.#compacting) return;
      const turn = await answerReview(this.#run, this.#shielded.beforeTurn(), this.#options.reviewer);
      if (turn.stop !== undefined) this.#end([reply, results]);
      else if (turn.message !== undefined) results.content.push({ type: "text", text: turn.message });
      return;
    }
    const isSummary = blocksOf(content).some(isCompaction);
    if (isSummary) this.#compacting = false;
    if (
      isSummary ||
      stop === "pause_turn" ||
      this.#shielded.attempt("watchRunner", () => this.#run.view.stopped, undefined) !== undefined
    )
      return;
    const finish = this.#shielded.beforeFinish({ text: messageToAnswer(message).text });
    if (!finish.accept) this.#runner.pushMessages(reply, { role: "user", content: finish.text });
  }

  /** Ends the loop after this turn, without an error: the runner takes no more turns than it has taken. */
  #end(messages: readonly object[]): void {
    this.#setParams({
      ...this.#runner.params,
      messages: [...this.#runner.params.messages, ...messages],
      max_iterations: 1,
    });
  }
}

function isStream(turn: object): turn is MessageStream {
  return typeof (turn as Partial<MessageStream>).finalMessage === "function";
}
