import { readFileSync } from "node:fs";
import { OpenAI as OpenAI7 } from "openai";
import { OpenAI as OpenAI5 } from "openai5";
import { OpenAI as OpenAI6 } from "openai6";

/** The supported majors, each with its library. */
const classes = { 5: OpenAI5, 6: OpenAI6, 7: OpenAI7 } as const;

/** A client of one major. All majors use the types of the newest; the tests avoid the differences. */
export type Client = OpenAI7;

export interface Major {
  readonly major: number;
  readonly version: string;
  readonly connect: (baseURL: string) => Client;
}

export const majors: readonly Major[] = Object.entries(classes).map(([major, Client]) => ({
  major: Number(major),
  version: versionOf(major === "7" ? "openai" : `openai${major}`),
  connect: (baseURL) => new Client({ baseURL, apiKey: "none", maxRetries: 0 }) as unknown as Client,
}));

/** The majors of the peer range in package.json. */
export function listedMajors(): readonly number[] {
  const { peerDependencies } = JSON.parse(readFileSync(`${import.meta.dirname}/../package.json`, "utf8")) as {
    peerDependencies: { openai: string };
  };
  return peerDependencies.openai.split("||").map((range) => Number(/\d+/.exec(range)?.[0]));
}

function versionOf(name: string): string {
  const manifest = readFileSync(`${import.meta.dirname}/../node_modules/${name}/package.json`, "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
