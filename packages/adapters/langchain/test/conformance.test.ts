import { describeAdapter } from "@phasekit/core/testing";
import * as oldest from "langchain-oldest";
import { describe, it } from "vitest";
import { buildAgent, buildGraph, type LangChain, langchainHarness } from "./langchain-harness.ts";
import { fakeModels, openAiModels } from "./scripted-models.ts";

// No chat model of LangChain shows the headers of an answer; the fake ones neither wait nor stream.
const fakes = { cannot: ["quota", "abort", "stream"] as const, connect: fakeModels };
const chat = { cannot: ["quota"] as const, connect: openAiModels() };

describeAdapter(langchainHarness({ name: "createAgent, fake models", ...fakes, build: buildAgent }), { describe, it });
describeAdapter(langchainHarness({ name: "createAgent, @langchain/openai, invoke", ...chat, build: buildAgent }), { describe, it });
describeAdapter(langchainHarness({ name: "createAgent, @langchain/openai, stream", ...chat, streams: true, build: buildAgent }), { describe, it });
// What differs in the types of the oldest version is not used.
describeAdapter(langchainHarness({ name: "createAgent of langchain 1.3.0, @langchain/openai, invoke", ...chat, build: (host, source) => buildAgent(host, source, oldest as unknown as LangChain) }), { describe, it });
// A graph made by hand denies nothing by itself.
describeAdapter(langchainHarness({ name: "StateGraph, fake models", connect: fakeModels, cannot: [...fakes.cannot, "deny"], build: buildGraph }), { describe, it });
describeAdapter(langchainHarness({ name: "StateGraph, @langchain/openai, invoke", connect: chat.connect, cannot: [...chat.cannot, "deny"], build: buildGraph }), { describe, it });
describeAdapter(langchainHarness({ name: "StateGraph, @langchain/openai, stream", connect: chat.connect, cannot: [...chat.cannot, "deny"], streams: true, build: buildGraph }), { describe, it });
