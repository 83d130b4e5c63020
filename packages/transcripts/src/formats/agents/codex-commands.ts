import { defined, type LooseObject, nameIn, numberIn, setBounded, textIn, toObject } from "@phasekit/core/adapter";
import type { RunWriter } from "../../write/run-writer.ts";
import { type CodexResult, shellResult } from "./codex-shell-result.ts";
import { onlyCallOf } from "./script-calls.ts";

/** A call of a Codex tool. */
interface CodexCall {
  readonly id: string | undefined;
  readonly tool: string;
  readonly input: unknown;
  readonly at: number | undefined;
}

/** The calls of Codex: commands that outlive their call, the polls of them, and scripts that call other tools. */
export interface CodexCommands {
  readonly call: (call: CodexCall) => void;
  readonly result: (id: string | undefined, output: unknown, at: number | undefined) => void;
  /** A command ended, by the record of it: with its exit code, even if the agent never looks. */
  readonly ended: (item: LooseObject, at: number | undefined) => void;
  /** Writes the polls that got no answer. */
  readonly end: () => void;
}

interface CommandEnd {
  readonly exitCode?: number;
  readonly durationMs?: number;
}

const MAX_KNOWN = 1000;

/**
 * Writes the calls of Codex into a run. A script that wraps one call is read as that call. A poll that sees its command
 * end is read as that command, so that the exit code belongs to the command line.
 */
export function createCodexCommands(run: RunWriter): CodexCommands {
  /** Command lines by the id of their call. */
  const lines = new Map<string, string>();
  /** Command lines by what a poll names: a session, or the cell of a script. */
  const running = new Map<string, string>();
  const ends = new Map<string, CommandEnd>();
  /** Polls whose answer has not come: it says which call they are. */
  const polls = new Map<string, CodexCall>();
  const scripts = new Map<string, true>();

  function write({ id, tool, input, at }: CodexCall): void {
    run.call({ tool, input, ...defined({ call: id, at }) });
  }

  function call(given: CodexCall): void {
    const { id = "", tool, input } = given;
    const script = tool === "exec" && typeof input === "string" ? input : undefined;
    const inner = script === undefined ? undefined : onlyCallOf(script);
    if (script !== undefined && inner === undefined) {
      remember(scripts, [id, true]);
      write({ ...given, input: { script } });
      return;
    }
    const read = inner === undefined ? given : { ...given, ...inner };
    const line = lineOf(read.input);
    if (line !== undefined) remember(lines, [id, line]);
    if (id !== "" && pollOf(read) !== undefined) remember(polls, [id, read]);
    else write(read);
  }

  function result(id: string | undefined, output: unknown, at: number | undefined): void {
    const call = id ?? "";
    const { running: place, ...read } = shellResult(output);
    const poll = polls.get(call);
    const key = poll === undefined ? undefined : pollOf(poll);
    const line = key === undefined ? lines.get(call) : running.get(key);
    if (poll !== undefined) {
      polls.delete(call);
      const isOver = place === undefined && line !== undefined;
      write(isOver ? { ...poll, tool: "exec_command", input: { ...toObject(poll.input), cmd: line } } : poll);
    }
    const end = place === undefined ? (ends.get(call) ?? (line === undefined ? undefined : ends.get(line))) : undefined;
    if (place !== undefined && line !== undefined) remember(running, [place, line]);
    ends.delete(call);
    scripts.delete(call);
    run.result({ ...merged(read, end), ...defined({ call: id, at }) });
  }

  function ended(item: LooseObject, at: number | undefined): void {
    const id = nameIn(item["call_id"] ?? item["id"]);
    if (id === undefined) return;
    const end = defined({ exitCode: numberIn(item["exit_code"]), durationMs: durationOf(item["duration"]) });
    const line = lastOf(item["command"]);
    if (run.isOpen(id) || lines.has(id)) remember(ends, [id, end]);
    else if (scripts.size > 0 && line !== undefined) {
      write({ id, tool: "exec_command", input: { cmd: line }, at });
      run.result({ call: id, output: textIn(item["aggregated_output"]), ...end, ...defined({ at }) });
      return;
    }
    // Commands of scripts have ids of their own, and a poll names neither.
    if (line !== undefined) remember(ends, [line, end]);
  }

  return {
    call,
    result,
    ended,
    end: () => {
      for (const poll of polls.values()) write(poll);
      polls.clear();
    },
  };
}

function merged(read: Omit<CodexResult, "running">, end: CommandEnd = {}): Omit<CodexResult, "running"> {
  return { ...read, ...end };
}

function lineOf(input: unknown): string | undefined {
  const { cmd, command } = toObject(input);
  return nameIn(cmd) ?? nameIn(command);
}

/** The session or cell that a call polls without sending anything to it. */
function pollOf({ tool, input }: CodexCall): string | undefined {
  const { session_id: session, cell_id: cell, chars = "", terminate } = toObject(input);
  if (tool === "wait" && terminate !== true) return placeOf("cell", cell);
  return tool === "write_stdin" && chars === "" ? placeOf("session", session) : undefined;
}

function placeOf(kind: "cell" | "session", id: unknown): string | undefined {
  return typeof id === "string" || typeof id === "number" ? `${kind} ${String(id)}` : undefined;
}

function durationOf(duration: unknown): number | undefined {
  const { secs, nanos } = toObject(duration);
  return typeof secs === "number" ? Math.round(secs * 1000 + (numberIn(nanos) ?? 0) / 1e6) : undefined;
}

/** The command line of a shell that was started with it as its last argument. */
function lastOf(command: unknown): string | undefined {
  return Array.isArray(command) ? nameIn(command.at(-1)) : nameIn(command);
}

/** Adds to a map that stays small, but for calls without an id. */
function remember<T>(known: Map<string, T>, [key, value]: readonly [string, T]): void {
  if (key !== "") setBounded(known, [key, value], MAX_KNOWN);
}
