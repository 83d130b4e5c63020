import { createRun, definePhaseGraph, severityOf } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { renderResult } from "../src/activity-log.ts";
import { analyzePattern } from "../src/analyze-pattern.ts";
import { aboutPart, activityLog, activityLogKey, buildReview, circuitBreaker, crossAgentLoop, failureSignature, fingerprintCall, interleavedRepeat, labelOf, mayRestart, reminders, repeatedCall, requiredCall, review, silence, staleWorkspace } from "../src/index.ts";
import { viewedFile } from "../src/command-text.ts";
import { startRun, tell } from "./case-driver.ts";
import cases from "./cases/seed-cases.json" with { type: "json" };

type Given = object;
interface SeedCase {
  readonly area: string;
  readonly name: string;
  readonly given: Given;
  readonly expected: Given;
}
interface CallGiven {
  readonly tool: string;
  readonly args: object;
  readonly ok?: boolean;
  readonly exit_code?: number;
  readonly error?: string;
  readonly control?: string;
}

const all = cases as unknown as readonly SeedCase[];
const area = (...names: readonly string[]): readonly SeedCase[] => all.filter((entry) => names.includes(entry.area));
const asCase = ({ tool, args, ok = true, exit_code, error }: CallGiven) =>
  ({ type: "tool" as const, name: tool, args, ok, output: ok ? (exit_code === undefined ? "same" : "fatal: read-only file system") : (error ?? "failed"), ...(exit_code !== undefined && { exit_code }) });

/** Feeds calls and gives the log of what was decided. */
function play(calls: readonly CallGiven[], options: Parameters<typeof startRun>[0]) {
  const { run, log } = startRun(options);
  for (const call of calls) {
    if (call.control === "reset") run.record({ type: "message.received", text: "start over" });
    else tell(run, asCase(call));
  }
  return { run, log, raised: log.flatMap((event) => (event.type === "alert.raised" ? [event] : [])) };
}

it("covers every case of its areas", () => {
  const covered = ["watchdog.fingerprint", "watchdog.severity", "watchdog.exact", "watchdog.window", "watchdog.global", "watchdog.signature", "watchdog.heartbeat", "watchdog.restart", "circuit.skip", "circuit.reset", "circuit.trip", "circuit.scope", "review.pattern", "review.summary", "review.streak", "review.verdict", "review.feedback", "review.budget", "reminder.immediate", "reminder.entry", "stalemate", "archiver.prompts", "loop.text_only", "loop.single"];
  expect([...new Set(all.map((entry) => entry.area))].toSorted()).toEqual(covered.toSorted());
});

