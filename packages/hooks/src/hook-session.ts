import type { EventOf, Mode, NewEvent, Run, RunEvent } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { type BlindSpan, blindSpan, hashText, ownValue, wrapEnvelope } from "@phasekit/core/adapter";
import {
  type BlockRequest,
  emptyGuard,
  guardOf,
  type GuardState,
  noteActivity,
  noteBlock,
  noteInterrupt,
  notePrompt,
  whyWithhold,
} from "./block-guard.ts";
import { type CallMatcher, createCallMatcher } from "./call-matcher.ts";
import type { HookAgent } from "./hook-agent.ts";
import type { HookAnswer, HookEvent, HookEventOf } from "./hook-event.ts";
import { blocked, blockWithheld, checkpointGiven, gateTouched } from "./hook-events.ts";
import { isSelfProtection } from "./self-protection.ts";
import { sessionStatus, type SessionStatus } from "./session-status.ts";

export interface HookSessionOptions {
  readonly agent: HookAgent;
  readonly mode: Mode;
  /** Makes the session's next run. The first prompt is its task. */
  readonly openRun: (options: { readonly task?: string }) => Run;
  /** Makes the run of a sub-agent. */
  readonly openChild: (run: Run) => Run;
  /** The session's run from an earlier process. */
  readonly restored?: Run;
  /** The events of that run: what the agent was held back for counts in this process, too. @default none */
  readonly earlier?: readonly RunEvent[];
  /** The log of the session could be read. @default true */
  readonly readable?: boolean;
  /** Reads the list of todos that a call of the agent's own tool writes. @default none is read */
  readonly todosIn?: (tool: string, input: unknown) => NewEvent<"todos.updated"> | undefined;
}

/** One session of an agent: many prompts, one run that waits between them. */
export interface HookSession {
  /** Takes one event. A late event comes from the spool: the agent did not wait for it, so the answer is empty. */
  readonly handle: (event: HookEvent, options?: HandleOptions) => HookAnswer;
  /** True if the answer to this event should have a checkpoint: the conversation was shortened, or is continued. */
  readonly wantsCheckpoint: (event: HookEvent) => boolean;
  /**
   * Lets the agent finish without a gate. Only the user may do so: while a call of the agent that touches its own gate
   * is open, or if the caller knows that the agent asks, the waiver is refused and recorded.
   */
  readonly waive: (gate: string, options: WaiveOptions) => "waived" | "refused";
  /** Records what the agent did in a blind time, and that time. */
  readonly catchUp: (missed: readonly NewEvent[], span: BlindSpan) => void;
  readonly status: () => SessionStatus;
  readonly run: () => Run | undefined;
  /** Continues a run that was over, with its events so far. */
  readonly continueRun: (run: Run, events: readonly RunEvent[]) => void;
  /** Ends what is open, when the session is forgotten. */
  readonly close: () => void;
}

/** Options for `HookSession.handle()`. */
interface HandleOptions {
  /** The event comes from the spool. @default false */
  readonly late?: boolean;
  /** The state of the work, for an agent that has lost it. */
  readonly checkpoint?: string;
}

/** Options for `HookSession.waive()`. */
interface WaiveOptions {
  readonly reason: string;
  /** The request comes from inside the agent. @default false */
  readonly byAgent?: boolean;
}

/** A sub-agent, or the agent itself: its run, its open calls, and how it was held back. */
interface SubAgent {
  readonly run: Run;
  readonly calls: CallMatcher;
  readonly guard: GuardState;
}

const NOTHING: HookAnswer = {};
const MAX_SUBAGENTS = 64;
const WAY_OUT = "If this cannot be done, or you wait for something, say so and finish again.";

/**
 * A session that turns hook events into a run and the run's answers into hook answers. An accepted finish suspends
 * the run; the next prompt resumes it. Every refusal and veto passes `whyWithhold`.
 */
