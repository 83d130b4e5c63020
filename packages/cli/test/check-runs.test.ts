import { createRun } from "@phasekit/core";
import { createFileStore } from "@phasekit/ledger/node";
import { storeRun } from "@phasekit/ledger";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chatLog, sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { emptyHome, phasekitHere } from "./run-cli.ts";

/** A folder with these logs, each a day older than the one before. */
function folderOf(logs: Readonly<Record<string, string>>): string {
  const folder = join(emptyHome(), "logs");
  mkdirSync(folder);
  for (const [index, [name, text]] of Object.entries(logs).entries()) {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, text);
    const at = Date.now() / 1000 - index * 86_400;
    utimesSync(path, at, at);
  }
  return folder;
}

/** Stores a run that met a limit and one that is done. */
async function storeTwo(cwd: string): Promise<void> {
  const store = createFileStore(join(cwd, ".phasekit/runs"));
  for (const [id, reason] of [
    ["first", "turn_limit"],
    ["second", "done"],
  ] as const) {
    const run = createRun({ id, task: { text: "Do it." } });
    const stored = storeRun(run, store);
    run.record({ type: "turn.started" });
    run.end({ reason });
    await stored.flush();
  }
  await store.close();
}

interface CheckData {
  readonly passed: boolean;
  readonly failed: readonly string[];
  readonly runs: readonly { readonly about: { readonly id: string }; readonly failed: readonly string[] }[];
}

async function checked(...args: readonly string[]): Promise<CheckData & { readonly code: number | null }> {
  const { out, code } = await phasekitHere(["check", ...args, "--json"]);
  return { ...(JSON.parse(out) as CheckData), code };
}

describe("phasekit check of many runs", () => {
  it("an older run that fails makes the check of a folder fail", async () => {
    const folder = folderOf({ newest: sampleLogs.verified, older: sampleLogs.unverified });
    const { out, code } = await phasekitHere(["check", folder]);
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "result  run     title                    end              failed gates
      FAIL    older   The tests fail. Fix it.  done_unverified  verified
      PASS    newest  The tests fail. Fix it.  done, supported

      older
        FAIL     verified      no, claimed: no test run seen after the last edit
                               (src/sum.js, call 2)
      2 runs: 1 passed, 1 failed
        config: none
      check failed: verified. Details: phasekit explain verified
      "
    `);
    expect(await checked(folder)).toMatchObject({ passed: false, failed: ["verified"] });
  });

  it("every run of one log is checked, and #part selects one", async () => {
    const lines = [sampleLogs.verified, sampleLogs.unverified].map((text) => `${text}\n`).join("");
    const folder = folderOf({});
    const path = join(folder, "many.jsonl");
    writeFileSync(path, lines);
    const { runs, code } = await checked(path);
    expect(runs.map(({ failed }) => failed)).toEqual([[], ["verified"]]);
    expect(code).toBe(1);
    expect((await checked(`${path}#1`)).code).toBe(0);
  });

  it("--only-latest and --since check less", async () => {
    const folder = folderOf({ newest: sampleLogs.verified, older: sampleLogs.unverified });
    expect((await checked(folder, "--only-latest")).code).toBe(0);
    expect((await checked(folder, "--since", "12h")).code).toBe(0);
    expect((await checked(folder, "--since", "3d")).code).toBe(1);
  });

  it("the stored runs of a project are all checked", async () => {
    const cwd = emptyHome();
    await storeTwo(cwd);
    const { out, code } = await phasekitHere(["check", ".phasekit/runs", "--without", "verified"], { cwd });
    expect(out).toContain("2 runs: 1 passed, 1 failed");
    expect(code).toBe(1);
  });

  it("a file that is not a log does not fail a check, and one that cannot be read does", async () => {
    const folder = folderOf({ good: sampleLogs.verified });
    writeFileSync(join(folder, "package.json"), "{}");
    const { out, code } = await phasekitHere(["check", folder]);
    expect(out).toContain("1 file without a run");
    expect(code).toBe(0);
  });

  it("a stored run that cannot be read fails the check", async () => {
    const cwd = emptyHome();
    await storeTwo(cwd);
    const log = join(cwd, ".phasekit/runs/second/log");
    const [file = ""] = readdirSync(log);
    const lines = readFileSync(join(log, file), "utf8").split("\n");
    writeFileSync(join(log, file), ["{broken", ...lines.slice(1)].join("\n"));
    const { out, code } = await phasekitHere(["check", ".phasekit/runs", "--without", "verified,finished"], { cwd });
    expect(out).toContain("readable");
    expect(code).toBe(1);
  });

  it("--junit writes a suite for each run, and overwrites no other file", async () => {
    const folder = folderOf({ good: sampleLogs.verified, bad: sampleLogs.unverified });
    const cwd = emptyHome();
    const text = async (...more: readonly string[]): Promise<string> => {
      await phasekitHere(["check", folder, "--junit", "out.xml", ...more], { cwd });
      return readFileSync(join(cwd, "out.xml"), "utf8");
    };
    const xml = await text();
    expect(xml).toContain('<testsuites name="phasekit check" tests="6" failures="1" errors="0" skipped="0">');
    expect(xml).toContain('<testsuite name="good: The tests fail. Fix it." tests="3" failures="0"');
    expect(xml).toContain('name="verified"><failure message="no, claimed: no test run seen after the last edit');
    expect(xml.match(/<testcase /g)).toHaveLength(6);
    expect(await text("--waive", "verified", "--reason", 'a "reason" & more')).toContain(
      '<skipped message="waived: a &quot;reason&quot; &amp; more"/>',
    );
    writeFileSync(join(cwd, "out.xml"), "mine");
    expect(await text()).toBe("mine");
  });

  it("a job of GitHub gets annotations, and text of an agent cannot send commands", async () => {
    const evil = "::set-output name=x::y\n##[group]z";
    const folder = folderOf({
      bad: chatLog(
        [
          {
            tool: "edit_file",
            input: { path: "src/::x ##[y].js", old_string: "a", new_string: "b" },
            output: "The file was edited.",
          },
          { says: `Done. ${evil}` },
        ],
        evil,
      ),
      good: sampleLogs.verified,
    });
    const { out } = await phasekitHere(["check", folder], { env: { GITHUB_ACTIONS: "true", COLUMNS: "40" } });
    const commands = out.split("\n").filter((line) => /^\s*::|##\[/.test(line));
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatch(/^::error title=Phasekit%3A bad%2C verified::no, claimed/);
    expect((await phasekitHere(["check", folder])).out).not.toContain("::error");
  });
});
