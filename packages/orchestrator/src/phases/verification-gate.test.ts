import { describe, expect, it } from "vitest";
import { scripted } from "../__fixtures__/scripted-conversation.ts";

const at = (phase: string) => ({ agents: ["executor"], phase, reason: `to ${phase}` });
const cycle = [at("execute"), at("verification"), at("chores"), at("reflection")];

describe("verificationGate", () => {
  it.each([
    { passed: undefined, verified: false, grade: "claimed", why: "has no outcome" },
    { passed: true, verified: true, grade: "supported", why: 'Agent "executor" says that the work passed' },
    { passed: false, verified: false, grade: "claimed", why: "found issues (executor)" },
  ])("a cycle whose verification says $passed ends $grade", async ({ passed, verified, grade, why }) => {
    const { conversation } = scripted({
      decisions: cycle,
      work: {
        executor: ({ phase }) => ({ text: "x", ...(phase === "verification" && passed !== undefined && { passed }) }),
      },
    });
    const { outcome } = await conversation.send("Add it");
    expect(outcome).toMatchObject({ verified, evidence: { grade } });
    expect(outcome?.evidence.why).toContain(why);
  });

  it("a check in the verification phase proves the work", async () => {
    const { conversation } = scripted({
      decisions: cycle,
      work: {
        executor: ({ phase }) => {
          if (phase === "verification")
            conversation.run.record({ type: "check.finished", check: "tests", outcome: "success" });
          return "x";
        },
      },
    });
    expect(await conversation.send("Add it")).toMatchObject({
      outcome: {
        verified: true,
        evidence: { grade: "proven", why: 'The check "tests" passed in phase "verification".' },
      },
    });
  });
});
