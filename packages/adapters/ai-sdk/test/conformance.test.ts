import { describe, expect, it } from "vitest";
import { describeAdapter } from "@phasekit/core/testing";
import { aiSdkHarness } from "./ai-sdk-harness.ts";
import { listedMajors, majors } from "./majors.ts";

for (const major of majors) {
  describeAdapter(aiSdkHarness(major, "function"), { describe, it });
  describeAdapter(aiSdkHarness(major, "agent"), { describe, it });
}

describe("the majors of ai", () => {
  it("are all the ones package.json lists, each by its own version", () => {
    console.log(`ai: ${majors.map(({ version }) => version).join(", ")}`);
    expect(majors.map(({ major }) => major)).toEqual(listedMajors());
    for (const { major, version } of majors) expect(Number(version.split(".")[0])).toBe(major);
  });
});
