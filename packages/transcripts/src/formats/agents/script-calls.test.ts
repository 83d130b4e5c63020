import { describe, expect, it } from "vitest";
import { onlyCallOf } from "./script-calls.ts";

describe("onlyCallOf", () => {
  it.each([
    {
      script: 'const r = await tools.exec_command({ cmd: "npm test", yield_time_ms: 10_000 });\ntext(r.output);',
      call: { tool: "exec_command", input: { cmd: "npm test", yield_time_ms: 10_000 } },
    },
    {
      script: "text(await tools.write_stdin({'session_id': 7, chars: ``}))",
      call: { tool: "write_stdin", input: { session_id: 7, chars: "" } },
    },
    {
      script: String.raw`await tools.exec_command({cmd: 'echo "a" \'b\'\n', tty: true, args: [1, null, -2.5,],})`,
      call: { tool: "exec_command", input: { cmd: "echo \"a\" 'b'\n", tty: true, args: [1, null, -2.5] } },
    },
    { script: 'await tools.apply_patch("*** Begin Patch")', call: { tool: "apply_patch", input: "*** Begin Patch" } },
  ])("reads $script", ({ script, call }) => {
    expect(onlyCallOf(script)).toEqual(call);
  });

  it.each([
    ["two calls", "await tools.a({ x: 1 }); await tools.b({ y: 2 });"],
    ["no call", "text(1)"],
    ["a variable", "await tools.exec_command({ cmd: line })"],
    ["a template with a hole", "await tools.exec_command({ cmd: `ls ${folder}` })"],
    ["a call that is cut off", 'await tools.exec_command({ cmd: "ls'],
    ["an escape by number", String.raw`await tools.exec_command({ cmd: "\u0041" })`],
    ["deep nesting", `await tools.exec_command(${"[".repeat(50)}`],
    ["a very long script", `await tools.exec_command({ cmd: "${"a".repeat(30_000)}" })`],
  ])("does not guess at %s", (_, script) => {
    expect(onlyCallOf(script)).toBeUndefined();
  });
});
