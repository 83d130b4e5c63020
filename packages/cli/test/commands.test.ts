import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { emptyHome, phasekit, phasekitHere, phasekitJson } from "./run-cli.ts";

const folder = emptyHome();
const log = (name: keyof typeof sampleLogs): string => join(folder, `${name}.json`);

beforeAll(() => {
  for (const [name, text] of Object.entries(sampleLogs)) writeFileSync(join(folder, `${name}.json`), text);
});

const write = (path: string, text: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};

describe("phasekit why", () => {
  it("why explains a loop in ten lines", async () => {
    const { out, code } = await phasekit(["why", log("loop")]);
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "OpenAI chat messages · loop · 9 turns · 9 calls · tokens unknown
        exploring ████████████████████████████████████████ 100%
        ENDED     interrupted in exploring: the log stops in the middle of the work
        VERIFIED  not needed: no edits seen
        LOOP      calls 2–9: repeat ×8: bash node scripts/build.js, to the end
        WASTED    8 of 9 calls brought nothing new
        PHASEKIT  would have sent 2 nudges and refused 3 calls; first nudge at call 4,
                  5 calls before the end: \`bash node scripts/build.js\` failed 3 times
                  in the same way (Cannot find module '/app/scripts/build.js').
                  \`/app/scripts/build.js\` does not exist.
        Next: phasekit explain interrupted · phasekit runs · phasekit init
        Read-only: nothing was sent, and only a cache was written, ~/.cache/phasekit.
      "
    `);
  });

  it("why explains an end without evidence", async () => {
    const { out } = await phasekit(["why", log("unverified")]);
    expect(out).toMatchInlineSnapshot(`
      "OpenAI chat messages · unverified · 3 turns · 2 calls · tokens unknown
        exploring ████████████████████████████████████████ 100%  acting 0%
        ENDED     done_unverified in acting: the run ended as done while a gate was
                  not met
        VERIFIED  no, claimed: no test run seen after the last edit (src/sum.js, call
                  2)
        CHANGED   1 file (src/sum.js)
        PHASEKIT  would have vetoed the finish at call 2: You changed src/sum.js, and
                  nothing has checked it. Run the tests before you finish.
        Next: phasekit explain done_unverified · phasekit runs · phasekit init
        Read-only: nothing was sent, and only a cache was written, ~/.cache/phasekit.
      "
    `);
  });

  it("why says that it is read-only when it creates its cache, and only then", async () => {
    const home = emptyHome();
    const [first, second] = [
      await phasekit(["why", log("loop")], { home }),
      await phasekit(["why", log("loop")], { home }),
    ];
    expect(first.out).toContain("Read-only: nothing was sent, and only a cache was written, ~/.cache/phasekit.");
    expect(second.out).not.toContain("Read-only");
    expect(existsSync(join(home, ".cache/phasekit"))).toBe(true);
  });

  it("why gives no advice to an agent that may have no tools", async () => {
    expect((await phasekit(["why", log("words")])).out).not.toContain("PHASEKIT");
    expect((await phasekit(["why", log("loop")])).out).toContain("PHASEKIT");
  });

  it("why prints a short text for an agent", async () => {
    const { out } = await phasekit(["why", log("unverified")], { env: { AI_AGENT: "test" } });
    expect(out).not.toContain("Next:");
    expect(out.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
  });

  it("why prints no message text, and the task only with --task", async () => {
    const plain = await phasekit(["why", log("verified")]);
    const json = await phasekit(["why", log("verified"), "--json"]);
    for (const { out } of [plain, json])
      for (const text of ["The tests fail", "all tests pass"]) expect(out).not.toContain(text);
    expect((await phasekit(["why", log("verified"), "--task"])).out).toContain("TASK      The tests fail. Fix it.");
  });

  it("no command prints control characters of an agent, in text or JSON", async () => {
    for (const args of [
      ["why", log("hostile")],
      ["runs", folder],
      ["tail", log("hostile"), "--no-follow", "--all"],
      ["why", log("hostile"), "--json"],
      ["diff", log("hostile"), log("loop"), "--calls"],
    ]) {
      const { out, error } = await phasekit(args);
      // eslint-disable-next-line no-control-regex -- these are what must not come through
      expect(out + error).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }
  });

  it("why finds the newest log of every known tool and does not change it", async () => {
    const home = emptyHome();
    const claude = (text: string, at: string) =>
      JSON.stringify({
        type: "assistant",
        uuid: text,
        sessionId: "5e551011-0000-4000-8000-000000000000",
        cwd: "/home/dev/shop",
        timestamp: at,
        message: {
          id: text,
          role: "assistant",
          model: "m",
          content: [{ type: "text", text }],
          usage: { input_tokens: 10, output_tokens: 5 },
          stop_reason: "end_turn",
        },
      });
    const user = (at: string) =>
      JSON.stringify({
        type: "user",
        uuid: "u",
        sessionId: "5e551011-0000-4000-8000-000000000000",
        cwd: "/home/dev/shop",
        timestamp: at,
        message: { role: "user", content: "Hello" },
      });
    write(
      join(home, ".claude/projects/-work-shop/5e551011.jsonl"),
      `${user("2026-01-01T00:00:00Z")}\n${claude("Hi", "2026-01-01T00:00:05Z")}\n`,
    );
    write(join(home, ".claude/projects/-work-shop/agent-1.jsonl"), "{}\n");
    const before = treeOf(home);
    const data = await phasekitJson(["why"], { home, env: { XDG_CACHE_HOME: emptyHome() } });
    expect(data).toMatchObject({
      tool: "Claude Code",
      found: { "Claude Code": 1 },
      story: { reason: "done", tokens: 15 },
    });
    expect(treeOf(home)).toEqual(before);
  });

  it.each([
    { age: 1000, ended: /ENDED {5}not yet: the last event was just now, in exploring/, live: true },
    { age: 3_600_000, ended: /ENDED {5}interrupted in exploring: the log stops in the/, live: false },
  ])("why recognizes a running agent: last event $age ms ago", async ({ age, ended, live }) => {
    const path = join(emptyHome(), "session.jsonl");
    const line = (type: "user" | "assistant", content: unknown): string =>
      JSON.stringify({
        type,
        uuid: type,
        sessionId: "s",
        timestamp: new Date(Date.now() - age).toISOString(),
        message: { id: "m", role: type, content },
      });
    write(
      path,
      [
        line("user", "Go."),
        line("assistant", [{ type: "tool_use", id: "c", name: "Read", input: { file_path: "a.ts" } }]),
        "",
      ].join("\n"),
    );
    expect((await phasekitHere(["why", path])).out).toMatch(ended);
    expect(JSON.parse((await phasekitHere(["why", path, "--json"])).out)).toMatchObject({ end: { live } });
  });

  it("why skips a newer file without a run", async () => {
    const home = emptyHome();
    const place = join(home, "elsewhere/p");
    write(join(place, "old.jsonl"), sampleLogs.talk);
    utimesSync(join(place, "old.jsonl"), 1_760_000_000, 1_760_000_000);
    write(join(place, "new.jsonl"), "nothing that anybody could read\n");
    const { out } = await phasekitHere(["why", "--json"], {
      home,
      env: { PHASEKIT_CLAUDE_CODE_LOGS: join(home, "elsewhere") },
    });
    expect(JSON.parse(out)).toMatchObject({ exitCode: 0, path: join(place, "old.jsonl"), story: { reason: "done" } });
    expect(await phasekitHere(["why", join(place, "new.jsonl")])).toMatchObject({ code: 3 });
  });

  it("why finds logs in the folders of the environment", async () => {
    const home = emptyHome();
    write(join(home, "elsewhere/p/one.jsonl"), readFileSync(log("talk"), "utf8"));
    const data = await phasekitJson(["runs"], { home, env: { PHASEKIT_CLAUDE_CODE_LOGS: join(home, "elsewhere") } });
    expect(data).toMatchObject({ found: { "Claude Code": 1 }, logs: 1 });
  });

  it("why reads an opencode session from its many files", async () => {
    const storage = join(emptyHome(), "storage");
    write(
      join(storage, "session/p1/ses_1.json"),
      JSON.stringify({
        id: "ses_1",
        projectID: "p1",
        directory: "/home/dev/shop",
        title: "t",
        version: "1",
        time: { created: 1_760_000_000_000, updated: 1_760_000_009_000 },
      }),
    );
    write(
      join(storage, "message/ses_1/msg_1.json"),
      JSON.stringify({ id: "msg_1", sessionID: "ses_1", role: "user", time: { created: 1_760_000_000_000 } }),
    );
    write(
      join(storage, "message/ses_1/msg_2.json"),
      JSON.stringify({
        id: "msg_2",
        sessionID: "ses_1",
        role: "assistant",
        time: { created: 1_760_000_001_000, completed: 1_760_000_009_000 },
        tokens: { input: 7, output: 3, reasoning: 0, cache: { read: 0, write: 0 } },
        finish: "stop",
      }),
    );
    write(
      join(storage, "part/msg_1/prt_1.json"),
      JSON.stringify({ id: "prt_1", messageID: "msg_1", sessionID: "ses_1", type: "text", text: "Read it." }),
    );
    write(
      join(storage, "part/msg_2/prt_2.json"),
      JSON.stringify({
        id: "prt_2",
        messageID: "msg_2",
        sessionID: "ses_1",
        type: "tool",
        callID: "c1",
        tool: "read",
        state: {
          status: "completed",
          input: { filePath: "a.ts" },
          output: "x",
          title: "a.ts",
          metadata: {},
          time: { start: 1_760_000_002_000, end: 1_760_000_003_000 },
        },
      }),
    );
    const data = await phasekitJson(["why"], { env: { PHASEKIT_OPENCODE_LOGS: join(storage, "session") } });
    expect(data).toMatchObject({ tool: "opencode", story: { calls: 1 } });
  });
});

