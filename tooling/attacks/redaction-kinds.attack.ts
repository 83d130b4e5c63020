import { redactSecrets } from "../../packages/ledger/src/index.ts";
import { heldOutInnocents, heldOutKinds } from "../../packages/ledger/src/redaction/__fixtures__/held-out-secrets.ts";
import { innocentTexts } from "../../packages/ledger/src/redaction/__fixtures__/innocent-texts.ts";
import { scoreRedaction } from "../../packages/ledger/src/redaction/__fixtures__/score-redaction.ts";
import { secretKinds } from "../../packages/ledger/src/redaction/__fixtures__/secret-kinds.ts";
import type { Attack } from "./attack.ts";
import { attackCommand } from "./run-attacks.ts";

const LEAKS_ALLOWED = 0.1;
const ALARMS_ALLOWED = 0.03;
/** Other seeds make other secrets of the same kinds. */
const SEEDS = [1, 2, 3, 4, 5];

type Score = ReturnType<typeof scoreRedaction>;

const redact = redactSecrets();

/**
 * Kinds of secrets in four carriers, and texts that look like secrets: how many leak, and how many are changed
 * needlessly. `--all` prints each of them.
 */
export const attack: Attack = {
  name: "redaction-kinds",
  areas: 3,
  run: async ({ now, pause, total }) => {
    now("held-out secrets");
    await pause(0, 1);
    const heldOut = scoreRedaction(redact, { kinds: heldOutKinds, innocents: heldOutInnocents, seed: 11 });
    const leaks = `${String(heldOut.leaked.length)} of ${String(heldOut.cases)} leaked`;
    total({
      area: "held-out secrets",
      tried: heldOut.cases + heldOut.innocents,
      failures: [],
      note: `${leaks}, ${String(heldOut.falseAlarms.length)} of ${String(heldOut.innocents)} changed`,
    });
    now("secrets");
    const scores: Score[] = [];
    for (const [index, seed] of SEEDS.entries()) {
      await pause(index, SEEDS.length);
      scores.push(scoreRedaction(redact, { kinds: secretKinds, innocents: innocentTexts, seed }));
    }
    const [first] = scores;
    if (process.argv.includes("--all") && first !== undefined) printAll(first);
    const leaked = scores.flatMap((score) => score.leaked);
    const tried = scores.reduce((sum, { cases }) => sum + cases, 0);
    const whole = `${String(first?.wholeKinds ?? 0)} of ${String(secretKinds.length)}`;
    total({
      area: "secrets",
      tried,
      failures: leaked.length > tried * LEAKS_ALLOWED ? leaked.map(({ kind, carrier }) => `${kind} [${carrier}]`) : [],
      note: `${String(leaked.length)} leaked, ${whole} kinds found in all carriers`,
    });
    const alarms = first?.falseAlarms ?? [];
    total({
      area: "innocent texts",
      tried: innocentTexts.length,
      failures: alarms.length > innocentTexts.length * ALARMS_ALLOWED ? alarms : [],
      note: `${String(alarms.length)} changed`,
    });
  },
};

function printAll({ leaked, falseAlarms }: Score): void {
  for (const { kind, carrier, left } of leaked) console.log(`leaked  ${kind} [${carrier}] ${left.slice(0, 240)}`);
  for (const text of falseAlarms)
    console.log(`changed ${JSON.stringify(text)} -> ${JSON.stringify(redact({ output: text }).output)}`);
}

if (import.meta.main) await attackCommand([attack]);
