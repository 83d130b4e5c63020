import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { listIn, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { parseObject } from "../client/parse-object.ts";

/** A hook as Codex knows it. */
export interface CodexHook {
  /** The file, the event and the place in it. */
  readonly key: string;
  readonly command: string;
  /** The hash Codex compares with the one the user trusted. */
  readonly currentHash: string;
  readonly trustStatus: string;
}

/**
 * Asks Codex itself which hooks it has and trusts, over its app server; undefined if there is no Codex to ask.
 * Nothing is changed and no model is called.
 */
export function readCodexHooks({
  command = "codex",
  cwd,
  env,
  limitMs = 10_000,
}: {
  readonly command?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs?: number;
}): Promise<readonly CodexHook[] | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, ["app-server"], { cwd, env: { ...env }, stdio: ["pipe", "pipe", "ignore"] });
    const timer = setTimeout(() => done(undefined), limitMs);
    const done = (hooks: readonly CodexHook[] | undefined): void => {
      clearTimeout(timer);
      child.kill();
      resolve(hooks);
    };
    const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
    child.on("error", () => done(undefined));
    child.on("exit", () => done(undefined));
    child.stdin.on("error", () => undefined);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, result } = parseObject(line);
      if (id === 1) {
        send({ method: "initialized" });
        send({ id: 2, method: "hooks/list", params: { cwds: [cwd] } });
      } else if (id === 2) done(hooksIn(result));
    });
    send({ id: 1, method: "initialize", params: { clientInfo: { name: "phasekit", version: "1" } } });
  });
}

function hooksIn(result: unknown): readonly CodexHook[] {
  return listIn(toObject(result)["data"])
    .flatMap((folder) => listIn(toObject(folder)["hooks"]))
    .map(toObject)
    .map(({ key, command, currentHash, trustStatus }) => ({
      key: textIn(key),
      command: textIn(command),
      currentHash: textIn(currentHash),
      trustStatus: nameIn(trustStatus) ?? "unknown",
    }));
}
