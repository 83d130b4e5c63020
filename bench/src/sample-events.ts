import { createRun, type NewEvent, type RunEvent } from "@phasekit/core";

/** How long a stored tool result is, in bytes of JSON. */
export const EVENT_BYTES = 990;

const SOURCE = `import { readFile } from "node:fs/promises";

/** Reads the settings of one user; what is missing takes its default. */
export async function loadSettings(user: string): Promise<Settings> {
  const text = await readFile(\`settings/\${user}.json\`, "utf8");
  const stored: unknown = JSON.parse(text);
  if (typeof stored !== "object" || stored === null) throw new TypeError("settings are an object");
  return { ...defaults, ...stored, user };
}

export const defaults: Settings = { theme: "light", language: "en", sounds: false };

export function sameSettings(one: Settings, other: Settings): boolean {
  return Object.keys(one).every((key) => one[key as keyof Settings] === other[key as keyof Settings]);
}
`;

/** A tool result as a host without requests tells it: every one of another call and file. */
export function toolFact(n: number, length = outputLength): NewEvent<"tool.finished"> & { readonly call: string } {
  return {
    type: "tool.finished",
    call: `call-${String(n).padStart(8, "0")}`,
    tool: "Read",
    outcome: "ok",
    input: { path: `src/module-${String(n % 97)}/file-${String(n).padStart(8, "0")}.ts`, offset: 0, limit: 2000 },
    output: flat(SOURCE.slice(0, length)),
    durationMs: 12 + (n % 30),
  };
}

/** The log of a run in which a host told these facts, all in one turn. */
export function logOf(facts: readonly NewEvent[]): readonly RunEvent[] {
  const run = createRun({ id: "sample", clock: () => 1_790_000_000_000 });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  run.beforeTurn();
  for (const fact of facts) run.record(fact);
  // As a store gives them back. Those of a live run are frozen, and V8 takes longer to stringify a frozen list.
  return JSON.parse(JSON.stringify(log)) as readonly RunEvent[];
}

// The rest of the event takes some of the bytes; the output is cut to fill it up.
const outputLength = (() => {
  for (let length = SOURCE.length; ; length -= 1) {
    const event = logOf([toolFact(1234, length)]).at(-1);
    if (JSON.stringify(event).length <= EVENT_BYTES) return length;
  }
})();

/** One text in one piece of memory of its own, as a host would hand it over. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
