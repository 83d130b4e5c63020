import { type Actor, createRun, phaseGuidance, type Run, type RunOptions, type RunOutcome } from "@phasekit/core";
import type { WaitEnd, WaitFor } from "./conversation-board.ts";
import { cycleNoted, roundCancelled, waitChanged } from "./conversation-facts.ts";
import { type ConversationOptions, type ConversationPhase, type Settings, settingsOf } from "./conversation-options.ts";
import { conversationPolicy } from "./conversation-policy.ts";
import type { ConversationState, CycleState } from "./conversation-state.ts";
import { cyclePolicy } from "./cycle-policy.ts";
import { createDesk, isWorking, stopAgent } from "./desk.ts";
import { createDriver } from "./drive-conversation.ts";
import { endConversation } from "./end-conversation.ts";
import { type HistoryOptions, phaseHistory, type PhaseHistory, renderHistory } from "./history.ts";
import { keepTime } from "./keep-time.ts";
import { type MoveAnswer, movePhase } from "./move-phase.ts";
import { checkCoverage, type PhaseCoverage } from "./phase-coverage.ts";
import type { Queued } from "./phase-lease.ts";

/** Why nothing happens in a conversation just now. */
export type ConversationStatus = "idle" | "working" | "waiting" | "queued" | "suspended" | "ended";

/** Where a conversation stands after it was driven. */
export interface ConversationPause {
  readonly status: ConversationStatus;
  readonly phase: string;
  /** What the person is asked. */
  readonly question?: string;
  /** The place in the queue for an exclusive phase. */
  readonly queue?: Queued;
  readonly outcome?: RunOutcome;
}

/** Who does something to a conversation, and why. */
export interface Doing {
  readonly by?: Actor;
  readonly name?: string;
  readonly why?: string;
}

/** Many agents on one phase graph. */
export interface Conversation<TPhase extends string = ConversationPhase> {
  readonly id: string;
  /** The run behind it: subscribe to keep its log. */
  readonly run: Run<TPhase>;
  readonly phase: TPhase;
  readonly status: ConversationStatus;
  /** Rounds, records, lessons and what else is folded from the log. */
  readonly state: Readonly<ConversationState>;
  /** Who took part in the present cycle, who has reflected, and what was noted. */
  readonly cycle: Readonly<CycleState>;
  /** The runs of agents at work, by name. Stop one to cancel it. */
  readonly agentRuns: ReadonlyMap<string, Run>;
  /** Takes what a person says, and goes on until somebody has to wait. */
  readonly send: (text: string, options?: { readonly from?: string }) => Promise<ConversationPause>;
  /** Goes on: after a recovery, a suspension, a wait in a queue; at most so many rounds. */
  readonly proceed: (options?: { readonly rounds?: number }) => Promise<ConversationPause>;
  /** Moves the conversation, or hands over inside a phase, if graph, gates and leases allow it. */
  readonly move: (to: TPhase, options?: Doing & { readonly message?: string; readonly summary?: string }) => Promise<MoveAnswer>;
  /** Counts a phase as visited: for users and judges, with a reason. The warning says what is lost. */
  readonly skip: (phase: TPhase, options: Doing & { readonly why: string }) => { readonly skipped: boolean; readonly text: string };
  /** Nobody is called until `resume`; agents at work finish. Time does not count. */
  readonly suspend: (options?: Doing & { readonly timeoutMs?: number }) => boolean;
  readonly resume: (options?: Doing) => Promise<ConversationPause>;
  /** Ends everything now. */
  readonly cancel: (options?: Doing) => Promise<ConversationPause>;
  /** Closes the open round without its agents; the router decides anew. */
  readonly cancelRound: (why: string) => boolean;
  /** Stops one agent; the round goes on with the others. */
  readonly cancelAgent: (agent: string, why: string) => boolean;
  /** Remembers something until the next cycle begins. */
  readonly note: (key: string, value: unknown) => boolean;
  /** Waits for a related conversation on the same board. */
  readonly waitFor: (what: WaitFor) => Promise<WaitEnd>;
  readonly history: (options?: HistoryOptions) => string;
  readonly phaseHistory: () => readonly PhaseHistory[];
  /** Which phases of the graph, or of a list, were never visited. */
  readonly coverage: (declared?: readonly string[]) => PhaseCoverage;
}

/** Texts of a conversation are kept longer than those of a single agent: they are what is handed over. */
const CLIP = { text: 16_384 };

/**
 * Makes a conversation. Router and agents are plain functions; the graph decides what is allowed. It works in mode
 * `gate` unless told otherwise.
 *
 * @example
 * const conversation = createConversation({ agents: [planner, executor], router });
 * await conversation.send("Add a login page.");
 * @throws INVALID_CONVERSATION, and what `createRun` throws
 */
export function createConversation<const TPhase extends string = ConversationPhase>(options: ConversationOptions<TPhase>): Conversation<NoInfer<TPhase>> {
  const settings = settingsOf(options);
  return assembleConversation(createRun<string>(runOptions(options, settings)), settings) as unknown as Conversation<TPhase>;
}

