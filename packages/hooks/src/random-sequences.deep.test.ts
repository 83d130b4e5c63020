import { type NextNumber, numbersFrom } from "@phasekit/tooling/random-cases";
import { depth } from "@phasekit/tooling/test-depth";
import { describe, expect, it } from "vitest";
import { openSession } from "../test/session-kit.ts";
import { agentNames, type HookAnswer, type HookEvent } from "./hook-event.ts";

type Sent = Partial<HookEvent> & { readonly kind: HookEvent["kind"] };

const commands = ["git fetch", "npx vitest run", "ls", "sed -i s/a/b/ src/a.ts", "cat .claude/settings.json"];

/** One event: any kind, in any order, with ids that are new, used or unknown. */
function anyEvent(next: NextNumber): Sent {
  const call = `c${String(next(6))}`;
  const tool = next(3) === 0 ? "Edit" : "Bash";
  const input =
    tool === "Edit"
      ? {
          file_path: ["src/a.ts", "src/b.ts", ".claude/settings.json"][next(3)],
          old_string: "a",
          new_string: String(next(9)),
        }
      : { command: commands[next(commands.length)] };
  const subagent = next(12) === 0 ? { subagent: "sub" } : {};
  switch (next(13)) {
    case 0:
      return { kind: "session.started", source: (["startup", "resume", "compact", "other"] as const)[next(4)]! };
    case 1:
      return { kind: "prompt.submitted", text: `do ${String(next(99))}`, byPerson: next(4) > 0 };
    case 2:
    case 3:
    case 4:
      return { kind: "tool.started", ...(next(4) > 0 && { call }), tool, input, ...subagent };
    case 5:
    case 6:
    case 7: {
      const exitCode = next(2);
      const output = exitCode === 0 ? "Tests  3 passed (3)" : "error: read-only file system";
      const outcome = exitCode === 0 ? ("ok" as const) : ("error" as const);
      return { kind: "tool.ended", ...(next(4) > 0 && { call }), tool, input, outcome, output, exitCode, ...subagent };
    }
    case 8:
      return { kind: "batch.ended", calls: next(2) === 0 ? [] : [{ call, tool, input }] };
    case 9:
    case 10:
      return {
        kind: "finish.asked",
        text: ["Done.", "", "I am waiting for CI."][next(3)]!,
        continued: next(2) === 0,
        openWork: next(8) === 0 ? 1 : 0,
        aborted: next(12) === 0,
        ...(next(12) === 0 && { planning: true }),
      };
    case 11:
      return (
        [
          { kind: "turn.failed", message: "overloaded" },
          { kind: "subagent.started", id: "sub" },
          { kind: "subagent.ended", id: "sub" },
          { kind: "context.compacted" },
        ] as const
      )[next(4)]!;
    default:
      return next(6) === 0 ? { kind: "session.ended" } : { kind: "ignored" };
  }
}

interface Actor {
  done: number;
  sincePrompt: number;
  lastBlock: { readonly kind: "veto" | "refuse"; readonly done: number; readonly isFence: boolean } | undefined;
}

const SEQUENCES = depth({ quick: 200, full: 1000, long: 10_000 });
const EVENTS = 14;

describe("random hook sequences", () => {
  // Shards, so that a failure names its place and none holds a worker for long.
  const shards = depth({ quick: 2, full: 10, long: 10 });
  it.each(Array.from({ length: shards }, (_, index) => index))(
    `never hold an agent twice without something done between, ${String(SEQUENCES)} sequences, part %i`,
    (shard) => {
      let vetoes = 0;
      let refusals = 0;
      for (let n = 0; n < SEQUENCES / shards; n += 1) {
        const seed = shard * (SEQUENCES / shards) + n;
        const next = numbersFrom(seed);
        const agent = agentNames[seed % agentNames.length]!;
        const { send } = openSession({ agent, mode: "gate", readable: next(10) > 0 });
        if (next(3) > 0) send({ kind: "prompt.submitted", text: "Fix it.", byPerson: true });
        // The agent and its sub-agents are held apart from each other.
        const actors = new Map<string, Actor>();
        const actorOf = (name: string): Actor => {
          const actor = actors.get(name) ?? { done: 0, sincePrompt: 0, lastBlock: undefined };
          actors.set(name, actor);
          return actor;
        };
        for (let index = 0; index < EVENTS; index += 1) {
          const event = anyEvent(next);
          // Every fifth event comes twice.
          const answers: HookAnswer[] = [send(event), ...(next(5) === 0 ? [send(event)] : [])];
          const actor = actorOf((event.kind === "subagent.ended" ? event.id : event.subagent) ?? "");
          if (event.kind === "tool.ended" || event.kind === "batch.ended") actor.done += 1;
          if (event.kind === "prompt.submitted" && event.byPerson === true) {
            actor.done += 1;
            actor.sincePrompt = 0;
          }
          for (const { refuse, veto } of answers) {
            const kind = veto !== undefined ? "veto" : refuse !== undefined ? "refuse" : undefined;
            if (kind === undefined) continue;
            const isFence = refuse?.includes("Phasekit setup") ?? false;
            const { lastBlock, done } = actor;
            const inARow = lastBlock !== undefined && lastBlock.done === done;
            // Self-protection refuses every time; it never holds a finish, and no other block joins it.
            if (inARow && !isFence) expect.fail(`seed ${String(seed)}: ${kind} after ${lastBlock.kind}`);
            if (kind === "veto") {
              vetoes += 1;
              actor.sincePrompt += 1;
            } else refusals += 1;
            if (actor.sincePrompt > 4)
              expect.fail(`seed ${String(seed)}: ${String(actor.sincePrompt)} vetoes since the last prompt`);
            actor.lastBlock = { kind, done, isFence };
          }
        }
      }
      // The sequences are worth something only if they reach the gates.
      expect(vetoes).toBeGreaterThan(0);
      expect(refusals).toBeGreaterThan(0);
    },
  );
});