describe("fingerprints and counts", () => {
  it.each(area("watchdog.fingerprint"))("$name", ({ given, expected }) => {
    const { calls, commands, tool, raw_args } = given as { calls?: CallGiven[]; commands?: string[]; tool?: string; raw_args?: string };
    if (commands !== undefined) expect(commands.map((command) => viewedFile(command) ?? null)).toEqual((expected as { file_targets: unknown }).file_targets);
    else if (raw_args !== undefined) expect(labelOf(fingerprintCall({ tool: tool ?? "", input: raw_args }))).toBe("tool not-json");
    else {
      const about = (calls ?? []).map((call) => aboutPart(fingerprintCall({ tool: call.tool, input: call.args })));
      expect(new Set(about).size === 1).toBe((expected as { same_fingerprint: boolean }).same_fingerprint);
    }
  });

  it.each(area("watchdog.severity"))("$name", ({ given, expected }) => {
    expect(severityOf((given as { repeat_count: number }).repeat_count)).toBe((expected as { severity: string }).severity);
  });

  it.each(area("watchdog.exact"))("$name", ({ given, expected }) => {
    const { raised } = play((given as { events: CallGiven[] }).events, { policies: [repeatedCall()] });
    const { loop_detected, loop_tool } = expected as { loop_detected?: boolean; loop_tool?: string };
    expect(raised.length > 0).toBe(loop_detected ?? true);
    if (loop_tool !== undefined) expect(raised[0]?.evidence).toMatchObject({ tool: loop_tool });
  });

  it.each(area("watchdog.window"))("$name", ({ given, expected }) => {
    const { config, events } = given as { config: { threshold: number; window?: number }; events: CallGiven[] };
    const { raised } = play(events, { policies: [repeatedCall({ times: config.threshold + 1 }), interleavedRepeat({ times: config.threshold, ...(config.window !== undefined && { window: config.window }) })] });
    const { loop_detected, repeat_count } = expected as { loop_detected: boolean; repeat_count?: number };
    expect(raised.length > 0).toBe(loop_detected);
    if (repeat_count !== undefined) expect(raised[0]?.count).toBe(repeat_count);
  });

  it.each(area("watchdog.global"))("$name", ({ given, expected }) => {
    interface Shared { worker: string; fingerprint?: string; call?: CallGiven }
    const { config, shared_events, then } = given as { config?: { shared_threshold: number }; shared_events: Shared[]; then?: Shared };
    const run = createRun({ policies: [crossAgentLoop(config === undefined ? {} : { times: config.shared_threshold })] });
    const share = ({ worker, fingerprint, call }: Shared): void => {
      const print = fingerprint ?? fingerprintCall({ tool: call?.tool ?? "", input: call?.args });
      run.record({ type: "child.progressed", child: worker, toolCalls: 1, fingerprints: [print] });
    };
    shared_events.forEach(share);
    const before = run.view.alerts.size > 0;
    if (then !== undefined) share(then);
    const { global_loop, global_loop_before, global_loop_after } = expected as { global_loop?: boolean; global_loop_before?: boolean; global_loop_after?: boolean };
    expect(before).toBe(global_loop ?? global_loop_before);
    expect(run.view.alerts.size > 0).toBe(global_loop ?? global_loop_after);
  });

  it.each(area("watchdog.signature"))("$name", ({ given, expected }) => {
    const signatures = (given as { observations: Parameters<typeof failureSignature>[0][] }).observations.map(failureSignature);
    expect(new Set(signatures).size === 1).toBe((expected as { same_signature: boolean }).same_signature);
  });

  it.each(area("stalemate"))("$name", ({ given, expected }) => {
    const { config, workspace_hashes } = given as { config: { max_stale: number }; workspace_hashes: string[] };
    const run = createRun({ policies: [staleWorkspace({ times: config.max_stale })] });
    const aborts = workspace_hashes.map((hash) => {
      run.record({ type: "workspace.observed", hash });
      return run.view.alerts.size > 0;
    });
    const { abort, abort_per_call, stale_count } = expected as { abort?: boolean; abort_per_call?: boolean[]; stale_count?: number };
    if (abort_per_call !== undefined) expect(aborts).toEqual(abort_per_call);
    if (abort !== undefined) expect(aborts.at(-1)).toBe(abort);
    // The count shows at the threshold: an alert at exactly that many, none at one more.
    for (const times of [stale_count ?? 1, (stale_count ?? 1) + 1].filter((limit) => limit > 0)) {
      const probe = createRun({ policies: [staleWorkspace({ times })] });
      for (const hash of workspace_hashes) probe.record({ type: "workspace.observed", hash });
      if (stale_count !== undefined) expect(probe.view.alerts.size > 0).toBe(times <= stale_count);
    }
  });
});

