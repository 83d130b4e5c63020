import { closeSync, openSync, writeSync } from "node:fs";

/** Writes a session of Claude Code of at least this size: reads, edits, failing and passing tests, with usage. */
export function writeLongLog(path: string, bytes: number): number {
  const file = openSync(path, "w");
  let written = 0;
  try {
    for (let turn = 0; written < bytes; turn += 1) {
      const text = turnOf(turn);
      writeSync(file, text);
      written += Buffer.byteLength(text);
    }
  } finally {
    closeSync(file);
  }
  return written;
}

const SESSION = "0a1b2c3d-0000-4000-8000-000000000001";
const CALLS = [
  { name: "Read", input: (turn: number) => ({ file_path: `/srv/app/src/file-${String(turn % 500)}.ts` }) },
  {
    name: "Edit",
    input: (turn: number) => ({
      file_path: `/srv/app/src/file-${String(turn % 500)}.ts`,
      old_string: `const a = ${String(turn)};`,
      new_string: `const a = ${String(turn + 1)};`,
    }),
  },
  { name: "Bash", input: () => ({ command: "npx vitest run" }) },
] as const;

/** One answer with a call, and its result of about 8 kB. */
function turnOf(turn: number): string {
  const { name, input } = CALLS[turn % CALLS.length] ?? CALLS[0];
  const line = (place: number, record: object): string =>
    JSON.stringify({
      ...record,
      cwd: "/srv/app",
      sessionId: SESSION,
      version: "2.0.0",
      uuid: `${SESSION.slice(0, -1)}${String(place)}-${String(turn)}`,
      timestamp: new Date(1_760_000_000_000 + (turn * 2 + place) * 1000).toISOString(),
    });
  const id = `toolu_${String(turn)}`;
  const result = Array.from(
    { length: 80 },
    (_, row) =>
      `${String(row + 1).padStart(6)}→  export const value${String(turn)}_${String(row)} = compute(${String(row * turn)}); // ${"x".repeat(40)}`,
  ).join("\n");
  const records = [
    ...(turn === 0 ? [{ type: "user", message: { role: "user", content: "Clean the project up." } }] : []),
    {
      type: "assistant",
      message: {
        id: `msg_${String(turn)}`,
        role: "assistant",
        model: "claude-opus-4-5-20251101",
        content: [{ type: "tool_use", id, name, input: input(turn) }],
        stop_reason: "tool_use",
        usage: { input_tokens: 10, output_tokens: 100, cache_read_input_tokens: 50_000 },
      },
    },
    { type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] } },
  ];
  return records.map((record, place) => `${line(place, record)}\n`).join("");
}
