import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeAdapter } from "@phasekit/core/testing";
import { agentsHarness } from "./agents-harness.ts";
import { versions } from "./versions.ts";

for (const version of versions) {
  for (const api of ["responses", "chat"] as const) describeAdapter(agentsHarness(version, api), { describe, it });
}

describe("the versions of @openai/agents", () => {
  it("are the newest and the oldest of the peer range", () => {
    console.log(`@openai/agents: ${versions.map(({ version }) => version).join(", ")}`);
    const { peerDependencies } = JSON.parse(readFileSync(`${import.meta.dirname}/../package.json`, "utf8")) as {
      peerDependencies: Readonly<Record<string, string>>;
    };
    expect(peerDependencies["@openai/agents"]).toBe(">=0.18 <1");
    expect(versions.map(({ version }) => version.split(".").slice(0, 2).join("."))).toEqual(["0.20", "0.18"]);
  });
});
