import { createOpenAI as createOpenAI4 } from "@ai-sdk/openai";
import { createOpenAI as createOpenAI2 } from "@ai-sdk/openai2";
import { createOpenAI as createOpenAI3 } from "@ai-sdk/openai3";
import * as ai7 from "ai";
import * as ai5 from "ai5";
import * as ai6 from "ai6";
import { readFileSync } from "node:fs";

/** The part of the SDK the tests use, with the types of the newest major. The tests avoid or check the differences. */
type Sdk = typeof ai7;

export interface Major {
  readonly major: number;
  readonly version: string;
  readonly sdk: Sdk;
  /** A chat model over the OpenAI API. */
  readonly connect: (baseURL: string) => (model: string) => ai7.LanguageModel;
}

const kinds = {
  5: { sdk: ai5, createOpenAI: createOpenAI2 },
  6: { sdk: ai6, createOpenAI: createOpenAI3 },
  7: { sdk: ai7, createOpenAI: createOpenAI4 },
} as const;

export const majors: readonly Major[] = Object.entries(kinds).map(([major, { sdk, createOpenAI }]) => ({
  major: Number(major),
  version: versionOf(major === "7" ? "ai" : `ai${major}`),
  sdk: sdk as unknown as Sdk,
  connect: (baseURL) => {
    const provider = createOpenAI({ baseURL, apiKey: "none" });
    return (model) => provider.chat(model);
  },
}));

/** The newest major. */
export const newest = majors.at(-1)!;

/** The majors of the peer range in package.json. */
export function listedMajors(): readonly number[] {
  const { peerDependencies } = JSON.parse(readFileSync(`${import.meta.dirname}/../package.json`, "utf8")) as {
    peerDependencies: { ai: string };
  };
  return peerDependencies.ai.split("||").map((range) => Number(/\d+/.exec(range)?.[0]));
}

function versionOf(name: string): string {
  const manifest = readFileSync(`${import.meta.dirname}/../node_modules/${name}/package.json`, "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
