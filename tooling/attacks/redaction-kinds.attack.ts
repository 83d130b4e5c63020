import { redactSecrets } from "../../packages/ledger/src/index.ts";
import { heldOutInnocents, heldOutKinds } from "../../packages/ledger/src/redaction/__fixtures__/held-out-secrets.ts";
import { innocentTexts } from "../../packages/ledger/src/redaction/__fixtures__/innocent-texts.ts";
import { scoreRedaction } from "../../packages/ledger/src/redaction/__fixtures__/score-redaction.ts";
import { secretKinds } from "../../packages/ledger/src/redaction/__fixtures__/secret-kinds.ts";

const LEAKS_ALLOWED = 0.1;
const ALARMS_ALLOWED = 0.03;
/** Other seeds make other secrets of the same kinds. */
const SEEDS = [1, 2, 3, 4, 5];

/**
 * Kinds of secrets in four carriers, and texts that look like secrets: how many leak, how many are changed for
 * nothing.
 */
export const attack = {
  name: "redaction-kinds",
  run: () => {
    const redact = redactSecrets();
    const scores = SEEDS.map((seed) => scoreRedaction(redact, { kinds: secretKinds, innocents: innocentTexts, seed }));
    const leaked = scores.flatMap((score) => score.leaked);
    const cases = scores.reduce((sum, score) => sum + score.cases, 0);
    const [first] = scores;
    const alarms = first?.falseAlarms ?? [];
    if (process.argv.includes("--all")) {
      for (const { kind, carrier, left } of first?.leaked ?? [])
        console.log(`leaked  ${kind} [${carrier}] ${left.slice(0, 240)}`);
      for (const text of alarms)
        console.log(`changed ${JSON.stringify(text)} -> ${JSON.stringify(redact({ output: text }).output)}`);
    }
    const second = scoreRedaction(redact, { kinds: heldOutKinds, innocents: heldOutInnocents, seed: 11 });
    return Promise.resolve([
      {
        area: "the second list",
        tried: second.cases + second.innocents,
        failures: [],
        note: `${String(second.leaked.length)} of ${String(second.cases)} leaked, ${String(second.falseAlarms.length)} of ${String(second.innocents)} changed`,
      },
      {
        area: "secrets",
        tried: cases,
        failures:
          leaked.length > cases * LEAKS_ALLOWED ? leaked.map(({ kind, carrier }) => `${kind} [${carrier}]`) : [],
        note: `${String(leaked.length)} leaked, ${String(first?.wholeKinds ?? 0)} of ${String(secretKinds.length)} kinds found in all carriers`,
      },
      {
        area: "innocent texts",
        tried: innocentTexts.length,
        failures: alarms.length > innocentTexts.length * ALARMS_ALLOWED ? alarms : [],
        note: `${String(alarms.length)} changed`,
      },
    ]);
  },
};

if (import.meta.main)
  for (const row of await attack.run()) console.log(`${row.area}: ${String(row.tried)} tried, ${row.note}`);