/** The options of the run behind a conversation. */
export function runOptions(options: ConversationOptions<string>, settings: Settings): RunOptions {
  const { id, task, item, redact, clip, nudges, maxVetoes, createId, onError, mode = "gate", policies = [] } = options;
  const given = { id, task, item, redact, nudges, maxVetoes, createId, onError };
  return {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as RunOptions),
    graph: settings.graph,
    mode,
    clock: settings.clock,
    clip: { ...CLIP, ...clip },
    policies: [conversationPolicy(), cyclePolicy({ reflection: settings.reflection }), phaseGuidance({ except: [settings.routerIdentity.id] }), ...policies.flat()],
  };
}

/** Puts a conversation on a run that has its policies. */
export function assembleConversation(run: Run, settings: Settings): Conversation<string> {
  const desk = createDesk(run, settings);
  const driver = createDriver(desk);
  const { board } = settings;
  let driving: Promise<unknown> | undefined;
  let stopTime = (): void => undefined;

  const post = (): void => board?.post(run.id, { phase: run.view.phase, ended: run.view.status === "ended" });
  if (board !== undefined) run.subscribe(post);
  post();

  function status(): ConversationStatus {
    const { status: runs } = run.view;
    if (runs !== "running") return runs;
    if (driving !== undefined) return "working";
    if (desk.state().question !== undefined) return "waiting";
    if (desk.lease?.queued !== undefined) return "queued";
    return "idle";
  }

  function pause(): ConversationPause {
    const { question } = desk.state();
    const { phase, outcome } = run.view;
    const queue = desk.lease?.queued;
    return { status: status(), phase, ...(question !== undefined && { question: question.text }), ...(queue !== undefined && { queue }), ...(outcome !== undefined && { outcome }) };
  }

  /** One drive at a time; what came while one was under way is seen by it, or by the next. */
  async function proceed({ rounds = Infinity }: { readonly rounds?: number } = {}): Promise<ConversationPause> {
    const before = driving;
    const mine = (async () => {
      await before?.catch(() => undefined);
      stopTime();
      stopTime = keepTime(run, settings);
      try {
        await driver.drive({ rounds });
      } finally {
        // A suspended run still has to be woken when its time is over.
        if (run.view.status !== "suspended" || run.wakeAt === undefined) stopTime();
      }
    })();
    driving = mine;
    try {
      await mine;
    } finally {
      if (driving === mine) driving = undefined;
    }
    return pause();
  }

  async function move(to: string, { by = "user", name = by, why = "", message, summary }: Parameters<Conversation["move"]>[1] = {}): Promise<MoveAnswer> {
    const { phaseEntry: from, phase } = run.view;
    const told = { ...(message !== undefined && { message }), ...(summary !== undefined && { summary }) };
    if (to !== phase) return movePhase(desk, { to, from, actor: by, id: name, name, reason: why, ...told });
    run.transition(to, { by, name, agent: name, why, ...told });
    return { ok: true };
  }

  function skip(phase: string, options: Doing & { readonly why: string }): { readonly skipped: boolean; readonly text: string } {
    let text = "";
    const { seq } = run.view;
    const end = run.subscribe((step) => {
      for (const event of step) {
        if (event.seq <= seq) continue;
        if (event.type === "phase.skipped") text = event.warning;
        else if (event.type === "phase.refused") ({ text } = event);
      }
    });
    const skipped = run.skip(phase, options);
    end();
    return { skipped, text };
  }

  async function cancel({ by = "user", name, why = "Somebody cancelled the conversation." }: Doing = {}): Promise<ConversationPause> {
    run.stop({ by, reason: "cancelled", how: "abort", why, ...(name !== undefined && { name }) });
    await endConversation(desk, { by: name ?? by, reason: why });
    return pause();
  }

  async function waitFor(what: WaitFor): Promise<WaitEnd> {
    if (board === undefined) return "timeout";
    const fact = { conversation: what.conversation, for: what.visited ?? "its end" };
    run.record(waitChanged.record({ ...fact, status: "waiting" }));
    const ended = await board.wait(run.id, what, settings.schedule);
    run.record(waitChanged.record({ ...fact, status: ended }));
    return ended;
  }

  return {
    id: run.id,
    run,
    get phase() {
      return run.view.phase;
    },
    get status() {
      return status();
    },
    get state() {
      return desk.state();
    },
    get cycle() {
      return desk.cycle();
    },
    get agentRuns() {
      return new Map([...desk.live].map(({ agent, run: own }) => [agent, own]));
    },
    send: (text, { from = "user" } = {}) => {
      run.record({ type: "message.received", text, from });
      return proceed();
    },
    proceed,
    move,
    skip,
    suspend: (options) => run.suspend(options),
    resume: (options) => {
      run.resume(options);
      return proceed();
    },
    cancel,
    cancelRound: (why) => {
      const { open } = desk.state();
      return open !== undefined && run.record(roundCancelled.record({ round: open.round, why }));
    },
    cancelAgent: (agent, why) => {
      const live = [...desk.live].filter((candidate) => candidate.agent === agent);
      for (const one of live) stopAgent(one, "cancelled", why);
      return live.length > 0;
    },
    note: (key, value) => isWorking(desk) && run.record(cycleNoted.record({ key, value })),
    waitFor,
    history: (options) => renderHistory(desk.state(), { ...settings.history, ...options }),
    phaseHistory: () => phaseHistory(desk.state()),
    coverage: (declared = Object.keys(settings.graph.phases)) => checkCoverage({ declared, executed: [...desk.state().visited] }),
  };
}
