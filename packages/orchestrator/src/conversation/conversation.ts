import { type Actor, createRun, phaseGuidance, type Run, type RunOptions, type RunOutcome } from "@phasekit/core";
import { defined } from "@phasekit/core/adapter";
import type { ConversationBoard, WaitEnd, WaitFor } from "./conversation-board.ts";
import { cycleNoted, roundCancelled, waitChanged } from "./conversation-events.ts";
import { type ConversationOptions, type ConversationPhase, type Settings, settingsOf } from "./conversation-options.ts";
import { conversationPolicy } from "./conversation-policy.ts";
import type { ConversationState, CycleState } from "./conversation-state.ts";
import { cyclePolicy } from "../phases/cycle-policy.ts";
import { verificationGate } from "../phases/verification-gate.ts";
import { type ConversationRuntime, createConversationRuntime, isWorking, stopAgent } from "./conversation-runtime.ts";
import { createDriver, type Driver } from "./drive-conversation.ts";
import { endConversation } from "./end-conversation.ts";
import { type HistoryOptions, phaseHistory, type PhaseHistory, renderHistory } from "./history.ts";
import { tickAtDeadlines } from "../tick-at-deadlines.ts";
import { type MoveAnswer, movePhase } from "../phases/move-phase.ts";
import { checkCoverage, type PhaseCoverage } from "../phases/phase-coverage.ts";
import { printProblems } from "./print-problems.ts";
import type { QueuePlace } from "../leases/phase-lease.ts";

/** Status of a conversation: working, or the reason why not. */
export type ConversationStatus = "idle" | "working" | "waiting" | "queued" | "suspended" | "ended";

/** State of a conversation when it stops to wait, or has ended. */
export interface ConversationPause {
  readonly status: ConversationStatus;
  readonly phase: string;
  /** Question to the user. */
  readonly question?: string;
  /** Place in the queue for an exclusive phase. */
  readonly queue?: QueuePlace;
  readonly outcome?: RunOutcome;
}

/** Actor and reason of a command. */
export interface CommandOptions {
  readonly by?: Actor;
  readonly name?: string;
  readonly why?: string;
}

/** Several agents on one phase graph. */
export interface Conversation<TPhase extends string = ConversationPhase> {
  readonly id: string;
  /** The run of the conversation. Subscribe to it to store the log. */
  readonly run: Run<TPhase>;
  readonly phase: TPhase;
  readonly status: ConversationStatus;
  /** Rounds, moves, lessons and more, folded from the log. */
  readonly state: Readonly<ConversationState>;
  /** Participants, reflections and notes of the current cycle. */
  readonly cycle: Readonly<CycleState>;
  /** Runs of the agents at work, by name. Stop a run to cancel its agent. */
  readonly agentRuns: ReadonlyMap<string, Run>;
  /** Records a message of the user and works until the conversation has to wait or ends. */
  readonly send: (text: string, options?: { readonly from?: string }) => Promise<ConversationPause>;
  /** Continues after a recovery, a suspension or a wait in a queue, for at most `rounds` rounds. */
  readonly proceed: (options?: { readonly rounds?: number }) => Promise<ConversationPause>;
  /** Moves to a phase, or hands over inside the current one, if graph, gates and leases allow it. */
  readonly move: (
    to: TPhase,
    options?: CommandOptions & { readonly message?: string; readonly summary?: string },
  ) => Promise<MoveAnswer>;
  /** Counts a phase as visited. Only for users and judges, with a reason. The text warns what is no longer ensured. */
  readonly skip: (
    phase: TPhase,
    options: CommandOptions & { readonly why: string },
  ) => { readonly skipped: boolean; readonly text: string };
  /** Calls no router and no agent until `resume`. Agents at work finish. Suspended time does not count. */
  readonly suspend: (options?: CommandOptions & { readonly timeoutMs?: number }) => boolean;
  readonly resume: (options?: CommandOptions) => Promise<ConversationPause>;
  /** Stops every agent and ends the conversation. */
  readonly cancel: (options?: CommandOptions) => Promise<ConversationPause>;
  /** Closes the open round without waiting for its agents. The router decides again. */
  readonly cancelRound: (why: string) => boolean;
  /** Stops one agent. The round continues with the others. */
  readonly cancelAgent: (agent: string, why: string) => boolean;
  /** Stores a value until the next cycle begins. */
  readonly note: (key: string, value: unknown) => boolean;
  /** Waits for a related conversation on the same board. */
  readonly waitFor: (what: WaitFor) => Promise<WaitEnd>;
  readonly history: (options?: HistoryOptions) => string;
  readonly phaseHistory: () => readonly PhaseHistory[];
  /** Compares the phases of the graph, or of a list, with those visited. */
  readonly coverage: (declared?: readonly string[]) => PhaseCoverage;
}

