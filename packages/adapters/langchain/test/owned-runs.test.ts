import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createRun, type RunPort } from "@phasekit/core";
import type { StoredRun } from "@phasekit/ledger";
import { keepRun } from "@phasekit/ledger/keep";
import { createFileStore } from "@phasekit/ledger/node";
import * as newest from "langchain";
import * as oldest from "langchain-oldest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withPhases } from "../src/index.ts";
import { anything, call, drain, hurry, look, say, scriptChat } from "./scripted-chat.ts";

type CreateAgent = typeof newest.createAgent;
const versions = [
  { version: "1.5", createAgent: newest.createAgent },
  { version: "1.3", createAgent: oldest.createAgent as unknown as CreateAgent },
];

/** A function that returns a new run for every call, and the runs it returned. */
function runsOf(): { readonly runs: RunPort[]; readonly source: () => RunPort } {
  const runs: RunPort[] = [];
  const source = (): RunPort => {
    const run = createRun({ policies: [hurry] });
    runs.push(run);
    return run;
  };
  return { runs, source };
}

describe.each(versions)("a run of a function, in an agent of langchain $version", ({ createAgent }) => {
  it.each(["invoke", "stream", "streamEvents"] as const)("ends with the call: %s", async (how) => {
    const { model } = await scriptChat([call("look"), say("One."), call("look"), say("Two.")]);
    const { runs, source } = runsOf();
    const agent = withPhases(source, createAgent({ model, tools: [look()] }));
    for (const turns of [1, 2]) {
      if (how === "invoke") await agent.invoke({ messages: "go" });
      else if (how === "stream") await drain(agent.stream({ messages: "go" }));
      else await drain(Promise.resolve(agent.streamEvents({ messages: "go" }, { version: "v2" })));
      expect(runs.map(({ outcome, view }) => [outcome?.reason, view.turn])).toEqual(Array(turns).fill(["done", 2]));
    }
  });

  it("ends with the error of a call", async () => {
    const { model } = await scriptChat([{ fails: { status: 500, code: "server_error" } }]);
    const { runs, source } = runsOf();
    await expect(withPhases(source, createAgent({ model, tools: [] })).invoke({ messages: "go" })).rejects.toThrow();
    expect(runs.map(({ view, outcome }) => [view.status, outcome?.reason])).toEqual([["ended", "upstream_unhealthy"]]);
  });

  it("ends with the host's own limit, which no middleware sees", async () => {
    const { model } = await scriptChat(() => call("look"));
    const { runs, source } = runsOf();
    const agent = withPhases(source, createAgent({ model, tools: [look()] })).withConfig({ recursionLimit: 4 });
    await expect(agent.invoke({ messages: "go" })).rejects.toThrow("Recursion limit");
    expect(runs.map(({ outcome }) => outcome?.reason)).toEqual(["step_limit"]);
  });

  it("is interrupted if the caller aborts", async () => {
    const controller = new AbortController();
    const { model } = await scriptChat([{ hangs: () => controller.abort() }]);
    const { runs, source } = runsOf();
    const agent = withPhases(source, createAgent({ model, tools: [] }));
    await expect(agent.invoke({ messages: "go" }, { signal: controller.signal })).rejects.toThrow();
    expect(runs.map(({ outcome }) => outcome?.reason)).toEqual(["interrupted"]);
  });

  it("is suspended if the graph is interrupted, and can continue", async () => {
    const { model } = await scriptChat([call("ask"), say("Done.")]);
    const ask = tool(() => String(interrupt("Really?")), { name: "ask", description: "Asks.", schema: anything });
    const run = createRun();
    const checkpointer = new MemorySaver();
    const source = (): RunPort => (run.resume(), run);
    const agent = withPhases(source, createAgent({ model, tools: [ask], checkpointer }));
    const config = { configurable: { thread_id: "1" } };
    await agent.invoke({ messages: "go" }, config);
    expect(run.view.status).toBe("suspended");
    await agent.invoke(new Command({ resume: "yes" }), config);
    expect([run.outcome?.reason, run.view.turn, run.view.toolCalls]).toEqual(["done", 2, 1]);
  });

  it("leaves the agent it was made from as it was, and keeps its default config", async () => {
    const { model } = await scriptChat([say("Bare."), call("look"), call("look"), say("never")]);
    const bare = createAgent({ model, tools: [look()] }).withConfig({ recursionLimit: 4 });
    const { runs, source } = runsOf();
    const wrapped = withPhases(source, bare);
    await bare.invoke({ messages: "go" });
    expect([runs.length, bare.options.middleware]).toEqual([0, undefined]);
    await expect(wrapped.invoke({ messages: "go" })).rejects.toThrow("Recursion limit of 4");
  });
});

it("a kept run of a function is stored with its end when the call is over", async () => {
  const { model } = await scriptChat([say("One."), { fails: { status: 500, code: "server_error" } }]);
  const folder = await mkdtemp(join(tmpdir(), "phasekit-owned-"));
  try {
    const kept: StoredRun[] = [];
    const source = (): RunPort => {
      const run = createRun();
      kept.push(keepRun(run, { folder, quiet: true }));
      return run;
    };
    const agent = withPhases(source, newest.createAgent({ model, tools: [] }));
    await agent.invoke({ messages: "go" });
    await agent.invoke({ messages: "go" }).catch(() => undefined);
    await Promise.all(kept.map(({ flush }) => flush()));
    const stored = await createFileStore(folder).list();
    expect(stored.map(({ reason }) => reason).sort()).toEqual(["done", "upstream_unhealthy"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("a run passed to an agent stays open: its owner ends it", async () => {
  const { model } = await scriptChat([say("Done.")]);
  const run = createRun();
  await withPhases(run, newest.createAgent({ model, tools: [] })).invoke({ messages: "go" });
  expect([run.view.status, run.view.turn]).toEqual(["running", 1]);
});
