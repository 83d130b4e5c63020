import { alert, createRun, definePhaseGraph } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { circuitBreaker, reminders, requiredCall, budgetReview, stall } from "../src/index.ts";
import { analyzePattern } from "../src/review/analyze-pattern.ts";
import { labelOf } from "@phasekit/core/account";
import { buildReview } from "../src/review/build-review.ts";
import { renderResult, reviewState } from "../src/review/review-log.ts";
import { play as playEvent, startRun } from "./case-driver.ts";
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
const asCase = ({ tool, args, ok = true, exit_code, error }: CallGiven) => ({
  type: "tool" as const,
  name: tool,
  args,
  ok,
  output: ok ? (exit_code === undefined ? "same" : "fatal: read-only file system") : (error ?? "failed"),
  ...(exit_code !== undefined && { exit_code }),
});

/** Feeds calls and gives the log of what was decided. */
function play(calls: readonly CallGiven[], options: Parameters<typeof startRun>[0]) {
  const { run, log } = startRun(options);
  for (const call of calls) {
    if (call.control === "reset") run.record({ type: "message.received", text: "start over" });
    else playEvent(run, asCase(call));
  }
  return { run, log, raised: log.flatMap((event) => (event.type === "alert.raised" ? [event] : [])) };
}

it("covers every case of its areas", () => {
  const covered = [
    "watchdog.fingerprint",
    "watchdog.severity",
    "watchdog.exact",
    "watchdog.window",
    "circuit.skip",
    "circuit.reset",
    "circuit.trip",
    "circuit.scope",
    "review.pattern",
    "review.summary",
    "review.streak",
    "review.verdict",
    "review.feedback",
    "review.budget",
    "reminder.immediate",
    "reminder.entry",
    "archiver.prompts",
    "loop.text_only",
    "loop.single",
  ];
  expect([...new Set(all.map((entry) => entry.area))].toSorted()).toEqual(covered.toSorted());
});

describe("identity and repetition", () => {
  /** The identity `reading()` gives a call. */
  const aboutOf = (tool: string, input: unknown): string => {
    const { run, log } = startRun();
    run.beforeTool({ tool, input });
    const [asked] = log.flatMap((event) => (event.type === "tool.requested" ? [event.meaning.about] : []));
    return asked ?? "";
  };

  it.each(area("watchdog.fingerprint"))("$name", ({ given, expected }) => {
    const { calls = [], tool = "", raw_args } = given as { calls?: CallGiven[]; tool?: string; raw_args?: string };
    if (raw_args !== undefined) expect(labelOf(aboutOf(tool, raw_args))).toBe("tool not-json");
    else {
      const abouts = new Set(calls.map((call) => aboutOf(call.tool, call.args)));
      expect(abouts.size === 1).toBe((expected as { same_fingerprint: boolean }).same_fingerprint);
    }
  });

  it.each(area("watchdog.severity"))("$name", ({ given, expected }) => {
    const { severity } = alert({ kind: "repeat", count: (given as { repeat_count: number }).repeat_count });
    expect(severity).toBe((expected as { severity: string }).severity);
  });

  it.each(area("watchdog.exact", "watchdog.window"))("$name", ({ given, expected }) => {
    const { raised } = play((given as { events: CallGiven[] }).events, { policies: [stall()] });
    const { loop_detected = true, loop_tool = "" } = expected as { loop_detected?: boolean; loop_tool?: string };
    const loops = raised.filter(({ kind }) => kind === "stall");
    expect(loops.length > 0).toBe(loop_detected);
    expect(loops[0]?.subject ?? "").toContain(loop_tool);
  });
});

