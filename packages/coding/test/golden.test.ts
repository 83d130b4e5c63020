import { replayRun } from "@phasekit/core";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { withCurrentGates } from "../../ledger/test/with-current-gates.ts";
import { codingRunOptions } from "../src/index.ts";

const GOLDEN = `${import.meta.dirname}/../../ledger/test/golden/v3`;
const runs = readdirSync(GOLDEN).filter((name) => /^coding-[a-z]+$/.test(name));

// The folds of all default policies read what an earlier version stored, and nothing is decided anew.
describe.each(runs)("the golden run %s", (id) => {
  it("replays with the default policies to the stored phase, nudges and outcome", async () => {
    const events = await readRun(createFileStore(GOLDEN), id);
    const { run, missing } = replayRun(events, codingRunOptions());
    const expected = withCurrentGates(readFileSync(`${GOLDEN}/${id}.json`, "utf8"));
    const { view } = JSON.parse(expected) as { view: Record<string, unknown> };
    const { phaseEntry, turn, toolCalls, nudges, outcome } = run.view;
    expect(missing).toEqual([]);
    expect(JSON.parse(JSON.stringify({ phaseEntry, turn, toolCalls, nudges, outcome }))).toEqual({
      phaseEntry: view["phaseEntry"],
      turn: view["turn"],
      toolCalls: view["toolCalls"],
      nudges: view["nudges"],
      outcome: view["outcome"],
    });
  });
});