describe("phasekit runs, diff, export, tail", () => {
  it("runs lists runs and counts their end reasons", async () => {
    const data = (await phasekitJson(["runs", folder])) as unknown as {
      readonly ends: object;
      readonly runs: readonly unknown[];
    };
    expect(data.ends).toEqual({
      done: 1,
      "done, not needed": 3,
      "done, supported": 1,
      done_unverified: 2,
      interrupted: 1,
    });
    expect(data.runs).toHaveLength(8);
  });

  it("diff compares two runs", async () => {
    const { out } = await phasekit(["diff", log("verified"), log("unverified"), "--calls"]);
    expect(out).toMatchInlineSnapshot(`
      "              A verified                    B unverified
      end           done, supported in verifying  done_unverified in acting
      verified      yes, supported                no, claimed
      turns         5                             3
      calls         4                             2
      failed calls  1                             0
      wasted calls  0                             0
      tokens        unknown                       unknown
      time          unknown                       unknown
      loops         none                          none
      exploring     75 %, 3 calls                 100 %, 2 calls
      acting        25 %, 1 call                  0 %, 0 calls
      verifying     0 %, 0 calls                  –

      Calls: 2 in both, 2 only in A, 0 only in B.
          … 1 identical
        - bash node --test
          … 1 identical
        - bash node --test
      "
    `);
  });

  it("export --atif writes a log that reads back as the same run", async () => {
    const out = join(emptyHome(), "run.atif.json");
    expect(await phasekit(["export", log("verified"), "--atif", "--text", "--out", out])).toMatchObject({ code: 0 });
    const [first, again] = [await phasekitJson(["why", log("verified")]), await phasekitJson(["why", out])];
    expect((again["story"] as { calls: number }).calls).toBe((first["story"] as { calls: number }).calls);
    expect(JSON.stringify(await phasekitJson(["export", log("verified"), "--atif"]))).not.toContain("The tests fail");
  });

  it("export --otlp writes a trace without texts that reads back as the same run", async () => {
    const out = join(emptyHome(), "trace.jsonl");
    expect(await phasekit(["export", log("verified"), "--otlp", "--out", out])).toMatchObject({ code: 0 });
    expect(readFileSync(out, "utf8")).not.toContain("The tests fail");
    const [first, again] = [await phasekitJson(["why", log("verified")]), await phasekitJson(["why", out])];
    const { about: _about, ...kept } = first["story"] as { about?: unknown; calls: number; reason: string };
    expect(again["story"]).toMatchObject({ calls: kept.calls, reason: kept.reason });
    expect((again["verification"] as { verdict: string }).verdict).toBe(
      (first["verification"] as { verdict: string }).verdict,
    );
  });

  it("export --endpoint sends a run with its headers, twice as the same trace", async () => {
    const requests: { readonly url: string; readonly key: unknown; readonly body: string }[] = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        requests.push({
          url: request.url ?? "",
          key: request.headers["x-key"],
          body: Buffer.concat(parts).toString("hex"),
        });
        response.writeHead(request.url === "/otel/v1/logs" ? 404 : 200).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/otel`;
    const args = ["export", log("loop"), "--otlp", "--endpoint", endpoint, "--header", "x-key=a=b,c"];
    const { out } = await phasekit(args);
    expect(out.replace(endpoint, "<endpoint>")).toContain("Sent 1 run to <endpoint> in 1 request.");
    expect(out).toContain("--as-spans");
    await phasekit([...args, "--as-spans"]);
    await phasekit(args);
    server.close();
    expect(requests.map(({ url }) => url)).toEqual([
      "/otel/v1/traces",
      "/otel/v1/logs",
      "/otel/v1/traces",
      "/otel/v1/traces",
      "/otel/v1/logs",
    ]);
    expect(new Set(requests.map(({ key }) => key))).toEqual(new Set(["a=b,c"]));
    expect(requests[3]?.body).toBe(requests[0]?.body);
    const gone = await phasekit(args);
    expect(gone.code).toBe(2);
    expect(gone.error).toContain("CANNOT_SEND");
    expect(await phasekit(["export", log("loop"), "--otlp", "--header", "x"])).toMatchObject({ code: 2 });
  });

  it("export writes an archive, and events that read back as the same run", async () => {
    const target = join(emptyHome(), "archive");
    expect(await phasekitJson(["export", log("loop"), "--archive", target])).toMatchObject({ exitCode: 0 });
    const summary = JSON.parse(gunzipSync(readFileSync(join(target, "summary.json.gz"))).toString()) as {
      readonly summary: { readonly state: string };
    };
    expect(summary.summary.state).toBe("interrupted");
    const events = join(emptyHome(), "events.json");
    const { events: list } = (await phasekitJson(["export", log("loop")])) as unknown as {
      readonly events: readonly unknown[];
    };
    writeFileSync(events, JSON.stringify(list));
    expect(await phasekitJson(["why", events])).toMatchObject({ story: { calls: 9, state: "interrupted" } });
  });

  it("tail --no-follow prints a run event by event", async () => {
    const { out } = await phasekit(["tail", log("stale"), "--no-follow"]);
    expect(out).toMatchInlineSnapshot(`
      "START    stale, mode observe, in exploring
      PHASE    exploring → acting: An edit: src/sum.js
      TESTS    pass: 3 passed
      PHASE    acting → verifying: Tests were run after edits
      PHASE    verifying → acting: More was changed: src/sum.js
      DONE?    the agent says it is done
      VETO     (not applied) tests-fresh: You changed src/sum.js after the last test
               run (call 3). Run the tests again before you finish.
      VOUCHED  tests-kept: met, No test was weakened.
      END      done_unverified in acting, not verified
      "
    `);
  });
});

describe("phasekit simulate", () => {
  it("simulate counts interventions by outcome", async () => {
    const data = (await phasekitJson(["simulate", folder, "--compare", "none"])) as unknown as {
      readonly simulated: readonly {
        readonly policy: string;
        readonly totals: {
          readonly runs: number;
          readonly intervened: number;
          readonly vetoes: number;
          readonly stopped: number;
        };
      }[];
    };
    expect(data.simulated.map(({ policy }) => policy)).toEqual(["coding", "none"]);
    const [coding, none] = data.simulated;
    expect(coding?.totals).toMatchObject({ runs: 8, vetoes: 2 });
    expect(coding?.totals.intervened).toBeGreaterThan(0);
    expect(none?.totals).toMatchObject({ runs: 8, intervened: 0, vetoes: 0, stopped: 0 });
  });

  it("simulate --compare gives the same result as each set alone", async () => {
    type Simulation = { readonly simulated: readonly object[] };
    const both = (await phasekitJson([
      "simulate",
      folder,
      "--policy",
      "watchdog",
      "--compare",
      "gates",
    ])) as unknown as Simulation;
    for (const [place, name] of ["watchdog", "gates"].entries()) {
      const alone = (await phasekitJson(["simulate", folder, "--policy", name])) as unknown as Simulation;
      expect(both.simulated[place]).toEqual(alone.simulated[0]);
    }
  });

  it("simulate runs a TypeScript policy without an install", async () => {
    const cwd = emptyHome();
    write(
      join(cwd, "policy.ts"),
      `import { definePolicy, refuse } from "@phasekit/core";
const name: string = "no-bash";
export default definePolicy({
  name,
  decide: { "tool.requested": (_run, _state, { tool }) => (tool === "bash" ? refuse("No.") : undefined) },
});
`,
    );
    const data = (await phasekitJson(["simulate", log("verified"), "--policy", "policy.ts"], { cwd })) as unknown as {
      readonly simulated: readonly { readonly policies: readonly object[] }[];
    };
    expect(data.simulated[0]?.policies).toContainEqual({
      policy: "no-bash",
      runs: 1,
      nudges: 0,
      refusals: 2,
      vetoes: 0,
      stops: 0,
    });
    expect(readdirSync(cwd)).toEqual(["policy.ts"]);
  });

  it("simulate applies less in a milder mode", async () => {
    const data = (await phasekitJson(["simulate", log("unverified"), "--mode", "nudge"])) as unknown as {
      readonly simulated: readonly { readonly totals: object }[];
    };
    expect(data.simulated[0]?.totals).toMatchObject({ vetoes: 0, refusals: 0 });
  });
});

describe("phasekit check", () => {
  it.each([
    { args: ["verified"], code: 0, failed: [] },
    { args: ["talk"], code: 0, failed: [] },
    { args: ["unverified"], code: 1, failed: ["verified"] },
    { args: ["loop"], code: 1, failed: ["finished", "no-loop"] },
    { args: ["unverified", "--waive", "verified", "--reason", "docs only"], code: 0, failed: [] },
    { args: ["unverified", "--without", "verified"], code: 0, failed: [] },
    { args: ["verified", "--max-turns", "4"], code: 1, failed: ["max-turns"] },
  ])("check $args exits with $code", async ({ args: [name, ...rest], code, failed }) => {
    const { out } = await phasekitHere(["check", log(name as "talk"), ...rest, "--json"]);
    expect(JSON.parse(out)).toMatchObject({ exitCode: code, failed });
  });

  it("check writes a GitHub job summary and escapes foreign text", async () => {
    const summary = join(emptyHome(), "summary.md");
    const { out, code } = await phasekit(["check", log("unverified")], { env: { GITHUB_STEP_SUMMARY: summary } });
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "OpenAI chat messages · unverified
        PASS     finished      done_unverified in acting: the run ended as done while
                               a gate was not met
        FAIL     verified      no, claimed: no test run seen after the last edit
                               (src/sum.js, call 2)
        PASS     no-loop       the run did not end in a loop
        config: none
      check failed: verified. Details: phasekit explain verified
      "
    `);
    expect(readFileSync(summary, "utf8")).toMatchInlineSnapshot(`
      "### Phasekit: OpenAI chat messages unverified

      3 turns, 2 calls, tokens unknown — exploring 100 %, acting 0 %. Ended: \`done_unverified\`.

      | Gate | Verdict | Evidence |
      | --- | --- | --- |
      | finished | PASS | done&#95;unverified in acting: the run ended as done while a gate was not met |
      | verified | FAIL | no, claimed: no test run seen after the last edit &#40;src/sum.js, call 2&#41; |
      | no-loop | PASS | the run did not end in a loop |

      "
    `);
  });
});

/** Names, sizes and times of everything below a folder. */
function treeOf(root: string): readonly string[] {
  return (readdirSync(root, { recursive: true }) as string[])
    .map((path) => {
      const { size, mtimeMs } = statSync(join(root, path));
      return `${path} ${String(size)} ${String(mtimeMs)}`;
    })
    .sort();
}