describe("circuits", () => {
  it.each(area("circuit.skip", "circuit.reset", "circuit.trip", "circuit.scope"))("$name", ({ given, expected }) => {
    const { config, calls, errors, outcomes, events, query, finishing_tool } = given as { config: { max?: number }; calls?: number; errors?: string[]; outcomes?: string[]; events?: CallGiven[]; query?: CallGiven; finishing_tool?: string };
    const one = (ok: boolean, error = "E"): CallGiven => ({ tool: finishing_tool ?? "t", args: { command: "x" }, ok, error });
    const list = events ?? errors?.map((error) => one(false, `error ${"abcdefgh"[Number(error)] ?? error}`)) ?? outcomes?.map((outcome) => one(outcome === "ok")) ?? Array.from({ length: calls ?? 0 }, () => one(false));
    const { run, log } = startRun({ mode: "gate", policies: [circuitBreaker(config)] });
    let executions = 0;
    let skipped = 0;
    const open: boolean[] = [];
    for (const call of list) {
      run.beforeTurn();
      const answer = run.beforeTool({ tool: call.tool, input: call.args });
      if (answer.allow) {
        executions += 1;
        run.record({ type: "tool.finished", call: answer.call, outcome: call.ok === true ? "ok" : "error", output: call.ok === true ? "fine" : (call.error ?? "E") });
      } else skipped += 1;
      open.push(isOpen(call));
    }
    function isOpen({ tool, args }: CallGiven): boolean {
      run.beforeTurn();
      const { allow, call } = run.beforeTool({ tool, input: args });
      if (allow) run.record({ type: "tool.finished", call, outcome: "denied" });
      return !allow;
    }
    const wanted = expected as { executions?: number; skipped?: number; open?: boolean; open_after_each?: boolean[]; last_error?: string; finished?: boolean };
    if (wanted.executions !== undefined) expect(executions).toBe(wanted.executions);
    if (wanted.skipped !== undefined) expect(skipped).toBe(wanted.skipped);
    if (wanted.open_after_each !== undefined) expect(open).toEqual(wanted.open_after_each);
    if (wanted.open !== undefined) expect(query === undefined ? open.at(-1) : isOpen(query)).toBe(wanted.open);
    if (wanted.last_error !== undefined) expect(log.findLast((event) => event.type === "tool.refused")?.text).toContain(wanted.last_error);
    if (wanted.finished !== undefined) expect(run.outcome !== undefined).toBe(wanted.finished);
  });
});

