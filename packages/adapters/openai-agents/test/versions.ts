import * as newest from "@openai/agents";
import * as agents18 from "agents18";
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";

/** The part of the SDK the tests use, with the types of the newest version. */
type Sdk = typeof newest;

export interface Version {
  readonly version: string;
  readonly sdk: Sdk;
  /** A provider over the OpenAI API that does not retry. */
  readonly connect: (baseURL: string, api: Api) => newest.ModelProvider;
}
export type Api = "chat" | "responses";

const kinds = { "@openai/agents": newest, agents18 } as const;

/** The newest version and the oldest of the peer range. */
export const versions: readonly Version[] = Object.entries(kinds).map(([name, module]) => {
  const manifest = realpathSync(`${import.meta.dirname}/../node_modules/${name}/package.json`);
  const sdk = module as unknown as Sdk;
  // Traces go to a server of OpenAI.
  sdk.setTracingDisabled(true);
  return {
    version: (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version,
    sdk,
    connect: (baseURL, api) => {
      const { OpenAI } = createRequire(manifest)("openai") as { OpenAI: new (options: object) => never };
      const openAIClient = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
      return new sdk.OpenAIProvider({ openAIClient, useResponses: api === "responses" });
    },
  };
});

export const latest = versions[0]!;
