import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Redactor } from "../../packages/core/src/index.ts";
import { redactSecrets } from "../../packages/ledger/src/index.ts";
import { heldOutInnocents, heldOutKinds } from "../../packages/ledger/src/redaction/__fixtures__/held-out-secrets.ts";
import { innocentTexts } from "../../packages/ledger/src/redaction/__fixtures__/innocent-texts.ts";
import { placedKinds, scorePlaces } from "../../packages/ledger/src/redaction/__fixtures__/placed-secrets.ts";
import { scoreRedaction } from "../../packages/ledger/src/redaction/__fixtures__/score-redaction.ts";
import { secretKinds } from "../../packages/ledger/src/redaction/__fixtures__/secret-kinds.ts";
import type { Attack, AttackTotal } from "./attack.ts";
import { attackCommand } from "./run-attacks.ts";

const LEAKS_ALLOWED = 0.1;
const PLACED_LEAKS_ALLOWED = 0.05;
const ALARMS_ALLOWED = 0.03;
/** Of lines without a secret in them. */
const LINES_ALLOWED = 1 / 20_000;
/** Other seeds make other secrets of the same kinds. */
const SEEDS = [1, 2, 3, 4, 5];
const ROOT = join(import.meta.dirname, "../..");
/** Recorded runs are not part of the repository. */
const DATA = process.env["PHASEKIT_DATA"] ?? join(ROOT, "../shared/data");

const redact = redactSecrets();

/**
 * Kinds of secrets in four carriers, ways to write them down in eight places, and texts that look like secrets: how
 * many leak, and how many are changed needlessly. `--all` prints each of them.
 */
export const attack: Attack = {
  name: "redaction-kinds",
  areas: 6,
  run: async ({ now, pause, total }) => {
    for (const [index, [name, score]] of scores.entries()) {
      now(name);
      await pause(index, scores.length);
      for (const row of score(redact)) total(row);
    }
  },
};

const scores: readonly (readonly [name: string, score: (redact: Redactor) => readonly AttackTotal[]])[] = [
  ["held-out secrets", scoreHeldOut],
  ["secrets", scoreKinds],
  ["ways to write them down", (redact) => [scoreWays(redact)]],
  ["lines of our own", (redact) => [scoreOwnLines(redact)]],
  ["lines of recorded runs", (redact) => [scoreRecorded(redact)]],
];

function scoreHeldOut(redact: Redactor): readonly AttackTotal[] {
  const heldOut = scoreRedaction(redact, { kinds: heldOutKinds, innocents: heldOutInnocents, seed: 11 });
  const leaks = `${String(heldOut.leaked.length)} of ${String(heldOut.cases)} leaked`;
  return [
    {
      area: "held-out secrets",
      tried: heldOut.cases + heldOut.innocents,
      failures: [],
      note: `${leaks}, ${String(heldOut.falseAlarms.length)} of ${String(heldOut.innocents)} changed`,
    },
  ];
}

function scoreKinds(redact: Redactor): readonly AttackTotal[] {
  const scores = SEEDS.map((seed) => scoreRedaction(redact, { kinds: secretKinds, innocents: innocentTexts, seed }));
  const leaked = scores.flatMap((score) => score.leaked);
  const cases = scores.reduce((sum, score) => sum + score.cases, 0);
  const [first] = scores;
  const alarms = first?.falseAlarms ?? [];
  list((first?.leaked ?? []).map(({ kind, carrier, left }) => `leaked  ${kind} [${carrier}] ${left.slice(0, 240)}`));
  list(alarms.map((text) => `changed ${JSON.stringify(text)} -> ${JSON.stringify(redact({ output: text }).output)}`));
  return [
    {
      area: "secrets",
      tried: cases,
      failures: leaked.length > cases * LEAKS_ALLOWED ? leaked.map(({ kind, carrier }) => `${kind} [${carrier}]`) : [],
      note: `${String(leaked.length)} leaked, ${String(first?.wholeKinds ?? 0)} of ${String(secretKinds.length)} kinds found in all carriers`,
    },
    {
      area: "innocent texts",
      tried: innocentTexts.length,
      failures: alarms.length > innocentTexts.length * ALARMS_ALLOWED ? alarms : [],
      note: `${String(alarms.length)} changed`,
    },
  ];
}