describe("circuits", () => {
  it.each(area("circuit.skip", "circuit.reset", "circuit.trip", "circuit.scope"))("$name", ({ given, expected }) => {
    const { config, calls, errors, outcomes, events, query, finishing_tool } = given as {
      config: { max?: number };
      calls?: number;
      errors?: string[];
      outcomes?: string[];
      events?: CallGiven[];
      query?: CallGiven;
      finishing_tool?: string;
    };
    const one = (ok: boolean, error = "E"): CallGiven => ({
      tool: finishing_tool ?? "t",
      args: { command: "x" },
      ok,
      error,
    });
    const list =
      events ??
      errors?.map((error) => one(false, `error ${"abcdefgh"[Number(error)] ?? error}`)) ??
      outcomes?.map((outcome) => one(outcome === "ok")) ??
      Array.from({ length: calls ?? 0 }, () => one(false));
    const { run, log } = startRun({ mode: "gate", policies: [circuitBreaker(config)] });
    let executions = 0;
    let skipped = 0;
    const open: boolean[] = [];
    for (const call of list) {
      run.beforeTurn();
      const answer = run.beforeTool({ tool: call.tool, input: call.args });
      if (answer.allow) {
        executions += 1;
        run.record({
          type: "tool.finished",
          call: answer.call,
          outcome: call.ok === true ? "ok" : "error",
          output: call.ok === true ? "fine" : (call.error ?? "E"),
        });
      } else skipped += 1;
      open.push(isOpen(call));
    }
    function isOpen({ tool, args }: CallGiven): boolean {
      run.beforeTurn();
      const { allow, call } = run.beforeTool({ tool, input: args });
      if (allow) run.record({ type: "tool.finished", call, outcome: "denied" });
      return !allow;
    }
    const wanted = expected as {
      executions?: number;
      skipped?: number;
      open?: boolean;
      open_after_each?: boolean[];
      last_error?: string;
      finished?: boolean;
    };
    if (wanted.executions !== undefined) expect(executions).toBe(wanted.executions);
    if (wanted.skipped !== undefined) expect(skipped).toBe(wanted.skipped);
    if (wanted.open_after_each !== undefined) expect(open).toEqual(wanted.open_after_each);
    if (wanted.open !== undefined) expect(query === undefined ? open.at(-1) : isOpen(query)).toBe(wanted.open);
    if (wanted.last_error !== undefined)
      expect(log.findLast((event) => event.type === "tool.refused")?.text).toContain(wanted.last_error);
    if (wanted.finished !== undefined) expect(run.outcome !== undefined).toBe(wanted.finished);
  });
});

describe("reviews", () => {
  it.each(area("review.pattern"))("$name", ({ given, expected }) => {
    const { run } = play((given as { events: CallGiven[] }).events, { policies: [budgetReview()] });
    const log = run.view.read(reviewState)?.log;
    if (log === undefined) throw new Error("The log is missing.");
    const analysis = analyzePattern(log.calls, { messages: log.seen });
    const kinds = analysis.findings.map(({ kind }) => kind);
    const { alert, findings, findings_include, findings_any_of, failed, total, count } = expected as {
      alert?: boolean;
      findings?: string[];
      findings_include?: string[];
      findings_any_of?: string[];
      failed?: number;
      total?: number;
      count?: Record<string, number>;
    };
    if (alert !== undefined) expect(analysis.alert).toBe(alert);
    if (findings !== undefined) expect(kinds).toEqual(findings);
    if (findings_include !== undefined) expect(kinds).toEqual(expect.arrayContaining(findings_include));
    if (findings_any_of !== undefined) expect(findings_any_of.some((kind) => kinds.includes(kind))).toBe(true);
    if (failed !== undefined) expect({ failed: analysis.failed, total: analysis.total }).toEqual({ failed, total });
    for (const [kind, times] of Object.entries(count ?? {}))
      expect(kinds.filter((found) => found === kind)).toHaveLength(times);
    expect(analysis.text.includes("ALERT")).toBe(analysis.alert);
  });

  it.each(area("review.summary"))("$name", ({ given, expected }) => {
    const { result, result_chars } = given as { result?: { text: string; is_error: boolean }; result_chars?: number };
    const line = renderResult({
      text: result?.text ?? "x".repeat(result_chars ?? 0),
      failed: result?.is_error ?? false,
    });
    const { prefix, ends_with, summary_chars_max } = expected as {
      prefix?: string;
      ends_with?: string;
      summary_chars_max?: number;
    };
    if (prefix !== undefined) expect(line.startsWith(prefix)).toBe(true);
    if (ends_with !== undefined) expect(line.endsWith(ends_with)).toBe(true);
    if (summary_chars_max !== undefined) expect(line.length).toBeLessThanOrEqual(summary_chars_max);
  });

  it.each(area("review.budget"))("$name", ({ given, expected }) => {
    const { budget, count_before } = given as { budget: number; count_before: number };
    const { run } = play(
      Array.from({ length: count_before + 1 }, (_, n) => ({ tool: "bash", args: { command: `c${n}` } })),
      { policies: [budgetReview()] },
    );
    const text = buildReview(run.view, { budget });
    expect(text.length > 0).toBe((expected as { content_nonempty: boolean }).content_nonempty);
    expect(text).toContain((expected as { content_mentions: string }).content_mentions);
  });

  const delivery = definePhaseGraph({
    name: "work",
    initial: "coding",
    phases: { planning: { next: ["coding"] }, coding: { next: ["planning"], final: true } },
  });
  it.each(area("review.verdict"))("$name", ({ given, expected }) => {
    const { feedback } = given as { feedback?: string };
    const run = createRun({ graph: delivery, policies: [budgetReview({ turns: 1 })] });
    run.beforeTurn();
    run.record({ type: "model.answered" });
    const { review: asked } = run.beforeTurn();
    run.record({
      type: "review.finished",
      review: asked?.review ?? "",
      verdict: "needs-changes",
      ...(feedback !== undefined && { feedback }),
    });
    const { phase, phase_any_of } = expected as { phase?: string; phase_any_of?: string[] };
    expect(phase_any_of ?? [phase]).toContain(run.view.phase);
    run.record({ type: "model.answered" });
    if (feedback !== undefined) expect(run.beforeTurn().message).toContain(feedback);
  });

  it.each(area("review.feedback"))("$name", () => {
    const { run, log } = startRun({ policies: [budgetReview({ turns: 1 })] });
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
    const { past_needs_changes, verdicts } = given as {
      past_needs_changes?: number;
      verdicts?: { agent: string; kind: string }[];
    };
    const { run, log } = startRun({ policies: [budgetReview({ turns: 0 })] });
    if (past_needs_changes !== undefined) {
      for (let n = 0; n < past_needs_changes; n += 1)
        run.record({ type: "review.finished", review: turnOf(run).review?.review ?? "", verdict: "needs-changes" });
      const asked = log.filter(({ type }) => type === "review.requested").length;
      turnOf(run);
      expect(log.filter(({ type }) => type === "review.requested")).toHaveLength(asked);
      expect(run.view.stopped).toMatchObject({ reason: "abandoned", by: "review" });
      return;
    }
    // Counted per agent: what one agent is told does not warn the reviewer of another.
    for (const { agent, kind } of verdicts ?? [])
      if (kind === "budget")
        run.record({
          type: "review.finished",
          review: turnOf(run, agent).review?.review ?? "",
          verdict: "needs-changes",
        });
    const { streaks } = expected as { streaks: Record<string, number> };
    for (const agent of ["c1", "c2"]) {
      const text = turnOf(run, agent).review?.text ?? "";
      expect(text.includes(`3rd "needs changes"`)).toBe((streaks[`${agent}.budget`] ?? 0) === 2);
      run.record({
        type: "review.finished",
        review: [...run.view.reviews.keys()][0] ?? "",
        verdict: "approve",
        feedback: "go on",
      });
    }
  });
});

