import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { veto, vouch } from "../policies/decision.ts";
import { defineGate, type GateAnswer } from "../policies/define-gate.ts";
import { type GateFinding, gradeEvidence, isVerified, vouchVerdicts } from "./evidence.ts";
import { requiredPhases } from "../policies/required-phases.ts";
import { definePolicy } from "../policies/policy.ts";

const finding = (verdict: GateFinding["verdict"], why = `${verdict}.`): GateFinding => ({
  gate: verdict,
  verdict,
  why,
});

describe("gradeEvidence", () => {
  it.each<[readonly GateFinding["verdict"][], string, string]>([
    [[], "claimed", "No gate shows that the work is right."],
    [["pass"], "proven", "pass."],
    [["met"], "claimed", "No gate shows that the work is right."],
    [["doubt"], "claimed", "No gate shows that the work is right."],
    [["concerns"], "supported", "concerns."],
    [["pass", "met"], "proven", "pass."],
    [["pass", "doubt"], "supported", "doubt."],
    [["pass", "concerns"], "supported", "concerns."],
    [["not-needed", "met"], "not-needed", "not-needed."],
    [["pass", "not-needed"], "proven", "pass."],
    [["unavailable"], "claimed", "No gate shows that the work is right. unavailable."],
    [["pass", "unavailable"], "proven", "pass. unavailable."],
    [["pass", "fail"], "claimed", "fail."],
    [["not-needed", "fail"], "claimed", "fail."],
  ])("gates that answer %j make the run %s", (verdicts, grade, why) => {
    const evidence = gradeEvidence(verdicts.map((verdict) => finding(verdict)));
    expect(evidence).toMatchObject({ grade, why });
    expect(evidence.gates).toHaveLength(verdicts.length);
  });

  it("gradeEvidence says every sentence once, and cuts a long text", () => {
    expect(gradeEvidence([finding("pass", "Same."), finding("pass", "Same.")]).why).toBe("Same.");
    expect(gradeEvidence([finding("pass", "x".repeat(5000))]).why).toHaveLength(600);
  });

  it("a gate without a sentence is named", () => {
    expect(gradeEvidence([{ gate: "mine", verdict: "pass" }]).why).toBe('Gate "mine" answered "pass".');
  });

  it.each([
    ["proven", true],
    ["supported", true],
    ["claimed", false],
    ["not-needed", false],
  ] as const)("grade %s counts as verified: %s", (grade, verified) => {
    expect(isVerified({ grade })).toBe(verified);
  });
});

describe("defineGate", () => {
  const gated = (answer: GateAnswer | undefined) => {
    const logged = loggedRun({ mode: "gate", policies: [defineGate({ name: "g", check: () => answer })] });
    logged.run.record({ type: "tool.finished", tool: "Edit", outcome: "ok" });
    return logged;
  };

  it.each(vouchVerdicts)("a gate that answers %s lets the run finish and records its sentence", (verdict) => {
    const { run, of } = gated({ verdict, why: "So it is.", evidence: { n: 1 } });
    const answer = run.beforeFinish();
    run.end();
    expect(of("finish.vouched")).toMatchObject([{ gate: "g", verdict, why: "So it is.", evidence: { n: 1 } }]);
    expect(answer).toMatchObject({ accept: true, evidence: run.outcome?.evidence });
    expect(run.outcome?.verified).toBe(verdict === "pass" || verdict === "concerns");
    expect(run.outcome?.reason).toBe("done");
  });

  it("a veto sends the agent back with its text, and people read its sentence", () => {
    const { run, of } = gated({ verdict: "veto", why: "No test ran.", text: "Run the tests." });
    expect(run.beforeFinish()).toMatchObject({
      accept: false,
      text: "<phasekit>\nRun the tests.\n</phasekit>",
      evidence: { grade: "claimed", why: "No test ran." },
    });
    expect(of("finish.vetoed")).toMatchObject([
      { gate: "g", why: "No test ran.", text: "Run the tests.", applied: true },
    ]);
  });

  it("an objection never sends the agent back, and the run ends unverified", () => {
    const { run, of } = gated({ verdict: "objection", why: "No test ran." });
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: false, evidence: { grade: "claimed" } });
    run.end();
    expect(of("finish.vetoed")).toMatchObject([{ held: "objection", applied: false, text: "No test ran." }]);
    expect(run.outcome).toMatchObject({
      reason: "done_unverified",
      verified: false,
      evidence: { grade: "claimed", why: "No test ran.", gates: [{ gate: "g", verdict: "fail" }] },
    });
  });

  it("objections use up no veto", () => {
    const objects = defineGate({ name: "objects", check: () => ({ verdict: "objection", why: "Hm." }) });
    const vetoes = definePolicy({ name: "vetoes", decide: { "finish.requested": () => veto("No.") } });
    const { run, of } = loggedRun({ mode: "gate", policies: [objects, vetoes], maxVetoes: { inAll: 1 } });
    run.beforeFinish();
    expect(of("finish.vetoed").map(({ by, applied }) => [by, applied])).toEqual([
      ["objects", false],
      ["vetoes", true],
    ]);
  });

  it("a gate with nothing to say leaves the run claimed", () => {
    const { run } = gated(undefined);
    run.end();
    expect(run.outcome).toMatchObject({ reason: "done", verified: false, evidence: { grade: "claimed", gates: [] } });
  });

  it("a gate keeps its own state", () => {
    const seen = defineGate({
      name: "seen",
      initial: () => ({ calls: 0 }),
      observe: { "tool.finished": (state) => void (state.calls += 1) },
      check: (_run, { calls }) => ({ verdict: "met", why: `${String(calls)} calls.` }),
    });
    const { run, of } = loggedRun({ policies: [seen] });
    run.record({ type: "tool.finished", tool: "Read", outcome: "ok" });
    run.beforeFinish();
    expect(of("finish.vouched")).toMatchObject([{ why: "1 calls." }]);
  });
});

describe("the evidence of a run", () => {
  it("a run that stopped is claimed, and says so", () => {
    const { run } = loggedRun({ policies: [] });
    run.end({ reason: "turn_limit" });
    expect(run.outcome?.evidence).toEqual({
      grade: "claimed",
      why: "The run ended as turn_limit and not as done, so its work is not verified.",
      gates: [],
    });
  });

  it("required phases that were visited do not verify a run", () => {
    const graph = {
      name: "g",
      initial: "work",
      phases: { work: { next: ["check"] }, check: { next: [], final: true } },
      required: [{ after: "work", visit: "check", before: "end" }],
    } as const;
    const { run } = loggedRun({ graph, policies: [requiredPhases()] });
    run.transition("check");
    run.end();
    expect(run.outcome).toMatchObject({
      reason: "done",
      verified: false,
      evidence: { grade: "claimed", gates: [{ gate: "required-phases", verdict: "met" }] },
    });
  });

  it("vouch() without options proves, and a word that is not a verdict is refused", () => {
    const bare = definePolicy({ name: "bare", decide: { "finish.requested": () => vouch() } });
    const wrong = definePolicy({
      name: "wrong",
      decide: { "finish.requested": () => vouch({ verdict: "great" as never }) },
    });
    const { run, of } = loggedRun({ policies: [bare, wrong] });
    run.end();
    expect(run.outcome?.evidence.grade).toBe("proven");
    expect(of("policy.failed")).toMatchObject([{ policy: "wrong" }]);
  });
});
