// The output of `phasekit demo` without a terminal: a scripted agent behind a real API fixes a real project, gets two
// vetoes, and the ledger says why it ended. With --fast the clock is simulated, so the output is always the same.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Beside the package's entry, built or not.
const entry = fileURLToPath(import.meta.resolve("phasekit"));
const bin = join(dirname(entry), `bin${extname(entry)}`);
const { NODE_TEST_CONTEXT: _context, FORCE_COLOR: _color, ...env } = process.env;
const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "demo", "good", "--fast"], {
  encoding: "utf8",
  env: { ...env, COLUMNS: "100", NO_COLOR: "1", AI_AGENT: "" },
});
console.log(stdout.trim());

assert.equal(status, 0, stderr);
assert.match(stdout, /VETO +tests-fresh/);
assert.match(stdout, /VETO +contract-gate/);
assert.match(stdout, /ENDED +done in verifying/);
