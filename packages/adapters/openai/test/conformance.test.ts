import { describe, expect, it } from "vitest";
import { describeAdapter } from "@phasekit/core/testing";
import { listedMajors, majors } from "./majors.ts";
import { openAiHarness } from "./openai-harness.ts";

for (const major of majors) {
  for (const style of ["wrapped", "explicit"] as const) {
    for (const api of ["chat", "responses"] as const)
      describeAdapter(openAiHarness(major, { api, style }), { describe, it });
  }
}

describe("the majors of openai", () => {
  it("are all the ones package.json lists, each by its own version", () => {
    console.log(`openai: ${majors.map(({ version }) => version).join(", ")}`);
    expect(majors.map(({ major }) => major)).toEqual(listedMajors());
    for (const { major, version } of majors) expect(Number(version.split(".")[0])).toBe(major);
  });
});
