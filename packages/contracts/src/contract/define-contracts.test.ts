import { isPhasekitError } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { defineContracts } from "./define-contracts.ts";

describe("defineContracts", () => {
  it("leads each contract to the next one, in version 1", () => {
    const { initial, byPhase } = defineContracts([{ phase: "plan", body: "Write it." }, { phase: "ready" }]);
    expect(initial).toBe("plan");
    expect(
      Object.values(byPhase).map(({ phase, next_phase, contract_version, body }) => [
        phase,
        next_phase,
        contract_version,
        body,
      ]),
    ).toEqual([
      ["plan", "ready", 1, "Write it."],
      ["ready", null, 1, ""],
    ]);
  });

  it("has another hash for other fields and another body", () => {
    const hash = (more: object) => defineContracts([{ phase: "plan", ...more }]).byPhase["plan"]?.hash;
    expect(new Set([hash({}), hash({ contract_version: 2 }), hash({ body: "x" })]).size).toBe(3);
    expect(hash({})).toBe(hash({}));
  });

  it.each([
    [
      [{ phase: "Plan" }, { phase: "ready", max_rejections: 0 }],
      /^The contracts have errors:\ncontracts\[0\]:1:1 error: next_phase|phase: a phase name/,
    ],
    [[{ phase: "plan", required_sections: ["risks"] }], /required_sections needs an artifact_path/],
    [[{ phase: "plan", validation: { structural_checks: ["has_owner"] } }], /structural check "has_owner" is unknown/],
    [[], /there are no contracts/],
  ])("%j is refused with its issues", (definitions, message) => {
    const error = ((): unknown => {
      try {
        return defineContracts(definitions);
      } catch (problem) {
        return problem;
      }
    })();
    expect(isPhasekitError(error, "BROKEN_CONTRACTS")).toBe(true);
    expect((error as Error).message).toMatch(message);
  });

  it("knows the checks of the host by name", () => {
    const definitions = [{ phase: "plan", validation: { structural_checks: ["has_owner"] } }];
    expect(defineContracts(definitions, { checks: ["has_owner"] }).initial).toBe("plan");
  });
});
