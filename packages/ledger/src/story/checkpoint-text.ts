import { quote } from "@phasekit/core/adapter";
import { plural } from "../words/numbers.ts";
import type { Checkpoint, CheckpointCheck, OpenFailure } from "./checkpoint.ts";

const TASK = 600;
const LINE = 200;

/**
 * A checkpoint as text: the task, what is done, what is open. At most about 8,000 characters; empty parts are left out.
 */
export function checkpointText(checkpoint: Checkpoint): string {
  const { task, lastRequest, phase, files, changed, todos, checks, failures } = checkpoint;
  const more = changed > files.length ? [`and ${plural(changed - files.length, "more file")}`] : [];
  const [tried, open] = [failures.filter(({ times }) => times > 1), failures.filter(({ times }) => times === 1)];
  return [
    ...(task === undefined ? [] : [`Task: ${short(task, TASK)}`]),
    ...(lastRequest === undefined ? [] : [`Last request: ${short(lastRequest, TASK)}`]),
    `Phase: ${phase}`,
    ...section("Done (changed files)", [...files.map((path) => short(path)), ...more]),
    ...section(
      "To do",
      todos.map((todo) => short(todo)),
    ),
    ...section("Last checks", checks.map(checkText)),
    ...section("Open failures", open.map(failureText)),
    ...section("Tried without success", tried.map(failureText)),
  ].join("\n");
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${heading}:`, ...lines.map((line) => `- ${line}`)];
}

const short = (text: string, max = LINE): string => quote(text.replace(/\s+/g, " ").trim(), { max }).slice(1, -1);

const VERDICTS = { pass: "passed", fail: "failed", unknown: "no clear result" } as const;

function checkText({ kind, runner, verdict, passed, failed, isStale }: CheckpointCheck): string {
  const name = runner === undefined || runner === kind ? kind : `${kind} (${short(runner)})`;
  const counts = [
    ...(passed === undefined ? [] : [`${String(passed)} passed`]),
    ...(failed === undefined || failed === 0 ? [] : [`${String(failed)} failed`]),
  ].join(", ");
  const stale = isStale ? "; files were changed after it" : "";
  return `${name}: ${VERDICTS[verdict]}${counts === "" ? "" : ` (${counts})`}${stale}`;
}

function failureText({ what, times, why }: OpenFailure): string {
  const often = times > 1 ? `, ${String(times)} times` : "";
  return `${short(what)}${often}${why === undefined ? "" : `: ${short(why)}`}`;
}