describe("reviews", () => {
  it.each(area("review.pattern"))("$name", ({ given, expected }) => {
    const { run } = play((given as { events: CallGiven[] }).events, { policies: [activityLog()] });
    const log = run.view.read(activityLogKey);
    if (log === undefined) throw new Error("The log is missing.");
    const analysis = analyzePattern(log);
    const kinds = analysis.findings.map(({ kind }) => kind);
    const { alert, findings, findings_include, findings_any_of, failed, total, count } = expected as { alert?: boolean; findings?: string[]; findings_include?: string[]; findings_any_of?: string[]; failed?: number; total?: number; count?: Record<string, number> };
    if (alert !== undefined) expect(analysis.alert).toBe(alert);
    if (findings !== undefined) expect(kinds).toEqual(findings);
    if (findings_include !== undefined) expect(kinds).toEqual(expect.arrayContaining(findings_include));
    if (findings_any_of !== undefined) expect(findings_any_of.some((kind) => kinds.includes(kind))).toBe(true);
    if (failed !== undefined) expect({ failed: analysis.failed, total: analysis.total }).toEqual({ failed, total });
    for (const [kind, times] of Object.entries(count ?? {})) expect(kinds.filter((found) => found === kind)).toHaveLength(times);
    expect(analysis.text.includes("ALERT")).toBe(analysis.alert);
  });

  it.each(area("review.summary"))("$name", ({ given, expected }) => {
    const { result, result_chars } = given as { result?: { text: string; is_error: boolean }; result_chars?: number };
    const line = renderResult({ text: result?.text ?? "x".repeat(result_chars ?? 0), failed: result?.is_error ?? false });
    const { prefix, ends_with, summary_chars_max } = expected as { prefix?: string; ends_with?: string; summary_chars_max?: number };
    if (prefix !== undefined) expect(line.startsWith(prefix)).toBe(true);
    if (ends_with !== undefined) expect(line.endsWith(ends_with)).toBe(true);
    if (summary_chars_max !== undefined) expect(line.length).toBeLessThanOrEqual(summary_chars_max);
  });

  it.each(area("review.budget"))("$name", ({ given, expected }) => {
    const { budget, count_before } = given as { budget: number; count_before: number };
    const { run } = play(Array.from({ length: count_before + 1 }, (_, n) => ({ tool: "bash", args: { command: `c${String(n)}` } })), { policies: [activityLog()] });
    const text = buildReview(run.view, { budget });
    expect(text.length > 0).toBe((expected as { content_nonempty: boolean }).content_nonempty);
    expect(text).toContain((expected as { content_mentions: string }).content_mentions);
  });

  const delivery = definePhaseGraph({ name: "work", initial: "coding", phases: { planning: { next: ["coding"] }, coding: { next: ["planning"], final: true } } });
  it.each(area("review.verdict"))("$name", ({ given, expected }) => {
    const { feedback } = given as { feedback?: string };
    const run = createRun({ graph: delivery, policies: [review({ turns: 1 })] });
    run.beforeTurn();
    run.record({ type: "model.answered" });
    const { review: asked } = run.beforeTurn();
    run.record({ type: "review.finished", review: asked?.review ?? "", verdict: "needs-changes", ...(feedback !== undefined && { feedback }) });
    const { phase, phase_any_of } = expected as { phase?: string; phase_any_of?: string[] };
    expect(phase_any_of ?? [phase]).toContain(run.view.phase);
    run.record({ type: "model.answered" });
    if (feedback !== undefined) expect(run.beforeTurn().message).toContain(feedback);
  });

  it.each(area("review.feedback"))("$name", () => {
    const { run, log } = startRun({ policies: [review({ turns: 1 })] });
    run.beforeTurn();
    run.record({ type: "model.answered" });
    const { review: asked } = run.beforeTurn();
    const before = run.view.now;
    run.record({ type: "review.finished", review: asked?.review ?? "", verdict: "approve" });
    const stored = log.find(({ type }) => type === "review.finished");
    expect(stored?.at).toBeGreaterThanOrEqual(before);
    expect(stored?.at).toBeLessThanOrEqual(run.view.now);
  });

  const turnOf = (run: ReturnType<typeof startRun>["run"], agent?: string) => {
    run.record({ type: "model.answered" });
    return run.beforeTurn(agent === undefined ? {} : { agent });
  };
  it.each(area("review.streak"))("$name", ({ given, expected }) => {
    const { past_needs_changes, verdicts } = given as { past_needs_changes?: number; verdicts?: { agent: string; kind: string }[] };
    const { run, log } = startRun({ policies: [review({ turns: 0 })] });
    if (past_needs_changes !== undefined) {
      for (let n = 0; n < past_needs_changes; n += 1) run.record({ type: "review.finished", review: turnOf(run).review?.review ?? "", verdict: "needs-changes" });
      const asked = log.filter(({ type }) => type === "review.requested").length;
      turnOf(run);
      expect(log.filter(({ type }) => type === "review.requested")).toHaveLength(asked);
      expect(run.view.stopped).toMatchObject({ reason: "abandoned", by: "review" });
      return;
    }
    // Counted per agent: what one agent is told does not warn the reviewer of another.
    for (const { agent, kind } of verdicts ?? []) if (kind === "budget") run.record({ type: "review.finished", review: turnOf(run, agent).review?.review ?? "", verdict: "needs-changes" });
    const { streaks } = expected as { streaks: Record<string, number> };
    for (const agent of ["c1", "c2"]) {
      const text = turnOf(run, agent).review?.text ?? "";
      expect(text.includes(`3rd "needs changes"`)).toBe((streaks[`${agent}.budget`] ?? 0) === 2);
      run.record({ type: "review.finished", review: [...run.view.reviews.keys()][0] ?? "", verdict: "approve", feedback: "go on" });
    }
  });
});

