import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "../postgres-server.ts";
import { type ReadmeProgram, readmeProgram } from "../tarballs/readme-program.ts";
import { lockedVersions, root } from "../workspace.ts";
import type { LocalRegistry } from "./registry.ts";

const run = promisify(execFile);
const VARIABLE = /^export (\w+)=/;

/** One first page of the docs, followed by a stranger. */
export interface FirstPage {
  readonly name: string;
  /** Prepares the empty folder and its home. Returns variables for the commands. */
  readonly prepare?: (place: Place) => Promise<{ readonly env: NodeJS.ProcessEnv; readonly end: () => Promise<void> }>;
  /**
   * Commands that a stranger types differently, or that run until they are stopped: the command instead, or
   * `undefined` for none.
   */
  readonly instead?: Readonly<Record<string, string | undefined>>;
  /** True to install packages of others in the versions of this workspace. */
  readonly isLocked?: boolean;
  /** Texts that the page's commands have to print. */
  readonly prints: readonly string[];
}

/** An empty folder, and a home of its own. */
interface Place {
  readonly folder: string;
  readonly home: string;
}

export const firstPages: readonly FirstPage[] = [
  { name: "ai-sdk", prints: ["done not-needed"] },
  // Its packages name each other's newest versions, of which a mirror of npm may lack some.
  { name: "langchain", isLocked: true, prints: ["Hello."] },
  { name: "own-loop", prints: ["turn_limit exploring"] },
  {
    name: "coding-agents",
    prepare: leaveSession,
    instead: {
      "npx phasekit why <id>": "npx phasekit why session-1",
      "npx phasekit init claude-code --mode nudge": "npx phasekit init claude-code --mode nudge --yes",
      "npx phasekit watch": "npx phasekit watch --once",
      "npx phasekit tail": "npx phasekit tail --no-follow",
      // Serves until it is stopped.
      "npx phasekit ui ~/.phasekit/runs": undefined,
    },
    prints: ["ENDED", "VERIFIED"],
  },
  {
    name: "team",
    prepare: startDatabase,
    instead: {
      "export PHASEKIT_DATABASE_URL=postgres://user:password@localhost:5432/agents": undefined,
      "npx phasekit ui --db": undefined,
      "npx phasekit worker": "npx phasekit worker --once",
    },
    prints: ["events sent", "demo-"],
  },
];

interface FollowOptions extends Place {
  readonly registry: LocalRegistry;
  readonly signal: AbortSignal;
}

/** Follows a page from top to bottom: its commands, then its first program. Returns what all of them printed. */
export async function followPage(page: FirstPage, options: FollowOptions): Promise<string> {
  const { folder, home, registry, signal } = options;
  mkdirSync(folder, { recursive: true });
  mkdirSync(home, { recursive: true });
  const overrides = page.isLocked === true ? Object.fromEntries(otherPackages(page)) : {};
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", overrides }));
  const prepared = await page.prepare?.(options);
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    HOME: home,
    USERPROFILE: home,
    NO_COLOR: "1",
    NPM_CONFIG_USERCONFIG: registry.userconfig,
    NPM_CONFIG_YES: "true",
    NPM_CONFIG_FUND: "false",
    NPM_CONFIG_AUDIT: "false",
    ...prepared?.env,
  };
  try {
    const file = join(root, "docs/start", `${page.name}.md`);
    for (const [name, program] of namedPrograms(readFileSync(file, "utf8"))) writeFileSync(join(folder, name), program);
    const printed = [];
    for (const command of commandsOf(readFileSync(file, "utf8"), page)) {
      const { stdout } = await run(command, { cwd: folder, env, signal, shell: true }).catch((error: unknown) => {
        throw new Error(`$ ${command}\n${failureOf(error)}`);
      });
      printed.push(`$ ${command}\n${stdout}`);
      if (!command.startsWith("npm install")) continue;
      const program = readmeProgram(file);
      if (program !== undefined) printed.push(await runProgram(program, { folder, env, signal }));
    }
    const output = printed.join("\n");
    const missing = page.prints.filter((text) => !output.includes(text));
    if (missing.length > 0) throw new Error(`missing: ${missing.join(" | ")}\n${output}`);
    return output;
  } finally {
    await prepared?.end();
  }
}

/** The versions of packages that the page's commands do not name. */
function otherPackages({ name }: FirstPage): readonly (readonly [string, string])[] {
  const text = readFileSync(join(root, "docs/start", `${name}.md`), "utf8");
  return [...lockedVersions()].filter(([each]) => !text.includes(` ${each}@`) && !each.startsWith("@phasekit/"));
}

/** Blocks of code that begin with the name of their file. */
function namedPrograms(text: string): ReadonlyMap<string, string> {
  const blocks = text.matchAll(/^```ts(?: no-run)?\n\/\/ (\S+\.mjs)\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, name = "", program = ""]) => [name, program]));
}

/** The lines of the page's shell blocks, without comments. */
function commandsOf(text: string, { instead = {} }: FirstPage): readonly string[] {
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "")
    .flatMap((line) => (line in instead ? (instead[line] ?? []) : line))
    .filter((line) => !VARIABLE.test(line));
}

async function runProgram(
  { imports, body }: ReadmeProgram,
  options: { readonly folder: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<string> {
  const { folder, env, signal } = options;
  writeFileSync(join(folder, "page.mjs"), `${imports}\n${body}`);
  const { stdout } = await run("node", ["page.mjs"], { cwd: folder, env, signal, shell: true }).catch(
    (error: unknown) => {
      throw new Error(`$ node page.mjs\n${failureOf(error)}`);
    },
  );
  return `$ node page.mjs\n${stdout}`;
}

function failureOf(error: unknown): string {
  const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
  return `${stdout}${stderr}`.slice(-3000);
}

/** Leaves the log of a finished session where Claude Code keeps its logs. */
function leaveSession({
  home,
}: Place): Promise<{ readonly env: NodeJS.ProcessEnv; readonly end: () => Promise<void> }> {
  const folder = join(home, ".claude/projects/-repo-sum");
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "packages/transcripts/test/fixtures/claude-code.jsonl"), join(folder, "session-1.jsonl"));
  return Promise.resolve({ env: {}, end: () => Promise.resolve() });
}

async function startDatabase(): Promise<{ readonly env: NodeJS.ProcessEnv; readonly end: () => Promise<void> }> {
  const { url, stop } = await startPostgres();
  return { env: { PHASEKIT_DATABASE_URL: url }, end: stop };
}