/** Longer texts than in a single agent's run, because agents hand them over. */
const CLIP = { text: 16_384 };

/**
 * Creates a conversation. Router and agents are plain functions; the graph decides what is allowed. The default mode is
 * `gate`.
 *
 * @example
 * const conversation = createConversation({ agents: [planner, executor], router });
 * await conversation.send("Add a login page.");
 * @throws INVALID_CONVERSATION, INVALID_OPTION, and what `createRun` throws
 */
export function createConversation<const TPhase extends string = ConversationPhase>(
  options: ConversationOptions<TPhase>,
): Conversation<NoInfer<TPhase>> {
  const settings = settingsOf(options);
  return assembleConversation(
    createRun<string>(runOptions(options, settings)),
    settings,
  ) as unknown as Conversation<TPhase>;
}

/** Options of the conversation's run. */
export function runOptions(options: ConversationOptions<string>, settings: Settings): RunOptions {
  const { clip, mode = "gate", policies = [], onError, ...rest } = options;
  // The options that are not the conversation's own are the run's.
  const given = Object.entries<unknown>(rest).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(settings, name),
  );
  return {
    ...(Object.fromEntries(given) as RunOptions),
    ...defined({ onError }),
    graph: settings.graph,
    mode,
    clock: settings.clock,
    clip: { ...CLIP, ...clip },
    policies: [
      conversationPolicy(),
      cyclePolicy({ reflection: settings.reflection }),
      ...(settings.verification === undefined ? [] : [verificationGate({ phase: settings.verification })]),
      phaseGuidance({ except: [settings.routerIdentity.id] }),
      ...policies.flat(),
    ],
  };
}

/** Builds a conversation on a run that has its policies. */
export function assembleConversation(run: Run, settings: Settings): Conversation<string> {
  return new OpenConversation(run, settings);
}

class OpenConversation implements Conversation<string> {
  readonly #run: Run;
  readonly #settings: Settings;
  readonly #runtime: ConversationRuntime;
  readonly #driver: Driver;
  readonly #board: ConversationBoard | undefined;
  #driving: Promise<unknown> | undefined;
  #stopTime = (): void => undefined;

  constructor(run: Run, settings: Settings) {
    this.#run = run;
    this.#settings = settings;
    this.#runtime = createConversationRuntime(run, settings);
    this.#driver = createDriver(this.#runtime);
    const { board } = settings;
    this.#board = board;
    const post = (): void => board?.post(run.id, { phase: run.view.phase, ended: run.view.status === "ended" });
    if (board !== undefined) run.subscribe(post);
    post();
    printProblems(run);
    this.id = run.id;
  }

  readonly id: Conversation<string>["id"];

  get run() {
    return this.#run;
  }

  get phase() {
    return this.#run.view.phase;
  }

  get status() {
    return this.#status();
  }

  get state() {
    return this.#runtime.state();
  }

  get cycle() {
    return this.#runtime.cycle();
  }

