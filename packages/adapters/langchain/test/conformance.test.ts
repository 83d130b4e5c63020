import { describeAdapter } from "@phasekit/core/testing";
import * as oldest from "langchain-oldest";
import { describe, it } from "vitest";
import { buildAgent, buildGraph, type LangChain, langchainHarness } from "./langchain-harness.ts";
import { fakeModels, openAiModels } from "./scripted-models.ts";

// No chat model of LangChain exposes response headers; the fake ones neither wait nor stream.
const fakes = {
  cannot: ["quota", "abort", "stream"] as const,
  can: ["finish", "reasoning", "user", "compact"] as const,
  connect: fakeModels,
};
// Chat completions of OpenAI have no reasoning text, so LangChain does not read any.
const chat = { cannot: ["quota"] as const, can: ["finish", "user", "compact"] as const, connect: openAiModels() };
// The graph of the harness keeps its history.
const graph = ["finish", "user"] as const;

describeAdapter(langchainHarness({ name: "createAgent, fake models", ...fakes, build: buildAgent }), { describe, it });
describeAdapter(langchainHarness({ name: "createAgent, @langchain/openai, invoke", ...chat, build: buildAgent }), {
  describe,
  it,
});
describeAdapter(
  langchainHarness({ name: "createAgent, @langchain/openai, stream", ...chat, streams: true, build: buildAgent }),
  { describe, it },
);
// The tests avoid the differences in the types of the oldest version.
describeAdapter(
  langchainHarness({
    name: "createAgent of langchain 1.3.0, @langchain/openai, invoke",
    ...chat,
    build: (host, source) => buildAgent(host, source, oldest as unknown as LangChain),
  }),
  { describe, it },
);
// A hand-made graph denies nothing by itself, and only its caller sees its end.
describeAdapter(
  langchainHarness({
    name: "StateGraph, fake models",
    connect: fakeModels,
    cannot: [...fakes.cannot, "deny", "end"],
    can: [...graph, "reasoning"],
    build: buildGraph,
  }),
  { describe, it },
);
describeAdapter(
  langchainHarness({
    name: "StateGraph, @langchain/openai, invoke",
    connect: chat.connect,
    cannot: [...chat.cannot, "deny", "end"],
    can: graph,
    build: buildGraph,
  }),
  { describe, it },
);
describeAdapter(
  langchainHarness({
    name: "StateGraph, @langchain/openai, stream",
    connect: chat.connect,
    cannot: [...chat.cannot, "deny", "end"],
    can: graph,
    streams: true,
    build: buildGraph,
  }),
  { describe, it },
);