function scoreWays(redact: Redactor): AttackTotal {
  const scores = SEEDS.map((seed) => scorePlaces(redact, { seed }));
  const leaked = scores.flatMap((score) => score.leaked);
  const cases = scores.reduce((sum, score) => sum + score.cases, 0);
  list((scores[0]?.leaked ?? []).map(({ kind, place, left }) => `leaked  ${kind} [${place}] ${left.slice(0, 240)}`));
  const kinds = new Set(leaked.map(({ kind }) => kind));
  return {
    area: "ways to write them down, in eight places",
    tried: cases,
    failures: leaked.length > cases * PLACED_LEAKS_ALLOWED ? leaked.map(({ kind, place }) => `${kind} [${place}]`) : [],
    note: `${String(leaked.length)} leaked (${[...kinds].join(", ")}) of ${String(placedKinds.length)} kinds`,
  };
}

/** Our sources and documents, without tests and lists of hostile texts: those have made-up secrets in them. */
function scoreOwnLines(redact: Redactor): AttackTotal {
  const names = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8", maxBuffer: 1e8 }).split("\n");
  const texts = names
    .filter((name) => /\.(?:[cm]?[jt]sx?|json|md|ya?ml|css|html)$/.test(name) && !/lock\.yaml$/.test(name))
    .filter((name) => !/\.test\.|\/(?:test|__fixtures__|redaction|attacks|growth)\//.test(name))
    .map((name) => readFileSync(join(ROOT, name), "utf8"));
  const { lines, changed } = changedLines(redact, texts);
  list(changed.map((line) => `changed ${line}`));
  return {
    area: "lines of our own",
    tried: lines,
    failures: changed.length > lines * LINES_ALLOWED ? changed : [],
    note: `${String(changed.length)} changed`,
  };
}

/** Recorded runs have real secrets in them; a line that is changed by the start of a token is one. */
function scoreRecorded(redact: Redactor): AttackTotal {
  const files = globSync(["**/*.jsonl.gz", "**/*.json.gz", "**/*.jsonl", "**/*.json"], { cwd: DATA });
  let lines = 0;
  const unsure: string[] = [];
  for (const name of files) {
    const bytes = readFileSync(join(DATA, name));
    const found = changedLines(redact, textsIn((name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")));
    lines += found.lines;
    unsure.push(...found.changed.filter((line) => !/\[redacted:[a-z0-9]+-(?:token|key|key-id)\]/.test(line)));
  }
  const different = [...new Set(unsure)];
  list(different.map((line) => `changed ${line}`));
  return {
    area: "lines of recorded runs",
    tried: lines,
    failures: [],
    note:
      files.length === 0
        ? "no recorded runs found: set PHASEKIT_DATA to the folder that holds them"
        : `${String(unsure.length)} changed by a name, ${String(different.length)} different ones (--all lists them)`,
  };
}

function changedLines(
  redact: Redactor,
  texts: readonly string[],
): { readonly lines: number; readonly changed: readonly string[] } {
  let lines = 0;
  const changed: string[] = [];
  for (const text of texts) {
    const before = text.split("\n");
    lines += before.length;
    const output = redact({ output: text })["output"] as string;
    if (output === text) continue;
    const known = new Set(before);
    changed.push(
      ...output
        .split("\n")
        .filter((line) => !known.has(line))
        .map((line) => line.trim().slice(0, 200)),
    );
  }
  return { lines, changed };
}

/** The texts in a file of JSON or of lines of it. */
function textsIn(content: string): readonly string[] {
  const parsed = parse(content);
  const values = parsed === undefined ? content.split("\n").map((line) => parse(line) ?? line) : [parsed];
  return values.flatMap(textsOf);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function list(lines: readonly string[]): void {
  if (process.argv.includes("--all")) for (const line of lines) console.log(line);
}

if (import.meta.main) await attackCommand([attack]);