export function createHookSession(options: HookSessionOptions): HookSession {
  const { agent, mode, openRun, openChild } = options;
  const guard = guardOf(options.earlier ?? []);
  const calls = createCallMatcher();
  const children = new Map<string, SubAgent>();
  let run = options.restored;
  let unsubscribe = run === undefined ? undefined : watch(run);
  calls.continueFrom(options.earlier ?? []);
  let isKnown = run !== undefined;
  let isReadable = options.readable ?? true;
  /** The last thing that happened is a finish that was accepted. */
  let finished = wasAccepted(options.earlier ?? []);
  let isLate = false;
  let lastVeto: string | undefined;
  /** The vetoes of the last finish, as their gates put them. */
  let vetoes: readonly { readonly gate: string; readonly text: string }[] = [];
  /** Gates the last finish did not meet. */
  let unmet: readonly string[] = [];
  /** The last call that touched the agent's own gate. */
  let gateCall: string | undefined;
  /** The agent has lost its context, or was away, and got no checkpoint. */
  let isLost = false;
  let checkpoint: string | undefined;
  let blind = options.earlier?.findLast((event) => blindSpan.is(event))?.data;

  function watch(watched: Run): () => void {
    return watched.subscribe((step) => {
      const [first] = step;
      if (first?.type === "tool.requested" && step.some((event) => gateTouched.is(event))) gateCall = first.call;
      if (first?.type === "tool.finished" && hasPassed(first)) unmet = [];
      if (first?.type !== "finish.requested") return;
      vetoes = step.flatMap((event: RunEvent) => (event.type === "finish.vetoed" && event.applied ? [event] : []));
      unmet = step.flatMap((event: RunEvent) =>
        event.type === "finish.vetoed" && event.held !== "waived" ? [event.gate] : [],
      );
    });
  }

  function open(task?: string): Run {
    unsubscribe?.();
    run = openRun(task === undefined ? {} : { task });
    unsubscribe = watch(run);
    calls.clear();
    children.clear();
    return run;
  }

  /** The run, ready to take events: a suspended run is resumed, and one that ended is followed by the next. */
  function working(): Run {
    const current = run ?? open();
    if (current.view.status === "ended") return open();
    if (current.view.status === "suspended") current.resume({ by: "host" });
    finished = false;
    return current;
  }

  const can = (event: HookEvent, what: "nudge" | "veto" | "refuse" | "stop"): boolean =>
    !isLate && (ownValue(agent.events, event.name)?.includes(what) ?? false);

  function handle(event: HookEvent, { late = false, checkpoint: text }: HandleOptions = {}): HookAnswer {
    isLate = late;
    checkpoint = text;
    // There was nothing to tell.
    if (text === undefined && wantsCheckpoint(event)) isLost = false;
    recordAnswers(event);
    switch (event.kind) {
      case "session.started":
        return sessionStarted(event);
      case "prompt.submitted":
        return promptSubmitted(event);
      case "tool.started":
        return toolStarted(event);
      case "tool.ended":
        return toolEnded(event);
      case "batch.ended":
        return batchEnded(event);
      case "finish.asked":
        return finishAsked(event);
      case "turn.failed":
        turnFailed(event);
        return NOTHING;
      case "subagent.started":
        subagentStarted(event);
        return NOTHING;
      case "subagent.ended":
        return subagentEnded(event);
      case "context.compacted":
        contextCompacted(event);
        return NOTHING;
      case "session.ended":
        close(event.reason);
        return NOTHING;
      case "ignored":
        return NOTHING;
    }
  }

  /** Records the cost of the model's answers, where the agent reports it. */
  function recordAnswers(event: HookEvent): void {
    const { answers = [], subagent } = event;
    if (answers.length === 0) return;
    const target =
      event.kind === "subagent.ended"
        ? children.get(event.id)?.run
        : subagent === undefined
          ? run
          : subagentStarted({ id: subagent }).run;
    if (target === undefined || target.view.status === "ended") return;
    for (const { model, usage } of answers)
      target.record({ type: "model.answered", usage, ...(model !== undefined && { model }) });
  }

  /** A sub-agent has a context of its own. */
  function contextCompacted({ subagent, trigger }: HookEventOf<"context.compacted">): void {
    const target = subagent === undefined ? run : children.get(subagent)?.run;
    if (target === undefined || target.view.status === "ended") return;
    target.record({ type: "context.compacted", ...(trigger !== undefined && { trigger }) });
    if (subagent === undefined) isLost = true;
  }

  function wantsCheckpoint(event: HookEvent): boolean {
    const canNudge = ownValue(agent.events, event.name)?.includes("nudge") ?? false;
    if (mode === "observe" || event.subagent !== undefined || !canNudge) return false;
    return isLost || (event.kind === "session.started" && event.source === "compact");
  }

  /** The checkpoint, if there is one to give: once. */
  function takeCheckpoint(): readonly string[] {
    if (checkpoint === undefined || run === undefined) return [];
    isLost = false;
    run.record(checkpointGiven.record({ text: hashText(checkpoint) }));
    return [wrapEnvelope(`This is the state of the work:\n${checkpoint}`)];
  }

  function sessionStarted(event: HookEventOf<"session.started">): HookAnswer {
    isKnown = true;
    if (event.source === "resume" && run !== undefined) isLost = true;
    const [nudge] = event.source === "compact" ? takeCheckpoint() : [];
    return nudge === undefined ? NOTHING : { nudge };
  }

  function promptSubmitted(event: HookEventOf<"prompt.submitted">): HookAnswer {
    // Some agents report our own veto as the next prompt; others send prompts that no person wrote.
    const isOurs = lastVeto !== undefined && event.text.includes(lastVeto.slice(0, 400));
    const byPerson = event.byPerson && !isOurs;
    if (byPerson) {
      notePrompt(guard);
      isKnown = true;
      isReadable = true;
      lastVeto = undefined;
      gateCall = undefined;
      // A stopped run is over; the user's next prompt is a new piece of work.
      if (run !== undefined && (run.view.stopped !== undefined || run.view.status === "ended")) {
        endRun();
        run = undefined;
      }
    }
    if (run === undefined) open(byPerson ? event.text : undefined);
    else if (byPerson) {
      if (run.view.status === "suspended") run.resume({ by: "user" });
      run.record({ type: "message.received", text: event.text, from: "user" });
    }
    const current = working();
    return can(event, "nudge") ? nextTurn(event, current) : NOTHING;
  }

  /** Returns the actor of an event: the agent itself, or one of its sub-agents. */
  function actorOf({ subagent }: HookEvent): SubAgent {
    const current = working();
    return subagent === undefined ? { run: current, calls, guard } : subagentStarted({ id: subagent });
  }

  function subagentStarted({ id }: { readonly id: string }): SubAgent {
    const current = working();
    const known = children.get(id);
    if (known !== undefined) return known;
    const child: SubAgent = { run: openChild(current), calls: createCallMatcher(), guard: emptyGuard() };
    children.set(id, child);
    const oldest = children.size > MAX_SUBAGENTS ? children.keys().next().value : undefined;
    if (oldest !== undefined) {
      children.get(oldest)?.run.end({ reason: "interrupted" });
      children.delete(oldest);
    }
    return child;
  }

  /** A sub-agent that is not sent back is over. */
  function subagentEnded(event: HookEventOf<"subagent.ended">): HookAnswer {
    const child = children.get(event.id);
    // Claude Code reports the end of sub-agents that never started while it compacts.
    if (child === undefined) return NOTHING;
    const { text = "", continued = false } = event;
    if (text !== "") child.run.record({ type: "message.sent", text });
    const answer = child.run.beforeFinish({ text, canVeto: can(event, "veto") });
    if (!answer.accept && child.run.view.stopped === undefined) {
      const request = { block: "veto", text: answer.text, ...known(), continued, lastWords: text } as const;
      // Other hooks rarely send a sub-agent back, so a veto that is continued is ours.
      if (mayBlock(child, request)) return { veto: wrapEnvelope(`${answer.text}\n${WAY_OUT}`) };
    }
    child.run.end();
    children.delete(event.id);
    return NOTHING;
  }

  function toolStarted(event: HookEventOf<"tool.started">): HookAnswer {
    const actor = actorOf(event);
    const { run: current, calls, guard } = actor;
    // Its end tells everything about it. A refusal would say that the call did not run.
    if (isLate || (event.call !== undefined && calls.isOpen(event.call))) return NOTHING;
    const call = calls.start(event);
    const answer = current.beforeTool({ call, tool: event.tool, input: event.input });
    // A run that is not running answers "no more tools"; the agent is none of its business then.
    if (answer.allow || current.view.status !== "running" || !can(event, "refuse")) return NOTHING;
    const by = current.view.pending.get(call)?.refused?.by;
    if (isSelfProtection(by)) {
      guard.last = "refuse";
      guard.activity = 0;
      calls.end({ ...event, call });
      return { refuse: answer.text };
    }
    if (!mayBlock(actor, { block: "refuse", text: answer.text, ...known() })) return NOTHING;
    calls.end({ ...event, call });
    return { refuse: answer.text };
  }

  function known(): Pick<BlockRequest, "sessionKnown" | "stateReadable"> {
    return { sessionKnown: isKnown, stateReadable: isReadable };
  }

  function mayBlock({ run: current, guard }: Pick<SubAgent, "run" | "guard">, request: BlockRequest): boolean {
    const why = whyWithhold(guard, request);
    if (why === undefined) {
      noteBlock(guard, request);
      current.record(blocked.record({ block: request.block, text: hashText(request.text) }));
      return true;
    }
    current.record(blockWithheld.record({ block: request.block, why }));
    return false;
  }

  function toolEnded(event: HookEventOf<"tool.ended">): HookAnswer {
    const { run: current, calls, guard } = actorOf(event);
    const { call, started } = calls.end(event);
    const before = current.view.lastProgress?.seq;
    const { tool, outcome, input, output, exitCode, durationMs } = event;
    current.record({
      type: "tool.finished",
      call,
      tool,
      outcome,
      ...(!started && input !== undefined && { input: input as never }),
      ...(output !== undefined && { output: output as never }),
      ...(exitCode !== undefined && { exitCode }),
      ...(durationMs !== undefined && { durationMs: Math.max(0, durationMs) }),
    });
    const todos = outcome === "ok" ? options.todosIn?.(tool, input) : undefined;
    if (todos !== undefined) current.record(todos);
    if (event.interrupted === true) noteInterrupt(guard);
    else noteActivity(guard, { progress: current.view.lastProgress?.seq !== before });
    const isTurnOver = !agent.hasBatches && calls.waiting() === 0;
    return isTurnOver ? nextTurn(event, current) : NOTHING;
  }

  function batchEnded(event: HookEventOf<"batch.ended">): HookAnswer {
    const { run: current, calls, guard } = actorOf(event);
    for (const { call, tool, input, output } of event.calls) {
      // Only calls that the agent turned down itself, such as an edit of text that is not in the file, have no other
      // event.
      if (call === undefined || calls.knows(call)) continue;
      calls.end({ call, tool, input });
      current.record({
        type: "tool.finished",
        call,
        tool,
        outcome: "error",
        ...(input !== undefined && { input: input as never }),
        ...(output !== undefined && { output: output as never }),
      });
      noteActivity(guard);
    }
    return nextTurn(event, current);
  }

  function nextTurn(event: HookEvent, current: Run): HookAnswer {
    const canNudge = can(event, "nudge");
    // The end of a sub-agent's loop would be the end of the agent.
    const canStop = event.subagent === undefined && can(event, "stop");
    if (!canNudge && !canStop) return NOTHING;
    const { message, nudges, stop } = current.beforeTurn();
    if (stop !== undefined && canStop) return { stop: `Phasekit stopped the agent: ${stop.text ?? stop.reason}` };
    const texts = [...(canNudge ? takeCheckpoint() : []), ...(message === undefined ? [] : [message])];
    if (texts.length === 0) return NOTHING;
    if (canNudge) return { nudge: texts.join("\n") };
    for (const { nudge } of nudges) current.record({ type: "nudge.lost", nudge });
    return NOTHING;
  }

  function finishAsked(event: HookEventOf<"finish.asked">): HookAnswer {
    if (event.subagent !== undefined) return NOTHING;
    if (run === undefined || run.view.status !== "running") {
      // Nothing was seen of the work, or this finish was accepted already.
      return NOTHING;
    }
    const current = run;
    if (event.aborted) noteInterrupt(guard);
    if (event.text !== "") current.record({ type: "message.sent", text: event.text });
    const canVeto = can(event, "veto") && event.isLeaving !== true;
    const answer = current.beforeFinish({ text: event.text, canVeto });
    if (!answer.accept && current.view.stopped === undefined) {
      // A finish that was asked before is not asked again: an earlier process may have heard its vetoes.
      const text = vetoes.length === 0 ? answer.text : vetoText(vetoes);
      const request: BlockRequest = {
        block: "veto",
        text,
        ...known(),
        openWork: event.openWork,
        aborted: event.aborted,
        continued: event.continued,
        lastWords: event.text,
        ...(event.planning !== undefined && { planning: event.planning }),
      };
      if (mayBlock({ run: current, guard }, request)) {
        lastVeto = text;
        // The agent continues: its next model request is a turn, as it is in the agent's own log.
        const { message } = current.beforeTurn();
        return { veto: message === undefined ? text : `${text}\n${message}` };
      }
    }
    finished = true;
    calls.clear();
    if (current.view.stopped === undefined) current.suspend({ by: "host", why: "The agent finished its turn." });
    return NOTHING;
  }

  function turnFailed({ message }: HookEventOf<"turn.failed">): void {
    if (run === undefined || run.view.status !== "running") return;
    run.record({ type: "model.failed", message });
    calls.clear();
    run.suspend({ by: "host", why: "The agent's turn failed." });
  }

  function endRun(): void {
    if (run === undefined || run.view.status === "ended") return;
    for (const child of children.values()) child.run.end({ reason: "parent_ended" });
    children.clear();
    if (run.view.stopped !== undefined) run.end();
    else run.end({ reason: finished ? "done" : guard.interrupted ? "cancelled" : "interrupted" });
  }

  function close(_reason?: string): void {
    endRun();
    calls.clear();
  }

  function waive(gate: string, { reason, byAgent = false }: WaiveOptions): "waived" | "refused" {
    const current = run ?? open();
    if (byAgent || (gateCall !== undefined && calls.isOpen(gateCall))) {
      current.record(gateTouched.record({ tool: "phasekit", what: `phasekit waive ${gate}` }));
      return "refused";
    }
    return current.waive(gate, { by: "user", why: reason }) ? "waived" : "refused";
  }

  /** A missed event is decided on as it would have been, and no decision reaches the agent: the agent has continued. */
  function catchUp(missed: readonly NewEvent[], span: BlindSpan): void {
    for (const event of missed) {
      const before = run?.view.lastProgress?.seq;
      if (event.type === "message.received" && "text" in event) {
        const { text, at } = event;
        noteMissedPrompt(text, at);
        continue;
      }
      const current = working();
      if (event.type === "turn.started") {
        // A turn that is open already is the same one. What is said to the agent now is lost on it.
        const { nudges } = current.beforeTurn(event.at === undefined ? {} : { at: event.at });
        for (const { nudge } of nudges) current.record({ type: "nudge.lost", nudge });
      } else current.record(event);
      if (event.type !== "tool.finished") continue;
      calls.end({ ...event, tool: event.tool ?? "" });
      noteActivity(guard, { progress: current.view.lastProgress?.seq !== before });
    }
    // The log was read back, so nothing of the session is unknown.
    if (span.how === "log") isKnown = true;
    working().record(blindSpan.record(span));
    blind = span;
  }

  function noteMissedPrompt(text: string, at: number | undefined): void {
    notePrompt(guard);
    if (run === undefined || run.view.status === "ended") open(text);
    else {
      const current = working();
      current.record({ type: "message.received", text, from: "user", ...(at !== undefined && { at }) });
    }
  }

  function continueRun(earlier: Run, events: readonly RunEvent[]): void {
    unsubscribe?.();
    run = earlier;
    unsubscribe = watch(earlier);
    calls.continueFrom(events);
    isLost = true;
  }

  return {
    handle,
    wantsCheckpoint,
    continueRun,
    waive,
    catchUp,
    status: () => sessionStatus({ run, mode, owed: unmet, ...(blind !== undefined && { blind }) }),
    run: () => run,
    close,
  };
}

/** True if the last thing in a log is a finish that was accepted. */
function wasAccepted(events: readonly RunEvent[]): boolean {
  const last = events.findLast(({ type }) => type === "move.requested" || type === "tool.finished");
  const asked = events.findLast(({ type }) => type === "model.failed" || type === "finish.requested");
  return last?.type === "move.requested" && last.do === "suspend" && asked?.type === "finish.requested";
}

/** A veto names a harmless way out, and how the user, not the agent, waives it. */
function vetoText(vetoes: readonly { readonly gate: string; readonly text: string }[]): string {
  const [first, ...others] = vetoes.map(({ gate }) => gate);
  const same = others.length === 0 ? "" : `, and the same for ${others.join(" and ")}`;
  const waiver = `The user can waive it: phasekit waive ${first ?? ""} --reason "..."${same}`;
  return wrapEnvelope(`${vetoes.map(({ text }) => text).join("\n\n")}\n${WAY_OUT} ${waiver}`);
}

/** True for a test run that passed. */
function hasPassed(event: EventOf<"tool.finished">): boolean {
  const { check } = callOf(event);
  return check?.kind === "test" && check.verdict === "pass";
}
