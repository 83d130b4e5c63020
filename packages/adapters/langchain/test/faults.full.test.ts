import { describeFaults } from "@phasekit/tooling/adapter-suite";
import { buildAgent, langchainHarness } from "./langchain-harness.ts";
import { openAiModels } from "./scripted-models.ts";

const chat = { cannot: ["quota", "stream"] as const, connect: openAiModels(), build: buildAgent };
describeFaults(langchainHarness({ name: "createAgent, @langchain/openai, invoke", ...chat }));