  get agentRuns() {
    return new Map([...this.#runtime.live].map(({ agent, run: own }) => [agent, own]));
  }

  readonly send: Conversation<string>["send"] = (text, { from = "user" } = {}) => {
    this.#run.record({ type: "message.received", text, from });
    return this.proceed();
  };

  /** Drives one at a time. A message that arrives meanwhile is handled by this drive or the next. */
  readonly proceed = async ({ rounds = Infinity }: { readonly rounds?: number } = {}): Promise<ConversationPause> => {
    const before = this.#driving;
    const mine = (async () => {
      await before?.catch(() => undefined);
      this.#stopTime();
      this.#stopTime = tickAtDeadlines(this.#run, this.#settings);
      try {
        await this.#driver.drive({ rounds });
      } finally {
        // A suspended run must still wake at its deadline.
        if (this.#run.view.status !== "suspended" || this.#run.wakeAt === undefined) this.#stopTime();
      }
    })();
    this.#driving = mine;
    try {
      await mine;
    } finally {
      if (this.#driving === mine) this.#driving = undefined;
    }
    return this.#pause();
  };

  readonly move = async (
    to: string,
    { by = "user", name = by, why = "", message, summary }: Parameters<Conversation["move"]>[1] = {},
  ): Promise<MoveAnswer> => {
    const { phaseEntry: from, phase } = this.#run.view;
    const texts = { ...defined({ message, summary }) };
    if (to !== phase) return movePhase(this.#runtime, { to, from, actor: by, id: name, name, reason: why, ...texts });
    this.#run.transition(to, { by, name, agent: name, why, ...texts });
    return { ok: true };
  };

  readonly skip = (
    phase: string,
    options: CommandOptions & { readonly why: string },
  ): { readonly skipped: boolean; readonly text: string } => {
    let text = "";
    const { seq } = this.#run.view;
    const end = this.#run.subscribe((step) => {
      for (const event of step) {
        if (event.seq <= seq) continue;
        if (event.type === "phase.skipped") text = event.warning;
        else if (event.type === "phase.refused") ({ text } = event);
      }
    });
    const skipped = this.#run.skip(phase, options);
    end();
    return { skipped, text };
  };

  readonly suspend: Conversation<string>["suspend"] = (options) => this.#run.suspend(options);

  readonly resume: Conversation<string>["resume"] = (options) => {
    this.#run.resume(options);
    return this.proceed();
  };

  readonly cancel = async ({
    by = "user",
    name,
    why = "The conversation was cancelled.",
  }: CommandOptions = {}): Promise<ConversationPause> => {
    this.#run.stop({ by, reason: "cancelled", how: "abort", why, ...defined({ name }) });
    await endConversation(this.#runtime, { by: name ?? by, reason: why });
    return this.#pause();
  };

  readonly cancelRound: Conversation<string>["cancelRound"] = (why) => {
    const { open } = this.#runtime.state();
    return open !== undefined && this.#run.record(roundCancelled.record({ round: open.round, why }));
  };

  readonly cancelAgent: Conversation<string>["cancelAgent"] = (agent, why) => {
    const live = [...this.#runtime.live].filter((candidate) => candidate.agent === agent);
    for (const one of live) stopAgent(one, "cancelled", why);
    return live.length > 0;
  };

  readonly note: Conversation<string>["note"] = (key, value) =>
    isWorking(this.#runtime) && this.#run.record(cycleNoted.record({ key, value }));

  readonly waitFor = async (what: WaitFor): Promise<WaitEnd> => {
    if (this.#board === undefined) return "timeout";
    const wait = { conversation: what.conversation, for: what.visited ?? "its end" };
    this.#run.record(waitChanged.record({ ...wait, status: "waiting" }));
    const ended = await this.#board.wait(this.#run.id, what, this.#settings.schedule);
    this.#run.record(waitChanged.record({ ...wait, status: ended }));
    return ended;
  };

  readonly history: Conversation<string>["history"] = (options) =>
    renderHistory(this.#runtime.state(), { ...this.#settings.history, ...options });

  readonly phaseHistory: Conversation<string>["phaseHistory"] = () => phaseHistory(this.#runtime.state());

  readonly coverage: Conversation<string>["coverage"] = (declared = Object.keys(this.#settings.graph.phases)) =>
    checkCoverage({ declared, executed: [...this.#runtime.state().visited] });

  #status(): ConversationStatus {
    const { status: runs } = this.#run.view;
    if (runs !== "running") return runs;
    if (this.#driving !== undefined) return "working";
    if (this.#runtime.state().question !== undefined) return "waiting";
    if (this.#runtime.lease?.queued !== undefined) return "queued";
    return "idle";
  }

  #pause(): ConversationPause {
    const { question } = this.#runtime.state();
    const { phase, outcome } = this.#run.view;
    const queue = this.#runtime.lease?.queued;
    return {
      status: this.#status(),
      phase,
      ...(question !== undefined && { question: question.text }),
      ...defined({ queue, outcome }),
    };
  }
}
