import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parts } from "./parts.ts";
import { readOptions } from "./read-options.ts";

describe("readOptions", () => {
  it("chooses every part without a name", () => {
    expect(readOptions([])).toEqual({
      kind: "run",
      names: Object.keys(parts),
      json: false,
      strict: false,
      write: false,
    });
  });

  it("chooses the named parts, in the order they always run", () => {
    expect(readOptions(["ledger", "--json", "core", "ledger", "--strict"])).toEqual({
      kind: "run",
      names: ["core", "ledger"],
      json: true,
      strict: true,
      write: false,
    });
  });

  it("--write takes no part: a page has the figures of one run", () => {
    expect(readOptions(["core", "--write"])).toMatchObject({ kind: "mistake" });
    expect(readOptions(["--write"])).toMatchObject({ kind: "run", write: true, names: Object.keys(parts) });
  });

  it("an unknown part is a mistake that lists the parts", () => {
    expect(readOptions(["core", "ledgr", "sql"])).toEqual({
      kind: "mistake",
      text: `Unknown part: "ledgr", "sql". The parts are: ${Object.keys(parts).join(", ")}.`,
    });
  });

  it("an unknown option is a mistake that shows the help", () => {
    const { kind, text } = readOptions(["--jsn"]) as { readonly kind: string; readonly text: string };
    expect(kind).toBe("mistake");
    expect(text).toContain("--jsn");
    expect(text).toContain("Usage: pnpm bench");
  });

  it("--help lists the parts", () => {
    expect((readOptions(["--help"]) as { readonly text: string }).text).toMatchInlineSnapshot(`
      "Usage: pnpm bench [<part> ...] [--json] [--strict] [--write]

      Measures Phasekit beside other code in one run and prints each row when it is measured.
      Without a part, all of them run.

      Parts
        core          one tool result with 0, 10 and 100 policies; a run of a million events; replay and simulation
        tracker       the interpreter and phase tracking on recorded runs, and hostile commands and outputs
        watchdog      calls that differ, an endless poll, streamed text, a run of a million events
        coding        one large tool result with codingRun(), and snapshots of a long run
        ledger        storing, reading and listing runs, and redaction, beside pino and SQLite
        otel          a run as an OpenTelemetry trace, with and without texts
        report        a report of 10,000 events
        postgres      events and claims on a real PostgreSQL, beside plain SQL
        workers       claims and messages by one and by four worker processes on a real PostgreSQL, beside pg-boss
        scale         events, bytes, claims and connections of one PostgreSQL on this machine, for a plan of capacity
        orchestrator  a round of a conversation, early and after 10,000 rounds
        adapters      a model call and a turn of every adapter, beside the bare framework
        engines       an agent inside DBOS and Restate with their real servers, beside the same agent without Phasekit
        mcp           a tool call of an MCP client with a run, beside the bare client
        cli           \`phasekit simulate\` over recorded runs, beside a program that parses them

      Options
        --json    Print the results as JSON at the end; the rows go to stderr
        --strict  Exit with 1 if a row is over its target
        --write   Write the figures, and the sizes of the built packages, into docs/performance.md
        --help    Print this text

      Ctrl-C ends the bench; the rows so far stay. The parts tracker and cli need recorded runs: set PHASEKIT_DATA."
    `);
  });
});

describe("bench/README.md", () => {
  it("lists every part, with the text of the help", () => {
    const page = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)].map(([, name, about]) => [name, about]);
    expect(rows).toEqual(Object.entries(parts).map(([name, { about }]) => [name, about]));
  });
});
