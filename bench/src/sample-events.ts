import { createRun, type NewEvent, type RunEvent } from "@phasekit/core";

/** The length of a stored tool result, in bytes of JSON. */
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

/** A tool result of a host that records no requests. Each is of another call and file. */
export function toolEvent(n: number, length = outputLength): NewEvent<"tool.finished"> & { readonly call: string } {
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

/** The log of a run in which a host records these events, all in one turn. */
export function logOf(events: readonly NewEvent[]): readonly RunEvent[] {
  const run = createRun({ id: "sample", clock: () => 1_790_000_000_000 });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  run.beforeTurn();
  for (const event of events) run.record(event);
  // As a store returns them. Events of a live run are frozen, and V8 takes longer to stringify a frozen list.
  return JSON.parse(JSON.stringify(log)) as readonly RunEvent[];
}

// The output is cut so that the whole event has the wanted length.
const outputLength = (() => {
  for (let length = SOURCE.length; ; length -= 1) {
    const event = logOf([toolEvent(1234, length)]).at(-1);
    if (JSON.stringify(event).length <= EVENT_BYTES) return length;
  }
})();

/** A text in memory of its own, as a host passes it. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
