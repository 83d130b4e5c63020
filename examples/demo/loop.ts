// The output of `phasekit why` for an agent that repeats the same failing command.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Beside the package's entry, built or not.
const entry = fileURLToPath(import.meta.resolve("phasekit"));
const bin = join(dirname(entry), `bin${extname(entry)}`);
const { NODE_TEST_CONTEXT: _context, FORCE_COLOR: _color, ...env } = process.env;
const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "demo", "loop", "--fast"], {
  encoding: "utf8",
  env: { ...env, COLUMNS: "100", NO_COLOR: "1", AI_AGENT: "" },
});
const [, explanation = ""] = stdout.split("$ phasekit why\n");
console.log(`$ npx phasekit why\n\n${explanation.trim()}`);

assert.equal(status, 0, stderr);
assert.match(explanation, /LOOP +calls 3–9/);
assert.match(explanation, /WASTED +5 of 10 calls/);