describe("reminders and obligations", () => {
  const planning = definePhaseGraph({ name: "plan", initial: "planning", phases: { planning: { next: ["coding"], purpose: "explore and plan", activities: { deny: ["edit"] } }, coding: { next: [], final: true } } });

  it.each(area("reminder.immediate"))("$name", ({ given, expected }) => {
    const { run } = startRun({ graph: planning, policies: [reminders()] });
    for (const call of (given as { events: CallGiven[] }).events) tell(run, asCase(call));
    const { message } = run.beforeTurn();
    for (const words of (expected as { mentions: string[] }).mentions) expect(message).toContain(words);
  });

  it.each(area("reminder.entry"))("$name", ({ given, expected }) => {
    const { agent, role, interactions } = given as { agent: string; role?: string; interactions: { phase: "chat" | "plan" }[] };
    // Who routes gets no guidance: the graph names the agents it is for.
    const guidance = (phase: string) => (role === "router" ? { someone: phase } : { default: `You are in ${phase}.` });
    const graph = definePhaseGraph({ name: "talk", initial: "chat", phases: { chat: { next: ["plan"], guidance: guidance("chat") as never }, plan: { next: [], final: true, guidance: guidance("plan") as never } } });
    const run = createRun({ graph });
    const told = interactions.map(({ phase }) => {
      if (run.view.phase !== phase) run.transition(phase, { by: "agent" });
      run.record({ type: "model.answered" });
      return run.beforeTurn({ agent }).message;
    });
    const { injected, injected_per_interaction, injected_second, last_seen_phase } = expected as { injected?: string[]; injected_per_interaction?: string[][]; injected_second?: string[]; last_seen_phase?: string[] };
    if (injected !== undefined) expect(told[0] !== undefined).toBe(injected.length > 0);
    if (injected_per_interaction !== undefined) expect(told.map((message) => message !== undefined)).toEqual(injected_per_interaction.map((list) => list.length > 0));
    if (injected_second !== undefined) expect(told[1]).toContain("plan");
    if (last_seen_phase !== undefined) expect(told.map((message, index) => message?.includes(last_seen_phase[index] ?? "?"))).toEqual([true, true]);
  });

  it.each(area("archiver.prompts"))("$name", ({ given, expected }) => {
    const { phases } = given as { phases: string[] };
    const { prompts_sent, reason } = expected as { prompts_sent: number[]; reason: string };
    const sent = phases.map((_phase, index) => {
      const { run } = startRun({ policies: [requiredCall({ tool: "build", prompts: prompts_sent[index] ?? 3 })] });
      let prompts = 0;
      for (; prompts < 20; prompts += 1) {
        if (run.beforeTurn().stop !== undefined) break;
        run.record({ type: "model.answered" });
        run.record({ type: "message.sent", text: `I would rather talk ${String(prompts)}.` });
      }
      expect(run.view.stopped?.reason).toBe(reason);
      return prompts;
    });
    expect(sent).toEqual(prompts_sent);
  });

  it.each(area("loop.text_only", "loop.single"))("$name", ({ given, expected }) => {
    const { run, log } = startRun({ policies: [requiredCall({ tool: "finish" })] });
    const { turns } = given as { turns: string[] };
    for (const turn of turns) {
      run.beforeTurn();
      run.record({ type: "model.answered" });
      if (turn === "finish") tell(run, asCase({ tool: "finish", args: {} }));
      else run.record({ type: "message.sent", text: "some text" });
    }
    const { reminders: wanted, nudges, model_calls } = expected as { reminders?: number; nudges?: number; model_calls: number };
    expect(log.filter(({ type }) => type === "nudge.sent")).toHaveLength(wanted ?? nudges ?? 0);
    expect(run.view.usage.modelCalls).toBe(model_calls);
    expect(run.view.stopped).toBeUndefined();
  });

  it.each(area("watchdog.heartbeat"))("$name", ({ given, expected }) => {
    const { config, agent } = given as { config: { timeout_min: number }; agent: { phase: string; silent_min: number } };
    const graph = definePhaseGraph({ name: "one", initial: agent.phase, phases: { [agent.phase]: { next: [], final: true }, waiting: { next: [], final: true } } });
    let now = 0;
    const run = createRun({ graph, clock: () => now, policies: [silence({ afterMs: config.timeout_min * 60_000, stops: true })] });
    run.beforeTurn();
    now = agent.silent_min * 60_000;
    run.tick();
    expect(run.view.stopped !== undefined).toBe((expected as { stopped: boolean }).stopped);
  });

  it.each(area("watchdog.restart"))("$name", ({ given, expected }) => {
    expect((given as { cases: object[] }).cases.map(mayRestart)).toEqual((expected as { restart: boolean[] }).restart);
  });
});