describe("reminders and obligations", () => {
  const planning = definePhaseGraph({
    name: "plan",
    initial: "planning",
    phases: {
      planning: { next: ["coding"], purpose: "explore and plan", activities: { deny: ["edit"] } },
      coding: { next: [], final: true },
    },
  });

  it.each(area("reminder.immediate"))("$name", ({ given, expected }) => {
    const { run } = startRun({ graph: planning, policies: [reminders()] });
    for (const call of (given as { events: CallGiven[] }).events) playEvent(run, asCase(call));
    const { message } = run.beforeTurn();
    for (const words of (expected as { mentions: string[] }).mentions) expect(message).toContain(words);
  });

  it.each(area("reminder.entry"))("$name", ({ given, expected }) => {
    const { agent, role, interactions } = given as {
      agent: string;
      role?: string;
      interactions: { phase: "chat" | "plan" }[];
    };
    // Who routes gets no guidance: the graph names the agents it is for.
    const guidance = (phase: string) => (role === "router" ? { someone: phase } : { default: `You are in ${phase}.` });
    const graph = definePhaseGraph({
      name: "talk",
      initial: "chat",
      phases: {
        chat: { next: ["plan"], guidance: guidance("chat") as never },
        plan: { next: [], final: true, guidance: guidance("plan") as never },
      },
    });
    const run = createRun({ graph });
    const sent = interactions.map(({ phase }) => {
      if (run.view.phase !== phase) run.transition(phase, { by: "agent" });
      run.record({ type: "model.answered" });
      return run.beforeTurn({ agent }).message;
    });
    const { injected, injected_per_interaction, injected_second, last_seen_phase } = expected as {
      injected?: string[];
      injected_per_interaction?: string[][];
      injected_second?: string[];
      last_seen_phase?: string[];
    };
    if (injected !== undefined) expect(sent[0] !== undefined).toBe(injected.length > 0);
    if (injected_per_interaction !== undefined)
      expect(sent.map((message) => message !== undefined)).toEqual(
        injected_per_interaction.map((list) => list.length > 0),
      );
    if (injected_second !== undefined) expect(sent[1]).toContain("plan");
    if (last_seen_phase !== undefined)
      expect(sent.map((message, index) => message?.includes(last_seen_phase[index] ?? "?"))).toEqual([true, true]);
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
      if (turn === "finish") playEvent(run, asCase({ tool: "finish", args: {} }));
      else run.record({ type: "message.sent", text: "some text" });
    }
    const {
      reminders: wanted,
      nudges,
      model_calls,
    } = expected as { reminders?: number; nudges?: number; model_calls: number };
    expect(log.filter(({ type }) => type === "nudge.sent")).toHaveLength(wanted ?? nudges ?? 0);
    expect(run.view.usage.modelCalls).toBe(model_calls);
    expect(run.view.stopped).toBeUndefined();
  });
});
