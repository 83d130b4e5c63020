import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { loadModule } from "./load-module.ts";

describe("loadModule", () => {
  const folder = mkdtempSync(join(tmpdir(), "phasekit-load-"));
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it("gives a file outside any project every entry of our packages it may import", async () => {
    const file = join(folder, "config.ts");
    writeFileSync(
      file,
      [
        'import { isHostEvent } from "@phasekit/core";',
        'import { quote } from "@phasekit/core/adapter";',
        'import { codingPhases } from "@phasekit/core";',
        "export default [typeof isHostEvent, quote('a'), codingPhases.name];",
      ].join("\n"),
    );
    await expect(loadModule(file)).resolves.toEqual(["function", '"a"', "coding"]);
  });
});
