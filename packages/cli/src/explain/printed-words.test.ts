import { codingRun } from "@phasekit/coding";
import { codingPhases, reasons } from "@phasekit/core";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkNames } from "../check/check-story.ts";
import { gateNames } from "../config/gate-names.ts";
import { sampleLogs } from "../__fixtures__/sample-logs.ts";
import { emptyHome, phasekitHere } from "../../test/run-cli.ts";
import { join } from "node:path";

const source = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, word = ""]) => word);

/** The words that a type lists: `"a" | "b"`. */
function typeWords(text: string, start: RegExp): readonly string[] {
  const from = text.search(start);
  return matches(text.slice(from, text.indexOf(";", from)), /"([\w-]+)"/g);
}

/** The names of the policies that our packages bring, from their sources. */
function policyNames(): readonly string[] {
  const cwd = new URL("../../../", import.meta.url);
  return globSync(["*/src/**/*.ts", "adapters/*/src/**/*.ts"], { cwd })
    .filter((path) => !/\.test(-d)?\.ts$|__fixtures__|commands\/init|\/testing\//.test(path))
    .flatMap((path) => {
      const text = readFileSync(new URL(path, cwd), "utf8");
      return matches(text, /(?:definePolicy|defineGate)(?:<[^(]*>)?\(\{\s*name: "([a-z-]+)"/g).concat(
        text.includes("): Policy") ? matches(text, /\b(?:gate|name)(?:: string)? = "([a-z-]+)"/g) : [],
      );
    });
}

/** Every word that lists, `why`, `check` and the page print by itself, from the code that prints it. */
function collectWords(): readonly string[] {
  const policies: string[] = [];
  const run = codingRun({ mode: "gate" });
  run.subscribe((step) => {
    for (const event of step)
      if (event.type === "run.started") policies.push(...event.policies.map(({ name }) => name));
  });
  run.record({ type: "turn.started" });
  const why = source("../render/why.ts");
  return [
    ...Object.keys(reasons),
    ...checkNames,
    ...gateNames,
    ...matches(source("../config/judge-config.ts"), /CONFIG_GATE = "(\w+)"/g),
    ...matches(source("../render/junit.ts"), /gate: "(\w+)"/g),
    ...matches(why, /"([A-Z]{3,})"/g),
    // The heads of the columns of lists.
    ...["../commands/runs.ts", "../usage/usage.ts"].flatMap((path) => matches(source(path), /head: "([a-z ]+)"/g)),
    ...matches(/\["input"[^\]]*\]/.exec(source("../usage/usage.ts"))?.[0] ?? "", /"([a-z ]+)"/g),
    ...matches(source("../render/event-line.ts"), /label: "([A-Z?]+)"/g),
    ...typeWords(source("../../../core/src/events/derived-events.ts"), /type DropWhy =/),
    ...typeWords(source("../../../ledger/src/terminal-state.ts"), /TerminalState =/),
    // Compiled against the type of the grades.
    ...matches(
      /const grade = oneOf[^(]*\(\{([^}]*)\}/.exec(source("../log-index/summary-check.ts"))?.[1] ?? "",
      /"?([\w-]+)"?: true/g,
    ),
    ...policies,
    ...policyNames(),
    ...Object.keys(codingPhases.phases),
  ];
}

describe("phasekit explain", () => {
  const collected = [...new Set(collectWords())];

  it("the collected words are those of every kind", () => {
    expect(collected.length).toBeGreaterThan(70);
    for (const word of [
      "done",
      "ENDED",
      "BELOW",
      "to cache",
      "project",
      "LOOP",
      "proven",
      "supported",
      "readable",
      "config",
      "escalation",
      "acting",
    ])
      expect(collected).toContain(word);
  });

  it("explain knows every word that Phasekit prints by itself", async () => {
    const unknown: string[] = [];
    for (const word of collected) if ((await phasekitHere(["explain", word])).code !== 0) unknown.push(word);
    expect(unknown).toEqual([]);
  });

  it("explain knows the ends that runs prints, with their grades", async () => {
    const home = emptyHome();
    for (const [name, text] of Object.entries(sampleLogs)) writeFileSync(join(home, `${name}.json`), text);
    const { out } = await phasekitHere(["runs", home, "--json"]);
    const { ends } = JSON.parse(out) as { readonly ends: Readonly<Record<string, number>> };
    expect(Object.keys(ends).length).toBeGreaterThan(2);
    for (const end of [...Object.keys(ends), "live now"])
      expect({ end, code: (await phasekitHere(["explain", end])).code }).toEqual({ end, code: 0 });
  });

  it.each(["CANNOT_WRITE", "INTERNAL", "PORT_IN_USE", "NO_SUCH_RUN"])("explain knows the error %s", async (code) => {
    expect((await phasekitHere(["explain", code])).out).toContain(`${code} (error)`);
  });

  it("an unknown word gets a suggestion only if one is near", async () => {
    expect((await phasekitHere(["explain", "suported"])).error).toContain("Did you mean supported?");
    expect((await phasekitHere(["explain", "xylophone-of-doom"])).error).not.toContain("Did you mean");
  });
});
