import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Verdaccio asks for a release of node-fetch by its tag, which not every mirror of npm has. */
const MANIFEST = { private: true, dependencies: { verdaccio: "6.10.4" }, overrides: { "node-fetch": "2.7.0" } };

/** A registry on this machine: our packages are published to it, everything else comes from the registry of npm. */
export interface LocalRegistry {
  readonly url: string;
  /** A file of npm settings that may publish to it, and installs from it. */
  readonly userconfig: string;
  /** Refuses every publish after the next `count`. Without a count, all are accepted again. */
  readonly acceptOnly: (count?: number) => void;
  /** The packages that were published, in order. */
  readonly published: readonly string[];
  readonly stop: () => void;
}

interface StartOptions {
  /** Where Verdaccio is installed, and stays. */
  readonly programs: string;
  /** Where this registry keeps its packages. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export async function startRegistry({ programs, folder, signal }: StartOptions): Promise<LocalRegistry> {
  const program = await installVerdaccio(programs, signal);
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  writeFileSync(join(folder, "config.json"), JSON.stringify(await settings(folder)));
  const child = spawn(
    process.execPath,
    [program, "--config", join(folder, "config.json"), "--listen", `127.0.0.1:${String(port)}`],
    {
      stdio: "ignore",
      signal,
    },
  );
  // Ctrl-C aborts it; its exit is not news then.
  child.on("error", () => undefined);
  const stop = (): void => void child.kill("SIGKILL");
  try {
    await answers(`http://127.0.0.1:${String(port)}/-/ping`, signal);
    const counter = await startCounter(port);
    const userconfig = join(folder, "npmrc");
    const token = await tokenFor(`http://127.0.0.1:${String(port)}`);
    const place = counter.url.slice("http:".length);
    writeFileSync(userconfig, `registry=${counter.url}/\n${place}/:_authToken=${token}\n`);
    const stopAll = (): void => {
      counter.close();
      stop();
    };
    return { ...counter, userconfig, stop: stopAll };
  } catch (error) {
    stop();
    throw error;
  }
}

async function installVerdaccio(programs: string, signal: AbortSignal): Promise<string> {
  const folder = join(programs, "verdaccio");
  const program = join(folder, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(MANIFEST));
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    signal,
  });
  return program;
}

async function settings(folder: string): Promise<object> {
  const { stdout } = await run("npm", ["config", "get", "registry"]);
  const ours = { access: "$all", publish: "$authenticated", unpublish: "$authenticated" };
  return {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { npm: { url: stdout.trim(), timeout: "60s", maxage: "1h" } },
    packages: { "@phasekit/*": ours, phasekit: ours, "**": { access: "$all", proxy: "npm" } },
    max_body_size: "100mb",
    web: { enable: false },
    log: { type: "file", path: join(folder, "log"), level: "warn" },
  };
}

/** Passes every request on, and counts and refuses those that publish. */
async function startCounter(
  port: number,
): Promise<Omit<LocalRegistry, "userconfig" | "stop"> & { readonly close: () => void }> {
  const published: string[] = [];
  let left = Infinity;
  const server = createServer((asked, answer) => {
    if (asked.method === "PUT" && !asked.url?.startsWith("/-/")) {
      if (left <= 0) {
        answer
          .writeHead(403, { "content-type": "application/json" })
          .end('{"error":"The registry refuses this publish."}');
        asked.resume();
        return;
      }
      left -= 1;
      published.push(decodeURIComponent(asked.url?.slice(1) ?? ""));
    }
    const { method, url, headers } = asked;
    const passed = request({ host: "127.0.0.1", port, method, path: url, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    acceptOnly: (count = Infinity) => void (left = count),
    published,
    close: () => void server.close(),
  };
}

/** The token of a new user, as `npm adduser` gets one. */
async function tokenFor(url: string): Promise<string> {
  const user = { name: "rehearsal", password: "rehearsal", type: "user" };
  const response = await fetch(`${url}/-/user/org.couchdb.user:rehearsal`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user),
  });
  const { token } = (await response.json()) as { readonly token?: string };
  if (token === undefined) throw new Error(`The registry gave no token: ${String(response.status)}.`);
  return token;
}

async function answers(url: string, signal: AbortSignal): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await delay(200, undefined, { signal });
  }
  throw new Error("The local registry did not start.");
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
